// SPDX-License-Identifier: Apache-2.0
// Archives in the ZIP format, files stored as they are. The same files give the same bytes: all
// have the date 1980-01-01.

#ifndef AP_CODEGEN_ZIP_H
#define AP_CODEGEN_ZIP_H

#include "file/text.h"

/// An archive on its way. All zero is an empty one.
typedef struct ap_zip {
  ap__text bytes;   // local headers and files
  ap__text central; // the directory that ends up behind them
  int files;
} ap_zip;

/// Add a file under a relative name with '/' between folders.
void ap__zip_add(ap_zip *z, const char *name, const void *bytes, size_t size);
/// Close it: z->bytes is the whole archive. False: no memory, or more than the format can have.
bool ap__zip_finish(ap_zip *z);
void ap__zip_free(ap_zip *z);

#endif
