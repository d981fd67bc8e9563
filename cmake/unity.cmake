# Compiling files in groups, each as one file, if TRUNNION_UNITY says so:
#   trunnion_unity_groups(NAME SIZE FILES...)  sorts files into groups of at most SIZE bytes, by tools/unity_groups.py such that no names
#                                              clash; NAME: of the file that keeps them from configuration to configuration.
#                                              Names of groups are unique among all calls, as a target may have files of several
#   trunnion_unity(TARGET)                     compiles the files of a target in these groups
# SPDX-License-Identifier: BSD-3-Clause
function(trunnion_unity_groups name size)
  if(NOT TRUNNION_UNITY OR NOT ARGN)
    return()
  endif()
  find_package(Python3 REQUIRED COMPONENTS Interpreter)
  get_property(taken GLOBAL PROPERTY TRUNNION_UNITY_NAMES)
  list(REMOVE_DUPLICATES taken)
  list(TRANSFORM taken PREPEND --taken=)
  execute_process(
    COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tools/unity_groups.py
      --size ${size} --include ${PROJECT_SOURCE_DIR}/src --include ${PROJECT_SOURCE_DIR}/include --include ${PROJECT_SOURCE_DIR}/tests
      --keep ${PROJECT_BINARY_DIR}/unity_${name}.txt ${taken} ${ARGN}
    OUTPUT_VARIABLE groups OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
  string(REPLACE "\n" ";" groups "${groups}")
  foreach(line IN LISTS groups)
    string(REGEX MATCH "^([^ ]+) (.+)$" line "${line}")
    set_source_files_properties(${CMAKE_MATCH_2} PROPERTIES UNITY_GROUP ${CMAKE_MATCH_1})
    set_property(GLOBAL APPEND PROPERTY TRUNNION_UNITY_NAMES ${CMAKE_MATCH_1})
  endforeach()
  # A new name in one file may clash with another of its group: the groups are recomputed when a file changes.
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${ARGN} ${PROJECT_SOURCE_DIR}/tools/unity_groups.py)
endfunction()

function(trunnion_unity target)
  if(TRUNNION_UNITY)
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP
      UNITY_BUILD_CODE_AFTER_INCLUDE "#undef TR_INSTANTIATE")  # each file's own
  endif()
endfunction()
