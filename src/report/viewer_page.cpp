// The embedded viewer page.
// SPDX-License-Identifier: BSD-3-Clause
#include "report/viewer_page.h"

#ifdef TRUNNION_VIEWER_PAGE

// The assembler reads the file; cmake/viewer.cmake gives its path and compiles this again when it changes.
#ifdef __APPLE__
#define TR_SECTION ".const_data\n"
#define TR_SYMBOL "_trunnion_viewer_page"
#else
#define TR_SECTION ".section .rodata\n"
#define TR_SYMBOL "trunnion_viewer_page"
#endif
asm(TR_SECTION ".globl " TR_SYMBOL "\n.globl " TR_SYMBOL "_end\n.balign 16\n" TR_SYMBOL ":\n.incbin \"" TRUNNION_VIEWER_PAGE
               "\"\n" TR_SYMBOL "_end:\n.byte 0\n.text\n");

extern "C" {
extern const char trunnion_viewer_page[], trunnion_viewer_page_end[];
}

namespace trunnion {

std::string_view viewer_page() { return {trunnion_viewer_page, static_cast<std::size_t>(trunnion_viewer_page_end - trunnion_viewer_page)}; }

}  // namespace trunnion

#else

namespace trunnion {

std::string_view viewer_page() { return {}; }

}  // namespace trunnion

#endif
