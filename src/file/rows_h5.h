// Rows of a log in HDF5.

#ifndef AP_FILE_ROWS_H5_H
#define AP_FILE_ROWS_H5_H

#include "file/robot.h"

typedef struct ap__rows_h5 ap__rows_h5;

// Open the log at path; AP_E_UNSUPPORTED in a build without HDF5.
ap_status ap__rows_h5_open(const char *path, ap__rows_h5 **rows, ap_error *error);
// The names of its columns, separated by commas, as a CSV file has them.
const char *ap__rows_h5_names(const ap__rows_h5 *rows);
// How many there are.
int ap__rows_h5_columns(const ap__rows_h5 *rows);
// The next row; *end at the end.
ap_status ap__rows_h5_next(ap__rows_h5 *rows, double *row, bool *end, ap_error *error);
void ap__rows_h5_close(ap__rows_h5 *rows);

#endif
