// The page of reports, built by esbuild from web/, as bytes of the library.

#include <appell/run.h>

#ifdef AP_PAGE_FILE

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

// The file is empty where it could not be built.
const char *ap_report_page(void) { return ap__page_bytes[0] ? ap__page_bytes : NULL; }

#else

const char *ap_report_page(void) { return NULL; }

#endif
