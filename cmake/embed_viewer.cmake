# trunnion_embed_viewer(): bundles viewer/ into one HTML file below the build folder and puts it into src/report/viewer_page.cpp, if
# TRUNNION_VIEWER says so. Every library that compiles that file depends on the target trunnion_viewer.
# The same file, run as a script while building, installs the packages of viewer/package-lock.json and bundles.
# SPDX-License-Identifier: BSD-3-Clause

set(trunnion_viewer_remedy "or configure with -DTRUNNION_VIEWER=OFF: everything works then but `trunnion report`")

if(CMAKE_SCRIPT_MODE_FILE)
  # Packages are reinstalled when their list changes; a stamp file records the list.
  file(SHA256 ${viewer}/package-lock.json list)
  set(installed "")
  if(EXISTS ${work}/installed.txt)
    file(READ ${work}/installed.txt installed)
  endif()
  if(NOT installed STREQUAL list)
    file(COPY ${viewer}/package.json ${viewer}/package-lock.json DESTINATION ${work})
    execute_process(COMMAND ${npm} ci --omit=dev --no-audit --no-fund --no-progress WORKING_DIRECTORY ${work}
      RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
    if(NOT result EQUAL 0)
      message(FATAL_ERROR "The packages of the viewer (viewer/package-lock.json) cannot be installed by npm:\n${output}\n"
        "They come from the npm registry (https://registry.npmjs.org, or what `npm config set registry` says): make it reachable, "
        "${trunnion_viewer_remedy}.")
    endif()
    file(WRITE ${work}/installed.txt ${list})
  endif()
  execute_process(COMMAND ${node} ${viewer}/build.mjs ${page} --modules ${work}/node_modules
    RESULT_VARIABLE result OUTPUT_QUIET ERROR_VARIABLE output)
  if(NOT result EQUAL 0 OR NOT EXISTS ${page})
    message(FATAL_ERROR "The viewer could not be bundled:\n${output}")
  endif()
  return()
endif()

function(trunnion_embed_viewer)
  if(NOT TRUNNION_VIEWER)
    return()
  endif()
  find_program(TRUNNION_NODE NAMES node nodejs)
  find_program(TRUNNION_NPM npm)
  mark_as_advanced(TRUNNION_NODE TRUNNION_NPM)
  set(version 0)
  if(TRUNNION_NODE)
    execute_process(COMMAND ${TRUNNION_NODE} --version OUTPUT_VARIABLE version ERROR_QUIET OUTPUT_STRIP_TRAILING_WHITESPACE)
    string(REGEX REPLACE "^v" "" version "${version}")
  endif()
  if(NOT TRUNNION_NODE OR NOT TRUNNION_NPM OR version VERSION_LESS 18)
    message(FATAL_ERROR "The viewer of `trunnion report` is bundled by node 18 or newer with npm, which is not on PATH "
      "(node: ${TRUNNION_NODE} ${version}, npm: ${TRUNNION_NPM}). Install them (Debian: apt-get install nodejs npm), ${trunnion_viewer_remedy}.")
  endif()

  set(viewer ${PROJECT_SOURCE_DIR}/viewer)
  set(work ${PROJECT_BINARY_DIR}/viewer)
  set(page ${work}/report.html)
  set(script ${PROJECT_SOURCE_DIR}/cmake/embed_viewer.cmake)
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${viewer}/src/*)
  file(MAKE_DIRECTORY ${work})
  add_custom_command(OUTPUT ${page}
    COMMAND ${CMAKE_COMMAND} -D viewer=${viewer} -D work=${work} -D page=${page} -D node=${TRUNNION_NODE} -D npm=${TRUNNION_NPM} -P ${script}
    DEPENDS ${sources} ${viewer}/build.mjs ${viewer}/package.json ${viewer}/package-lock.json ${script}
    COMMENT "Bundling the viewer of reports"
    VERBATIM)
  add_custom_target(trunnion_viewer DEPENDS ${page})
  # Separate: the assembler's input is not a header, and no other file is to be recompiled with it.
  set_source_files_properties(${PROJECT_SOURCE_DIR}/src/report/viewer_page.cpp PROPERTIES
    COMPILE_DEFINITIONS "TRUNNION_VIEWER_PAGE=\"${page}\""
    OBJECT_DEPENDS ${page}
    SKIP_UNITY_BUILD_INCLUSION ON
    SKIP_PRECOMPILE_HEADERS ON)
endfunction()
