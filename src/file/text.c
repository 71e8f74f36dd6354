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
    int length = ap__format_short(x[i], number);
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

static int write_part(const char *part, const char *path, const char *text, size_t length) {
  int file = open(part, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (file < 0) return errno;
  int code = write_all(file, text, length);
  if (close(file) != 0 && !code) code = errno;
  if (!code && rename(part, path) != 0) code = errno;
  if (code) unlink(part);
  return code;
}

ap_status ap__write_file(const char *path, const char *text, size_t length, ap_error *error) {
  struct stat there;
  if (stat(path, &there) == 0 && !S_ISREG(there.st_mode)) // a device would be replaced by a file
    return AP__REFUSE(error, AP_E_FILE, 0, "cannot write: it exists and is no ordinary file");
  size_t size = strlen(path) + sizeof ".part";
  char *part = malloc(size);
  if (!part) return ap__no_memory(error);
  snprintf(part, size, "%s.part", path);
  int code = write_part(part, path, text, length);
  free(part);
  return code ? ap__refuse_file(error, "write the file", code) : AP_OK;
}

// ---- robots ------------------------------------------------------------------------------------

// What was composed must be readable: a name may have a character that the format cannot carry.
static ap_status check_readable(const ap__text *text, const char *format, ap_error *error) {
  ap_robot *again;
  ap_error own = {0};
  ap_status status = ap_robot_parse(text->text, text->length, format, NULL, &again, &own);
  ap_robot_free(again);
  if (!status) return AP_OK;
  if (status == AP_E_MEMORY) return ap__no_memory(error);
  return AP__REFUSE(error, AP_E_UNSUPPORTED, 0, "%s cannot say this: %s", format, own.text);
}

ap_status ap_robot_write(const ap_robot *robot, const char *path, ap_error *error) {
  const char *format = ap__format_of_path(path);
  if (!format)
    return AP__REFUSE(error, AP_E_ARG, 0,
                      "the name does not tell the format (a robot file ends in .urdf or .yaml)");
  ap__text text = {0};
  ap_status status = strcmp(format, "urdf") == 0 ? ap__urdf_write(robot, &text, error)
                                                 : ap__yaml_write(robot, &text, error);
  if (!status && text.failed) status = ap__no_memory(error);
  if (!status) status = check_readable(&text, format, error);
  if (!status) status = ap__write_file(path, text.text, text.length, error);
  ap__text_free(&text);
  return status;
}
