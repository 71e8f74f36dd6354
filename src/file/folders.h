// SPDX-License-Identifier: Apache-2.0
// Where files lie, behind all links: what a file of a stranger may lead to.

#ifndef AP_FILE_FOLDERS_H
#define AP_FILE_FOLDERS_H

#include <stdbool.h>

// *failed becomes true where there is no memory.

// Is the real path `path` below the folder that `folder` names, and no other?
bool ap__is_below(const char *path, const char *folder, bool *failed);
// Is this folder the user's home, or one that holds it? So is one that is not there.
bool ap__holds_home(const char *folder, bool *failed);
// A pipe, a socket or a device: reading it may never end.
bool ap__is_special(const char *path);

#endif
