# A build for any processor (TRUNNION_NATIVE off) has its lanes compiled for newer processors, too, and takes those of the machine that it
# runs on (src/lanes/processors.cpp). Every such set of objects is joined into one whose symbols are local but for its make_lane_machine_...:
# otherwise the linker would give the rest of the program inline functions with instructions that an older processor does not have.
# SPDX-License-Identifier: BSD-3-Clause

option(TRUNNION_LANES_OF_PROCESSORS "Lanes of a build for any processor, compiled for AVX2 and AVX-512, too" ON)
if(TRUNNION_NATIVE OR NOT TRUNNION_LANES_OF_PROCESSORS OR NOT CMAKE_BUILD_TYPE STREQUAL "Release" OR NOT CMAKE_CXX_COMPILER_ID STREQUAL "GNU"
    OR NOT CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64)$" OR NOT CMAKE_OBJCOPY)
  return()
endif()

set(instructions_avx2 -mavx2 -mfma)
set(instructions_avx512 ${instructions_avx2} -mavx512f -mavx512dq -mavx512vl)
foreach(processor IN ITEMS avx2 avx512)
  set(parts trunnion_lanes_text_${processor} trunnion_lanes_${processor})
  trunnion_with_numbers(trunnion_lanes_text_${processor} src/lanes/prelude.h ${lanes_text_sources} ${not_of_double})
  trunnion_with_numbers(trunnion_lanes_${processor} src/lanes/prelude.h ${lanes_sources} ${lane_machine})
  target_compile_options(trunnion_lanes_${processor} PRIVATE ${options_of_lanes})
  set(objects)
  foreach(part IN LISTS parts)
    target_compile_options(${part} PRIVATE ${instructions_${processor}} -fno-gnu-unique -Wno-psabi)
    target_compile_definitions(${part} PRIVATE LANES_MAKE=make_lane_machine_${processor})
    list(APPEND objects $<FILTER:$<TARGET_OBJECTS:${part}>,EXCLUDE,[.]gch$>)  # precompiled headers are among them
  endforeach()
  set(joined ${PROJECT_BINARY_DIR}/lanes_${processor}.o)
  add_custom_command(
    OUTPUT ${joined}
    COMMAND ${CMAKE_LINKER} -r --force-group-allocation -o ${joined} ${objects}
    COMMAND ${CMAKE_OBJCOPY} --wildcard --keep-global-symbol=*make_lane_machine_${processor}* ${joined}
    DEPENDS ${objects}
    COMMENT "Joining the lanes for ${processor}"
    COMMAND_EXPAND_LISTS VERBATIM)
  set_source_files_properties(${joined} PROPERTIES EXTERNAL_OBJECT ON GENERATED ON)
  list(APPEND with_other_numbers ${joined})
endforeach()
set_source_files_properties(src/lanes/processors.cpp PROPERTIES COMPILE_DEFINITIONS LANES_OF_NEWER_PROCESSORS)
