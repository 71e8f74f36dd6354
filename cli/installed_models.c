// SPDX-License-Identifier: Apache-2.0
#include "installed_models.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PATH_BYTES = 2048 };

// The part of a name that may be one of the installed folder: behind the last "models/", or all of
// a name without a folder; NULL: none.
static const char *name_in_folder(const char *file) {
  static const char folder[] = "models/";
  const char *name = strchr(file, '/') ? NULL : file;
  for (const char *at = file; (at = strstr(at, folder)); at++)
    if (at == file || at[-1] == '/') name = at + strlen(folder);
  return name && name[0] ? name : NULL;
}

// The folder of the program that runs, without a slash at its end. Its name is a link on Linux.
static bool own_folder(char path[PATH_BYTES]) {
  const ssize_t n = readlink("/proc/self/exe", path, PATH_BYTES - 1);
  if (n <= 0 || n >= PATH_BYTES - 1) return false;
  path[n] = 0;
  char *slash = strrchr(path, '/');
  if (slash) *slash = 0;
  return slash != NULL;
}

// The installed file that may be meant.
static bool find(const char *file, char out[2 * PATH_BYTES]) {
  static const char *const form[][2] = {
      {"", ""}, {"", ".yaml"}, {"control/", ""}, {"control/", ".yaml"}};
  char folder[PATH_BYTES];
  const char *name = name_in_folder(file);
  if (!name || strlen(name) > PATH_BYTES / 2 || !own_folder(folder)) return false;
  for (size_t k = 0; k < sizeof form / sizeof form[0]; k++) {
    struct stat info;
    snprintf(out, 2 * PATH_BYTES, "%s/" CLI_MODELS "/%s%s%s", folder, form[k][0], name, form[k][1]);
    if (stat(out, &info) == 0 && S_ISREG(info.st_mode)) return true;
  }
  return false;
}

int cli_fail_absent(const char *file) {
  char there[2 * PATH_BYTES];
  if (find(file, there))
    return cli_fail(CLI_BAD, file, 0, "cannot be read: %s (it is installed as '%s')",
                    strerror(ENOENT), there);
  return cli_fail(CLI_BAD, file, 0, "cannot be read: %s", strerror(ENOENT));
}

int cli_fail_scenario(const char *file, const ap_error *error) {
  struct stat info;
  if (error->line == 0 && stat(file, &info) != 0 && errno == ENOENT) return cli_fail_absent(file);
  return cli_fail_input(file, error);
}
