// SPDX-License-Identifier: Apache-2.0
// The file that a mesh's name means, as ROS resolves it.

#define _XOPEN_SOURCE 700 // for realpath()
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "file/folders.h"
#include "file/robot.h"
#include "file/text.h"

// What makes a folder the one of a package.
typedef enum found_by { ABOVE, BESIDE, MANIFEST, VARIABLE } found_by;

// What is looked for, and where it was looked for.
typedef struct search {
  const char *package; // not closed by a zero
  size_t package_length;
  const char *rest;                        // behind the package's name, without '/' before it
  bool package_seen;                       // a folder of the package is there, without the file
  ap__text seen;                           // that folder
  ap__text path;                           // the file, once found
  ap__text root;                           // and the folder of the package that has it
  found_by by;                             // why it is one
  bool by_variable;                        // the environment is being looked through
  bool guarded;                            // a file counts only where it may go into a report
  const char *folder, *meshes;             // the robot file's; the one allowed, see robot.h
  const char *(*format)(const char *name); // NULL of a file that is of no use, by its name
  ap__text refused;                        // the first file that may not
  ap__text scratch;
  bool failed; // no memory
} search;

static bool is_permitted(search *s);

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
static bool try_folder(search *s, const char *folder, size_t length, bool package, found_by by) {
  set_path(s, &s->path, folder, length, package, s->rest);
  if (s->failed) return false;
  if (is_file(s->path.text)) {
    set_path(s, &s->root, folder, length, package, "");
    s->by = s->by_variable ? VARIABLE : by;
    if (!s->guarded || is_permitted(s)) return !s->failed;
    if (!s->refused.text) set_path(s, &s->refused, "", 0, false, s->path.text);
    return false;
  }
  if (s->package_seen) return false;
  set_path(s, &s->seen, folder, length, package, "");
  s->package_seen = !s->failed && is_folder(s->seen.text);
  return false;
}

// Does this folder's package.xml have the package's name? Its <name> is near the beginning.
static bool is_package(search *s, const char *folder, size_t length) {
  char text[4096];
  set_path(s, &s->scratch, folder, length, false, "package.xml");
  FILE *file = s->failed || !is_file(s->scratch.text) ? NULL : fopen(s->scratch.text, "rb");
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
  return (has_name(s, folder, length) && try_folder(s, folder, length, false, ABOVE)) ||
         try_folder(s, folder, length, true, BESIDE) ||
         (is_package(s, folder, length) && try_folder(s, folder, length, false, MANIFEST));
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
  bool found = try_upwards(s, folder);
  s->by_variable = !found;
  found = found || try_variable(s, "ROS_PACKAGE_PATH", "", true) ||
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

// The folder of the robot file goes to *folder, to be freed by the caller.
static ap_status find(search *s, const char *name, const char *robot_file, char **folder,
                      ap_error *error) {
  bool model = false;
  errno = 0;
  s->folder = *folder = folder_of(robot_file);
  return !*folder                 ? ap__no_memory(error)
         : split(s, name, &model) ? find_in_packages(s, *folder, model, error)
                                  : find_path(s, name, *folder, error);
}

ap_status ap_mesh_find(const char *name, const char *robot_file, char **path, ap_error *error) {
  search s = {0};
  char *folder;
  ap_status status = find(&s, name, robot_file, &folder, error);
  free(folder);
  ap__text_free(&s.seen);
  ap__text_free(&s.root);
  ap__text_free(&s.scratch);
  if (status) ap__text_free(&s.path);
  *path = status ? NULL : s.path.text; // the text's memory is the caller's now
  return status;
}

// ---- what may go into a report -----------------------------------------------------------------

// A robot file of a stranger must not make a report carry the files of who makes it. So a mesh has
// to lie, behind all links, below the folder that belongs with the robot file.

// Is this folder the root of a package, a model or (where that counts) a repository? The home
// folder, and what holds it, is none.
static bool is_root(search *s, const char *folder, size_t length, bool repository) {
  static const char *const marks[] = {"package.xml", "model.config", ".git"};
  bool marked = false;
  for (int k = 0; k < (repository ? 3 : 2) && !marked; k++) {
    struct stat about;
    set_path(s, &s->scratch, folder, length, false, marks[k]);
    marked = !s->failed && stat(s->scratch.text, &about) == 0;
  }
  if (!marked) return false;
  set_path(s, &s->scratch, folder, length, false, "");
  return !s->failed && !ap__holds_home(s->scratch.text, &s->failed);
}

// The folder that belongs with a robot file: the nearest one upwards that is such a root; else the
// robot file's own. Its length.
static size_t root_of(search *s, const char *folder) {
  for (size_t n = strlen(folder); n > 1 && !s->failed;) {
    if (is_root(s, folder, n, true)) return n;
    while (n > 1 && folder[n - 1] != '/') n--;
    while (n > 1 && folder[n - 1] == '/') n--;
  }
  return strlen(folder);
}

// May the file of this real path be read for this robot?
static bool is_allowed(search *s, const char *real) {
  if (s->meshes && *s->meshes && ap__is_below(real, s->meshes, &s->failed)) return true;
  set_path(s, &s->scratch, s->folder, root_of(s, s->folder), false, "");
  if (s->failed) return false;
  if (ap__is_below(real, s->scratch.text, &s->failed)) return true;
  if (!s->package_length) return false;
  // Folders of the environment are the user's own, with the links in them.
  if (s->by == VARIABLE) return !strstr(s->package, "..");
  return is_root(s, s->root.text, s->root.length, false) &&
         ap__is_below(real, s->root.text, &s->failed);
}

static bool is_permitted(search *s) {
  char *real = realpath(s->path.text, NULL);
  const bool good = real && s->format(real) && is_allowed(s, real);
  free(real);
  return good;
}

static bool same_file(int file, const char *path) {
  struct stat open, named;
  return fstat(file, &open) == 0 && S_ISREG(open.st_mode) && stat(path, &named) == 0 &&
         open.st_dev == named.st_dev && open.st_ino == named.st_ino;
}

static const char *xml_format(const char *name) {
  const char *format = ap__format_of_path(name);
  return format && strcmp(format, "yaml") != 0 ? format : NULL;
}

static ap_status refuse(const search *s, const char *name, const char *path, ap_error *error) {
  if (s->failed) return ap__no_memory(error);
  char *real = realpath(path, NULL);
  const char *shown = real ? real : name;
  const ap_status status = AP__REFUSE(
      error, AP_E_UNSUPPORTED, 0,
      "\"%.*s\" leads to %.*s, which is no %s file below the robot's folder or package%s",
      ap__shown(name), name, ap__shown(shown), shown, s->format == xml_format ? "XML" : "mesh",
      s->format != xml_format && s->meshes ? " (--meshes DIR allows another folder)" : "");
  free(real);
  return status;
}

// Open first, then look where that file lies: its name may be given to another meanwhile.
static ap_status open_allowed(search *s, const char *name, int *file, ap_error *error) {
  *file = open(s->path.text, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  if (*file < 0) return ap__refuse_file(error, "open the file", errno);
  char *real = realpath(s->path.text, NULL);
  const bool good =
      real && same_file(*file, real) && s->format(real) && is_allowed(s, real) && !s->failed;
  free(real);
  if (good) return AP_OK;
  close(*file);
  *file = -1;
  return refuse(s, name, s->path.text, error);
}

const char *ap__mesh_format(const char *name) {
  static const char *const known[] = {"stl", "obj", "dae", "msh"};
  const char *dot = strrchr(name, '.');
  for (int k = 0; dot && k < 4; k++) {
    size_t i = 0;
    while (i < 3 && (dot[i + 1] | 0x20) == known[k][i]) i++;
    if (i == 3 && dot[4] == 0) return known[k];
  }
  return NULL;
}

static ap_status open_guarded(search *s, const char *name, const char *robot_file, int *file,
                              ap_error *error) {
  char *folder;
  *file = -1;
  ap_status status = find(s, name, robot_file, &folder, error);
  if (status && s->refused.text)
    status = refuse(s, name, s->refused.text, error);
  else if (!status)
    status = open_allowed(s, name, file, error);
  free(folder);
  ap__text_free(&s->seen);
  ap__text_free(&s->root);
  ap__text_free(&s->refused);
  ap__text_free(&s->scratch);
  ap__text_free(&s->path);
  return status;
}

ap_status ap__mesh_open(const char *name, const char *robot_file, const char *meshes, int *file,
                        ap_error *error) {
  search s = {.guarded = true, .meshes = meshes, .format = ap__mesh_format};
  return open_guarded(&s, name, robot_file, file, error);
}

ap_status ap__include_open(const char *name, const char *robot_file, int *file, ap_error *error) {
  search s = {.guarded = true, .format = xml_format};
  return open_guarded(&s, name, robot_file, file, error);
}
