// SPDX-License-Identifier: Apache-2.0
// The live page, web/dist/view.html, as bytes of the library.

#include <appell/view.h>

__asm__(
    ".section .rodata\n"
    ".balign 16\n"
    "ap__view_bytes:\n"
    ".incbin \"" AP_VIEW_FILE
    "\"\n"
    ".byte 0\n"
    ".previous\n");
extern const char ap__view_bytes[] __attribute__((visibility("hidden")));

const char *ap_view_page(void) { return ap__view_bytes; }
