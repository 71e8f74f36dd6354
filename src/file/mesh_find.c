// The file that a mesh's name means, as ROS resolves it.

#define _XOPEN_SOURCE 700 // for realpath()
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "file/robot.h"
#include "file/text.h"

// What is looked for, and where it was looked for.
typedef struct search {
  const char *package; // not closed by a zero
  size_t package_length;
  const char *rest;  // behind the package's name, without '/' before it
  bool package_seen; // a folder of the package is there, without the file
  ap__text seen;     // that folder
  ap__text path;     // the file, once found
  bool failed;       // no memory
} search;

static bool is_file(const char *path) {
  struct stat about;
  return stat(path, &about) == 0 && S_ISREG(about.st_mode);
}

static bool is_folder(const char *path) {
  struct stat about;
  return stat(path, &about) == 0 && S_ISDIR(about.st_mode);
}

static void set_path(search *s, ap__text *t, const char *folder, size_t length, bool package,
                     const char *rest) {
  t->length = 0;
  ap__text_bytes(t, folder, length);
  if (length && folder[length - 1] != '/') ap__text_bytes(t, "/", 1);
  if (package) {
    ap__text_bytes(t, s->package, s->package_length);
    ap__text_bytes(t, "/", 1);
  }
  ap__text_bytes(t, rest, strlen(rest));
  if (t->failed) s->failed = true;
}

// Is the file in this folder of the package (or with the package's name behind it)?
static bool try_folder(search *s, const char *folder, size_t length, bool package) {
  set_path(s, &s->path, folder, length, package, s->rest);
  if (s->failed) return false;
  if (is_file(s->path.text)) return true;
  if (s->package_seen) return false;
  set_path(s, &s->seen, folder, length, package, "");
  s->package_seen = !s->failed && is_folder(s->seen.text);
  return false;
}

// Does this folder's package.xml have the package's name? Its <name> is near the beginning.
static bool is_package(search *s, const char *folder, size_t length) {
  char text[4096];
  set_path(s, &s->path, folder, length, false, "package.xml");
  FILE *file = s->failed || !is_file(s->path.text) ? NULL : fopen(s->path.text, "rb");
  if (!file) return false;
  size_t n = fread(text, 1, sizeof text - 1, file);
  fclose(file);
  text[n] = 0;
  const char *name = strstr(text, "<name>");
  if (!name) return false;
  name += strlen("<name>");
  name += strspn(name, " \t\r\n");
  if (strncmp(name, s->package, s->package_length) != 0) return false;
  name += s->package_length;
  return strncmp(name + strspn(name, " \t\r\n"), "</name>", 7) == 0;
}

static bool has_name(const search *s, const char *folder, size_t length) {
  size_t n = s->package_length;
  while (length && folder[length - 1] == '/') length--;
  return length > n && folder[length - n - 1] == '/' &&
         memcmp(folder + length - n, s->package, n) == 0;
}

// The folder itself, a folder of the package's name in it, its package.xml.
static bool try_around(search *s, const char *folder, size_t length) {
  return (has_name(s, folder, length) && try_folder(s, folder, length, false)) ||
         try_folder(s, folder, length, true) ||
         (is_package(s, folder, length) && try_folder(s, folder, length, false));
}

static bool try_upwards(search *s, const char *folder) {
  for (size_t n = strlen(folder); n > 0 && !s->failed;) {
    if (try_around(s, folder, n)) return true;
    if (n == 1) break;
    while (n > 1 && folder[n - 1] != '/') n--;
    while (n > 1 && folder[n - 1] == '/') n--;
  }
  return false;
}

// The folders inside a folder: repositories hold several packages.
static bool try_inside(search *s, const char *folder, size_t length) {
  char *root = strndup(folder, length);
  DIR *dir = root ? opendir(root) : NULL;
  bool found = false;
  s->failed = s->failed || !root;
  for (struct dirent *entry; dir && !found && !s->failed && (entry = readdir(dir));) {
    if (entry->d_name[0] == '.') continue;
    ap__text inner = {0};
    set_path(s, &inner, folder, length, false, entry->d_name);
    found = !s->failed && try_around(s, inner.text, inner.length);
    ap__text_free(&inner);
  }
  if (dir) closedir(dir);
  free(root);
  return found;
}

// The folders of a variable of the environment; `below` stands between them and the package.
static bool try_variable(search *s, const char *variable, const char *below, bool deep) {
  const char *at = getenv(variable);
  for (; at && *at && !s->failed; at += strspn(at, ":")) {
    size_t n = strcspn(at, ":");
    ap__text folder = {0};
    set_path(s, &folder, at, n, false, below);
    bool found = !s->failed && (try_around(s, folder.text, folder.length) ||
                                (deep && try_inside(s, folder.text, folder.length)));
    ap__text_free(&folder);
    if (found) return true;
    at += n;
  }
  return false;
}

static ap_status refuse_package(const search *s, ap_error *error, bool model) {
  int n = s->package_length < 64 ? (int)s->package_length : 64;
  if (s->package_seen)
    return AP__REFUSE(error, AP_E_NOT_FOUND, 0, "package \"%.*s\" has no \"%.*s\" (looked in %.*s)",
                      n, s->package, ap__shown(s->rest), s->rest, ap__shown(s->seen.text),
                      s->seen.text);
  return AP__REFUSE(error, AP_E_NOT_FOUND, 0,
                    "package \"%.*s\" not found in the folders above the file, nor in "
                    "ROS_PACKAGE_PATH%s (add its parent folder there)",
                    n, s->package, model ? ", GAZEBO_MODEL_PATH" : ", AMENT_PREFIX_PATH");
}

static ap_status find_in_packages(search *s, const char *folder, bool model, ap_error *error) {
  bool found = try_upwards(s, folder) || try_variable(s, "ROS_PACKAGE_PATH", "", true) ||
               try_variable(s, "AMENT_PREFIX_PATH", "share", false) ||
               (model && try_variable(s, "GAZEBO_MODEL_PATH", "", false));
  if (s->failed) return ap__no_memory(error);
  return found ? AP_OK : refuse_package(s, error, model);
}

// The package and the rest of a name; false where it has none.
static bool split(search *s, const char *name, bool *model) {
  static const char *const scheme[] = {"package://", "model://", "$(find "};
  for (size_t i = 0; i < sizeof scheme / sizeof scheme[0]; i++) {
    size_t n = strlen(scheme[i]);
    if (strncmp(name, scheme[i], n) != 0) continue;
    s->package = name + n;
    s->package_length = strcspn(s->package, i == 2 ? ")" : "/");
    s->rest = s->package + s->package_length;
    s->rest += strspn(s->rest, i == 2 ? ")/" : "/");
    *model = i == 1;
    return s->package_length > 0;
  }
  return false;
}

static ap_status find_path(search *s, const char *name, const char *folder, ap_error *error) {
  if (strncmp(name, "file://", 7) == 0) name += 7;
  if (strstr(name, "://"))
    return AP__REFUSE(error, AP_E_UNSUPPORTED, 0,
                      "\"%.*s\" points into the network (a path, package:// or file://)",
                      ap__shown(name), name);
  set_path(s, &s->path, folder, name[0] == '/' ? 0 : strlen(folder), false, name);
  if (s->failed) return ap__no_memory(error);
  if (is_file(s->path.text)) return AP_OK;
  return AP__REFUSE(error, AP_E_NOT_FOUND, 0, "there is no file \"%.*s\"", ap__shown(s->path.text),
                    s->path.text);
}

// The folder of a file, with nothing relative in it; NULL: no memory, or no such folder.
static char *folder_of(const char *file) {
  const char *end = file ? strrchr(file, '/') : NULL;
  char *own = !end ? strdup(".") : strndup(file, end == file ? 1 : (size_t)(end - file));
  char *whole = own ? realpath(own, NULL) : NULL;
  if (whole || errno == ENOMEM) {
    free(own);
    return whole;
  }
  return own;
}

ap_status ap_mesh_find(const char *name, const char *robot_file, char **path, ap_error *error) {
  search s = {0};
  bool model = false;
  *path = NULL;
  errno = 0;
  char *folder = folder_of(robot_file);
  ap_status status = !folder                   ? ap__no_memory(error)
                     : split(&s, name, &model) ? find_in_packages(&s, folder, model, error)
                                               : find_path(&s, name, folder, error);
  free(folder);
  ap__text_free(&s.seen);
  if (status)
    ap__text_free(&s.path);
  else
    *path = s.path.text; // the text's memory is the caller's now
  return status;
}
