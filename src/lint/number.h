// Numbers that a person wrote, and what was meant where they cannot be read.

#ifndef AP_LINT_NUMBER_H
#define AP_LINT_NUMBER_H

#include "lint/examine.h"

// n numbers with blanks between, and nothing else; *x changes only where all are good. what names
// them: "<mass value>". False: not so; the finding is added.
bool ap__lint_numbers(lint *l, int line, const char *subject, const char *what, const char *text,
                      int n, double *x);

// Read n numbers (at most nine) and nothing else; *x changes only where all are good.
bool ap__lint_scan(const char *text, int n, double *x);

#endif
