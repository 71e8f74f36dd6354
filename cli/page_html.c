// The page of reports, built by esbuild from web/, as bytes of this program.

#include "page.h"

#ifdef CLI_PAGE_FILE

// The assembler puts the file there: a C array of a megabyte would take the compiler seconds.
__asm__(
    ".section .rodata\n"
    ".balign 16\n"
    "cli_page_bytes:\n"
    ".incbin \"" CLI_PAGE_FILE
    "\"\n"
    ".byte 0\n"
    ".previous\n");
extern const char cli_page_bytes[];

// The file is empty where it could not be built.
const char *cli_page_html(void) { return cli_page_bytes[0] ? cli_page_bytes : NULL; }

#else

const char *cli_page_html(void) { return NULL; }

#endif
