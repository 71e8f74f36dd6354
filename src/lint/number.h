// SPDX-License-Identifier: Apache-2.0
// Numbers that a person wrote, and what was meant where they cannot be read.

#ifndef AP_LINT_NUMBER_H
#define AP_LINT_NUMBER_H

#include "lint/examine.h"

// n numbers with blanks between, and nothing else; *x changes only where all are good, or where one
// can tell what was meant, so that the rest can be examined. what names them: "<mass value>". A
// finding is added where they are not good. False: *x is as it was.
bool ap__lint_numbers(lint *l, int line, const char *subject, const char *what, const char *text,
                      int n, double *x);

#endif
