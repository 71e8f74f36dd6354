// SPDX-License-Identifier: Apache-2.0
// The page of reports, web/dist/page.html, as bytes of the library.

#include <appell/run.h>

// The assembler puts the file there: a C array of a megabyte would take the compiler seconds.
__asm__(
    ".section .rodata\n"
    ".balign 16\n"
    "ap__page_bytes:\n"
    ".incbin \"" AP_PAGE_FILE
    "\"\n"
    ".byte 0\n"
    ".previous\n");
extern const char ap__page_bytes[] __attribute__((visibility("hidden")));

const char *ap_report_page(void) { return ap__page_bytes; }
