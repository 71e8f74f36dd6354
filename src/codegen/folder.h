// SPDX-License-Identifier: Apache-2.0
// A folder that nobody else can change, by itself or through one of the folders above it.

#ifndef AP_CODEGEN_FOLDER_H
#define AP_CODEGEN_FOLDER_H

#include <appell/base.h>

/// Open a folder of this user's, and make it and the one above where they are missing. Refused: a
/// link; what belongs to another user, or that others can write to; and a folder above it that
/// belongs neither to root nor to this user, or that others can write to and that has no sticky
/// bit. Returns a descriptor that reads, and in *path the path without links, to be freed; -1 with
/// an error, AP_E_FILE or AP_E_MEMORY.
int ap__folder_open(const char *folder, char **path, ap_error *error);

#endif
