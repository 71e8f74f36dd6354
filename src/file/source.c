// SPDX-License-Identifier: Apache-2.0
#define _XOPEN_SOURCE 700 // for realpath()
#include "file/source.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "file/folders.h"
#include "file/tree.h"

// The first length bytes of path, with a slash at their end.
static ap_status set_folder(ap__source *s, const char *path, size_t length, ap_error *error) {
  char *folder = ap__pool_bytes(&s->pool, length + 2, 1);
  if (!folder) return ap__no_memory(error);
  bool slash = length > 0 && path[length - 1] != '/';
  snprintf(folder, length + 2, "%.*s%s", (int)length, path, slash ? "/" : "");
  s->folder = folder;
  return AP_OK;
}

ap_status ap__source_copy(ap__source *s, const char *text, size_t length, const char *folder,
                          const char *within, ap_error *error) {
  if (length > AP__MAX_BYTES)
    return AP__REFUSE(error, AP_E_FILE, 0, "the text has more than %d MiB (a scenario is smaller)",
                      AP__MAX_BYTES >> 20);
  s->length = length;
  s->text = malloc(length + 1);
  if (!s->text) return ap__no_memory(error);
  memcpy(s->text, text, length);
  s->text[length] = 0;
  s->within = within ? ap__pool_text(&s->pool, within, strlen(within)) : NULL;
  if (within && !s->within) return ap__no_memory(error);
  return set_folder(s, folder ? folder : "", folder ? strlen(folder) : 0, error);
}

ap_status ap__source_read(ap__source *s, const char *path, ap_error *error) {
  const char *slash = strrchr(path, '/');
  ap_status status = set_folder(s, path, slash ? (size_t)(slash - path) + 1 : 0, error);
  return status ? status : ap__read_file(path, &s->text, &s->length, error);
}

// The real path of a file below `within`, which is what is opened then.
static ap_status confine(ap__source *s, const char **path, ap_error *error) {
  bool failed = false;
  char real[PATH_MAX];
  if (!realpath(*path, real)) return ap__refuse_file(error, "open the file", errno);
  const bool below = ap__is_below(real, s->within, &failed) && !ap__holds_home(s->within, &failed);
  if (!below && !failed)
    return AP__REFUSE(error, AP_E_UNSUPPORTED, 0, "the file is not below the log's folder");
  const char *kept = ap__pool_text(&s->pool, real, strlen(real));
  if (failed || !kept) return ap__no_memory(error);
  *path = kept;
  return AP_OK;
}

ap_status ap__source_path(ap__source *s, const char *name, const char **path, ap_error *error) {
  const char *folder = name[0] == '/' ? "" : s->folder;
  const size_t size = strlen(folder) + strlen(name) + 1;
  char *whole = ap__pool_bytes(&s->pool, size, 1);
  if (!whole) return ap__no_memory(error);
  snprintf(whole, size, "%s%s", folder, name);
  *path = whole;
  const ap_status status = s->within ? confine(s, path, error) : AP_OK;
  if (status == AP_OK && ap__is_special(*path))
    return AP__REFUSE(error, AP_E_FILE, 0, "a pipe or a device, not a regular file");
  return status;
}

void ap__source_free(ap__source *s) {
  free(s->text);
  ap__pool_free(&s->pool);
}
