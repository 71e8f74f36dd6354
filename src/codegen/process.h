// Another program, run to its end.

#ifndef AP_CODEGEN_PROCESS_H
#define AP_CODEGEN_PROCESS_H

#include <stdbool.h>

#include "file/text.h"

typedef enum ap_ending {
  AP_ENDED_WELL,
  AP_NOT_STARTED, // there is no such program, or no memory
  AP_ENDED_BADLY  // with a status other than 0, or killed
} ap_ending;

/// Words separated by blanks, with room for `more` of them and a NULL behind; one block to free.
/// NULL: no memory. *count becomes their number.
char **ap__words(const char *text, int more, int *count);

/// Run a program found as a shell finds it: nothing to read, what it says appended to *said (NULL:
/// nowhere).
ap_ending ap__run(char *const *words, ap__text *said);

#endif
