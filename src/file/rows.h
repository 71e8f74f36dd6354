// SPDX-License-Identifier: Apache-2.0
// What other readers and tests need of the reader of state files.

#ifndef AP_FILE_ROWS_H
#define AP_FILE_ROWS_H

#include <appell/file.h>

// As ap_rows_open(), from a text that is copied.
ap_status ap__rows_memory(const char *text, size_t length, ap_rows **rows, ap_error *error);

// Let nan, inf and -inf be numbers.
void ap__rows_allow_any(ap_rows *rows);

// Did the file end within the line that was read last, without a newline?
bool ap__rows_cut(const ap_rows *rows);

#endif
