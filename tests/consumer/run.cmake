# Installs the build `package_build` into an empty prefix, then configures, builds and runs the project in `consumer`
# against it. Called by CTest; everything happens below `work`.
# SPDX-License-Identifier: BSD-3-Clause
function(run)
  execute_process(COMMAND ${ARGV} RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT result EQUAL 0)
    list(JOIN ARGV " " command)
    message(FATAL_ERROR "${command}\n${output}")
  endif()
  set(output "${output}" PARENT_SCOPE)
endfunction()

file(REMOVE_RECURSE ${work})
run(${CMAKE_COMMAND} --install ${package_build} --prefix ${work}/prefix --config ${config})
run(${CMAKE_COMMAND} -S ${consumer} -B ${work}/build -G ${generator}
  -D CMAKE_BUILD_TYPE=${config} -D CMAKE_CXX_COMPILER=${compiler} -D CMAKE_PREFIX_PATH=${work}/prefix)
run(${CMAKE_COMMAND} --build ${work}/build --config ${config})
run(${work}/build/consumer)
if(NOT output MATCHES "trunnion ${version}\n")
  message(FATAL_ERROR "the consumer printed:\n${output}")
endif()
