// SPDX-License-Identifier: Apache-2.0
// The folder of compiled objects: private, and every object with a seal that shows damage.
//
// An object KEY.so is what the compiler wrote with a digest of the key and of all that behind it,
// which a loader of objects does not look at. It appears under its name in one step, so that a
// process sees a whole object or none, whoever else is writing the same one. Folders and files are
// held by descriptors: what was looked at is what is used.

#ifndef AP_CODEGEN_CACHE_H
#define AP_CODEGEN_CACHE_H

#include "codegen/sha256.h"
#include "file/text.h"

enum { AP_KEY_LENGTH = 2 * AP_SHA256_BYTES };

/// Begin of the name of a folder that one compilation works in, and the age beyond which one that
/// nobody has locked is removed.
#define AP_PART_NAME "part-"
enum { AP_PART_SECONDS = 24 * 3600 };

typedef struct ap_cache {
  int fd;
  char *folder;                // without links
  char key[AP_KEY_LENGTH + 1]; // of the object that is wanted
  int part;                    // a folder in it for one compilation; -1: none
  char part_name[40];
} ap_cache;

/// Three texts as one, to be freed; NULL: no memory.
char *ap__joined(const char *a, const char *b, const char *c);

/// Find or make the folder; NULL: the user's own. AP_E_FILE, AP_E_MEMORY. Close it in either case.
ap_status ap__cache_open(ap_cache *c, const char *folder, ap_error *error);
void ap__cache_close(ap_cache *c);
void ap__cache_set_key(ap_cache *c, const unsigned char key[AP_SHA256_BYTES]);
/// The object with the key, opened to read, where it is there and whole; else -1.
int ap__cache_find(const ap_cache *c);
/// The path of the object; NULL: no memory.
char *ap__cache_path(const ap_cache *c);

/// Make a folder for one compilation. First those of compilations that were killed are removed, see
/// AP_PART_SECONDS; what cannot be removed stays: it only takes room.
ap_status ap__part_open(ap_cache *c, ap_error *error);
/// Write a file into it, of several texts up to a NULL.
ap_status ap__part_write(const ap_cache *c, const char *name, const char *const *text,
                         ap_error *error);
/// Seal an object that the compiler has left there, and give it its name in the cache.
ap_status ap__part_keep(const ap_cache *c, const char *name, ap_error *error);
/// Remove it and the files in it.
void ap__part_close(ap_cache *c);

#endif
