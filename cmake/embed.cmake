# trunnion_embed(FILE NAME...): writes the C++ file FILE, which holds the texts of apps/trunnion/NAME as apps/trunnion/embedded.h declares.
# Regenerated when one of them changes.
# SPDX-License-Identifier: BSD-3-Clause
function(trunnion_embed file)
  set(entries "")
  foreach(name IN LISTS ARGN)
    set(source "${PROJECT_SOURCE_DIR}/apps/trunnion/${name}")
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${source}")
    file(READ "${source}" text)
    string(APPEND entries "    {\"${name}\", R\"embedded(${text})embedded\"},\n")
  endforeach()
  file(CONFIGURE OUTPUT "${file}" @ONLY CONTENT
"// Written by cmake/embed.cmake from files of apps/trunnion; do not edit.
#include \"embedded.h\"

namespace trunnion::cli {

const std::vector<EmbeddedText>& embedded_texts() {
  static const std::vector<EmbeddedText> texts{
@entries@  };
  return texts;
}

}  // namespace trunnion::cli
")
endfunction()
