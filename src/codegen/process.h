// SPDX-License-Identifier: Apache-2.0
// Another program, run to its end.

#ifndef AP_CODEGEN_PROCESS_H
#define AP_CODEGEN_PROCESS_H

#include <stdbool.h>

#include "file/text.h"

typedef enum ap_ending {
  AP_ENDED_WELL,
  AP_NOT_STARTED, // there is no such program, or no memory
  AP_ENDED_BADLY, // with a status other than 0
  AP_WAS_KILLED,  // by a signal
  AP_WAS_LATE     // and was killed, with all it had started
} ap_ending;

/// A command: words separated by blanks, but for one that as a whole is the path of a program, with
/// a '/' in it, which is one word. Then the words of `flags`, and room for `more` words and a NULL
/// behind; one block to free. NULL: no memory, or the command has no word. *count becomes their
/// number.
char **ap__command(const char *command, const char *flags, int more, int *count);

/// Run a program found as a shell finds it, for so many seconds at most (0: any number): nothing to
/// read, and what it says, or the first megabyte, appended to *said.
ap_ending ap__run(char *const *words, double seconds, ap__text *said);

#endif
