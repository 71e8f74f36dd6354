// The folder of compiled objects: private, and every object with a seal that shows damage.
//
// An object KEY.so is what the compiler wrote with a digest of the key and of all that behind it,
// which a loader of objects does not look at. It appears under its name in one step, so that a
// process sees a whole object or none, whoever else is writing the same one.

#ifndef AP_CODEGEN_CACHE_H
#define AP_CODEGEN_CACHE_H

#include "codegen/sha256.h"
#include "file/text.h"

enum { AP_KEY_LENGTH = 2 * AP_SHA256_BYTES };

/// Begin of the name of a folder that one compilation works in, and the age beyond which no one
/// works there any more. Should someone do so after all, that compilation fails, and the general
/// functions do its work.
#define AP_PART_NAME "part-"
enum { AP_PART_SECONDS = 24 * 3600 };

typedef struct ap_cache {
  char *folder;
  char key[AP_KEY_LENGTH + 1]; // of the object that is wanted
  char *object;                // where it is, or will be
} ap_cache;

/// Three texts as one, to be freed; NULL: no memory.
char *ap__joined(const char *a, const char *b, const char *c);

/// Find or make the folder; NULL: the user's own. Set the key, then ap__cache_name(). AP_E_FILE,
/// AP_E_MEMORY. Close it in either case.
ap_status ap__cache_open(ap_cache *c, const char *folder, ap_error *error);
void ap__cache_close(ap_cache *c);
/// Fill in where the object with this key is. False: no memory.
bool ap__cache_name(ap_cache *c, const unsigned char key[AP_SHA256_BYTES]);
/// Whether the object is there and whole.
bool ap__cache_has(const ap_cache *c);
/// Seal a compiled object and give it its name.
ap_status ap__cache_put(const ap_cache *c, const char *compiled, ap_error *error);

/// Remove the folders PART of compilations that were killed long ago, see AP_PART_SECONDS. What
/// cannot be removed stays: it only takes room.
void ap__cache_sweep(const ap_cache *c);

#endif
