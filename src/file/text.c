// SPDX-License-Identifier: Apache-2.0
// For O_TMPFILE, which gives a file without a name: then even SIGKILL leaves nothing behind.
#define _GNU_SOURCE
#include "file/text.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "file/number.h"

static bool reserve(ap__text *t, size_t more) {
  if (t->failed) return false;
  if (t->capacity - t->length > more) return true;
  size_t wanted = 2 * (t->length + more) + 256;
  char *larger = realloc(t->text, wanted);
  t->failed = !larger;
  if (!larger) return false;
  t->text = larger;
  t->capacity = wanted;
  return true;
}

void ap__text_bytes(ap__text *t, const char *bytes, size_t length) {
  if (!reserve(t, length)) return;
  memcpy(t->text + t->length, bytes, length);
  t->length += length;
  t->text[t->length] = 0;
}

void ap__text_add(ap__text *t, const char *format, ...) {
  va_list arguments, again;
  va_start(arguments, format);
  va_copy(again, arguments);
  int n = vsnprintf(NULL, 0, format, arguments);
  if (n >= 0 && reserve(t, (size_t)n)) {
    vsnprintf(t->text + t->length, (size_t)n + 1, format, again);
    t->length += (size_t)n;
  }
  va_end(again);
  va_end(arguments);
}

void ap__text_numbers(ap__text *t, const double *x, int n, const char *separator) {
  for (int i = 0; i < n; i++) {
    char number[32];
    int length = ap_format_shortest(x[i], number);
    if (i > 0) ap__text_bytes(t, separator, strlen(separator));
    ap__text_bytes(t, number, (size_t)length);
  }
}

void ap__text_free(ap__text *t) {
  free(t->text);
  *t = (ap__text){0};
}

// ---- to the disk -------------------------------------------------------------------------------

// All bytes, and on the disk; 0 or an errno.
static int write_all(int file, const char *text, size_t length) {
  while (length > 0) {
    ssize_t n = write(file, text, length);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return errno;
    text += n;
    length -= (size_t)n;
  }
  return fsync(file) == 0 || errno == EINVAL || errno == EROFS ? 0 : errno; // not every disk can
}

// The folder of path. The caller frees it; NULL: no memory.
static char *folder_of(const char *path) {
  const char *slash = strrchr(path, '/');
  size_t n = !slash ? 1 : slash == path ? 1 : (size_t)(slash - path);
  char *folder = malloc(n + 1);
  if (!folder) return NULL;
  memcpy(folder, slash ? path : ".", n);
  folder[n] = 0;
  return folder;
}

// The name that a link in path's place leads to, NULL where path is no link: *code is an errno
// where that could not be found out.
static char *linked_name(const char *path, int *code) {
  char to[4096];
  ssize_t n = readlink(path, to, sizeof to);
  *code = n == (ssize_t)sizeof to ? ENAMETOOLONG : 0;
  if (n < 0 || *code) return NULL; // it fails where there is nothing, or no link: not our problem
  const char *slash = to[0] == '/' ? NULL : strrchr(path, '/');
  size_t before = slash ? (size_t)(slash - path) + 1 : 0;
  char *name = malloc(before + (size_t)n + 1);
  *code = name ? 0 : ENOMEM;
  if (!name) return NULL;
  memcpy(name, path, before);
  memcpy(name + before, to, (size_t)n);
  name[before + (size_t)n] = 0;
  return name;
}

char *ap__follow_links(const char *path, int *code) {
  enum { LINKS = 40 }; // as many as Linux follows
  char *name = malloc(strlen(path) + 1);
  *code = name ? 0 : ENOMEM;
  if (!name) return NULL;
  memcpy(name, path, strlen(path) + 1);
  for (int k = 0; k < LINKS; k++) {
    char *next = linked_name(name, code);
    if (!next && *code == 0) return name;
    free(name);
    if (!next) return NULL;
    name = next;
  }
  free(name);
  *code = ELOOP;
  return NULL;
}

// A file on its way to its name.
typedef struct draft {
  const char *target;
  char *folder;    // the target's
  char *temporary; // its name meanwhile, where used
  size_t size;     // of temporary
  int file;
} draft;

// Make the draft appear under a name that nobody has, next to the target; 0 or an errno.
static int with_temporary(draft *d, int (*make)(draft *d)) {
  enum { TRIES = 1000 };
  int code = EEXIST;
  for (int k = 0; k < TRIES && code == EEXIST; k++) {
    snprintf(d->temporary, d->size, "%s/.appell-%ld-%d.part", d->folder, (long)getpid(), k);
    code = make(d);
  }
  return code;
}

static int create_named(draft *d) {
  d->file = open(d->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  return d->file < 0 ? errno : 0;
}

// Give a file without a name one that is free.
static int link_to(const draft *d, const char *name) {
  char path[64];
  snprintf(path, sizeof path, "/proc/self/fd/%d", d->file);
  return linkat(AT_FDCWD, path, AT_FDCWD, name, AT_SYMLINK_FOLLOW) == 0 ? 0 : errno;
}
static int link_temporary(draft *d) { return link_to(d, d->temporary); }

// A file without a name, of which even SIGKILL leaves nothing; false where the system has none, or
// no /proc through which it could get a name.
static bool create_nameless(draft *d) {
#ifdef O_TMPFILE
  d->file = open(d->folder, O_WRONLY | O_TMPFILE | O_CLOEXEC, 0666);
  if (d->file < 0) return false;
  char path[64];
  snprintf(path, sizeof path, "/proc/self/fd/%d", d->file);
  if (access(path, F_OK) == 0) return true;
  close(d->file);
#endif
  d->file = -1;
  return false;
}

static int publish(draft *d, bool nameless) {
  int code = nameless ? link_to(d, d->target) : EEXIST;
  if (code != EEXIST) return code;
  if (nameless) code = with_temporary(d, link_temporary);
  if (nameless && code) return code;
  code = rename(d->temporary, d->target) == 0 ? 0 : errno;
  if (code) unlink(d->temporary);
  return code;
}

static int write_draft(draft *d, const struct stat *old, const char *text, size_t length,
                       bool nameless) {
  // A file that is replaced keeps its permissions, but no right to run as its owner; not to be
  // allowed to is no reason to stop.
  if (old) (void)!fchmod(d->file, old->st_mode & 0777);
  int code = write_all(d->file, text, length);
  if (!nameless && code) unlink(d->temporary);
  if (!code) code = publish(d, nameless);
  if (close(d->file) != 0 && !code) code = errno;
  return code;
}

// Not every file system that has files without names can give them one: then by the other way.
static int write_whole(draft *d, const struct stat *old, const char *text, size_t length) {
  if (create_nameless(d) && write_draft(d, old, text, length, true) == 0) return 0;
  int code = with_temporary(d, create_named);
  return code ? code : write_draft(d, old, text, length, false);
}

static int write_target(const char *target, const struct stat *old, const char *text,
                        size_t length) {
  draft d = {.target = target, .folder = folder_of(target), .file = -1};
  int code = ENOMEM;
  if (d.folder) {
    d.size = strlen(d.folder) + 64;
    d.temporary = malloc(d.size);
  }
  if (d.temporary) code = write_whole(&d, old, text, length);
  free(d.temporary);
  free(d.folder);
  return code;
}

ap_status ap__write_file(const char *path, const char *text, size_t length, ap_error *error) {
  struct stat there;
  bool exists = stat(path, &there) == 0;
  if (exists && S_ISDIR(there.st_mode))
    return AP__REFUSE(error, AP_E_FILE, 0,
                      "cannot write: it is a folder (expected the name of a file)");
  if (exists && !S_ISREG(there.st_mode)) // a device would be replaced by a file
    return AP__REFUSE(error, AP_E_FILE, 0,
                      "cannot write: it is a pipe or a device (expected the name of a file)");
  // The folder may allow to replace it all the same, and root may do anything.
  if (exists && ((there.st_mode & 0222) == 0 || access(path, W_OK) != 0))
    return AP__REFUSE(error, AP_E_FILE, 0,
                      "cannot write: the file is read-only (make it writable, or write another "
                      "one)");
  int code;
  char *target = ap__follow_links(path, &code);
  if (target) code = write_target(target, exists ? &there : NULL, text, length);
  free(target);
  return code ? ap__refuse_file(error, "write the file", code) : AP_OK;
}

// ---- robots ------------------------------------------------------------------------------------

// What was composed must be readable: a name may have a character that the format cannot carry.
static ap_status check_readable(const ap__text *text, const char *format, ap_error *error) {
  ap_robot *again;
  ap_error own = {0};
  const ap_read_options options = {.ignore_loops = strcmp(format, "mjcf") == 0}; // no search there
  ap_status status = ap_robot_parse(text->text, text->length, format, &options, &again, &own);
  ap_robot_free(again);
  if (!status) return AP_OK;
  if (status == AP_E_MEMORY) return ap__no_memory(error);
  return AP__REFUSE(error, AP_E_UNSUPPORTED, 0, "%s cannot express this: %s", format, own.text);
}

static bool is_mjcf(const char *format) { return strcmp(format, "mjcf") == 0; }

static const char *format_to_write(const char *path, ap_error *error) {
  const char *format = ap__format_of_path(path);
  if (!format)
    (void)AP__REFUSE(
        error, AP_E_ARG, 0,
        "unknown format (the name of a robot file ends in .urdf, .yaml or, for MJCF, .xml)");
  return format;
}

// path: of the file, for the meshes that MJCF names.
static ap_status compose(const ap_robot *robot, const char *path, const char *format,
                         ap__text *text, ap_error *error) {
  ap_status status = is_mjcf(format) ? ap__mjcf_write(robot, path, text, NULL, NULL, error)
                     : strcmp(format, "urdf") == 0 ? ap__urdf_write(robot, text, error)
                                                   : ap__yaml_write(robot, text, error);
  if (!status && text->failed) status = ap__no_memory(error);
  return status ? status : check_readable(text, format, error);
}

ap_status ap_robot_text(const ap_robot *robot, const char *format, char **made, ap_error *error) {
  ap__text text = {0};
  *made = NULL;
  if (strcmp(format, "urdf") != 0 && !is_mjcf(format) && strcmp(format, "yaml") != 0)
    return AP__REFUSE(error, AP_E_ARG, 0,
                      "the format must be \"urdf\", \"mjcf\" or \"yaml\", not \"%.*s\"",
                      ap__shown(format), format);
  ap_status status = compose(robot, "", format, &text, error);
  if (status == AP_OK)
    *made = text.text;
  else
    ap__text_free(&text);
  return status;
}

ap_status ap_robot_write(const ap_robot *robot, const char *path, ap_error *error) {
  const char *format = format_to_write(path, error);
  if (!format) return AP_E_ARG;
  ap__text text = {0};
  ap_robot moved = *robot;
  ap_status status = is_mjcf(format) ? AP_OK : ap__move_meshes(robot, path, &moved, error);
  if (status) return status;
  status = compose(&moved, path, format, &text, error);
  if (!status) status = ap__write_file(path, text.text, text.length, error);
  if (!is_mjcf(format)) ap__free_moved(robot, &moved);
  ap__text_free(&text);
  return status;
}

// ---- what is lost ------------------------------------------------------------------------------

// Of the first body that has it.
static void tell_losses_of_urdf(const ap_robot *robot, ap__say say, void *context) {
  const char *stiction = NULL, *compensated = NULL;
  char text[256];
  for (int i = robot->nbody - 1; i >= 0; i--) {
    const ap_body_def *d = &robot->bodies[i];
    if (d->stiction != 0) stiction = ap__joint_name(d);
    if (d->gravity_compensation != 0) compensated = d->name;
  }
  if (stiction) {
    snprintf(text, sizeof text, "URDF has no static friction, as of joint \"%.*s\": left out",
             ap__shown(stiction), stiction);
    say(context, text);
  }
  if (compensated) {
    snprintf(text, sizeof text, "URDF has no gravity compensation, as of body \"%.*s\": left out",
             ap__shown(compensated), compensated);
    say(context, text);
  }
}

ap_status ap_robot_visit_losses(const ap_robot *robot, const char *path,
                                void (*say)(void *context, const char *text), void *context,
                                ap_error *error) {
  const char *format = format_to_write(path, error);
  if (!format) return AP_E_ARG;
  ap__text text = {0};
  if (strcmp(format, "urdf") == 0) tell_losses_of_urdf(robot, say, context);
  ap_status status =
      is_mjcf(format) ? ap__mjcf_write(robot, path, &text, say, context, error) : AP_OK;
  ap__text_free(&text);
  return status;
}
