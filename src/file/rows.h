// The reader of state files on a text in memory, for tests.

#ifndef AP_FILE_ROWS_H
#define AP_FILE_ROWS_H

#include <appell/file.h>

// As ap_rows_open(), from a text that is copied.
ap_status ap__rows_memory(const char *text, size_t length, ap_rows **rows, ap_error *error);

#endif
