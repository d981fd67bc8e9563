# trunnion_unity(TARGET FILES...): compiles the files of the target in groups, each as one file, if TRUNNION_UNITY
# says so. tools/unity_groups.py makes the groups such that no names clash.
# SPDX-License-Identifier: BSD-3-Clause
function(trunnion_unity target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "FILES")
  if(NOT TRUNNION_UNITY OR NOT arg_FILES)
    return()
  endif()
  find_package(Python3 REQUIRED COMPONENTS Interpreter)
  execute_process(
    COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tools/unity_groups.py
      --size 72000 --include ${PROJECT_SOURCE_DIR}/src --include ${PROJECT_SOURCE_DIR}/include --include ${PROJECT_SOURCE_DIR}/tests
      --keep ${PROJECT_BINARY_DIR}/unity_${target}.txt ${arg_FILES}
    OUTPUT_VARIABLE groups OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
  string(REPLACE "\n" ";" groups "${groups}")
  foreach(line IN LISTS groups)
    string(REGEX MATCH "^([^ ]+) (.+)$" line "${line}")
    set_source_files_properties(${CMAKE_MATCH_2} PROPERTIES UNITY_GROUP ${CMAKE_MATCH_1})
  endforeach()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP
    UNITY_BUILD_CODE_AFTER_INCLUDE "#undef TR_INSTANTIATE")  # each file's own
  # A new name in one file may clash with another of its group: the groups are recomputed when a file changes.
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${arg_FILES} ${PROJECT_SOURCE_DIR}/tools/unity_groups.py)
endfunction()
