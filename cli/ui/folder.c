// SPDX-License-Identifier: Apache-2.0
#include "ui/folder.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void forget(cli_folder *folder) {
  for (int k = 0; k < folder->files; k++) free(folder->file[k].name);
  free(folder->file);
  folder->file = NULL;
  folder->files = 0;
}

// Note a regular file; others, and what vanishes meanwhile, do not matter.
static bool note(cli_folder *folder, const char *name) {
  struct stat info;
  const size_t size = strlen(folder->path) + strlen(name) + 2;
  char *path = malloc(size);
  if (!path) return false;
  snprintf(path, size, "%s/%s", folder->path, name);
  const bool regular = stat(path, &info) == 0 && S_ISREG(info.st_mode);
  free(path);
  if (!regular || name[0] == '.') return true;
  char *copy = strdup(name);
  if (!copy) return false;
  folder->file[folder->files++] =
      (cli_file){.name = copy, .number = info.st_ino, .changed = info.st_mtim};
  return true;
}

static int look(cli_folder *folder) {
  struct dirent **entry;
  const int entries = scandir(folder->path, &entry, NULL, alphasort);
  if (entries < 0)
    return cli_fail(CLI_FAILED, folder->path, 0, "cannot be read: %s", strerror(errno));
  folder->file = malloc((size_t)(entries + 1) * sizeof *folder->file);
  bool fits = folder->file != NULL;
  for (int k = 0; k < entries; k++) {
    fits = fits && note(folder, entry[k]->d_name);
    free(entry[k]);
  }
  free(entry);
  return fits ? CLI_OK : cli_no_memory();
}

// Say why the folder could not be made: a missing folder above it is named.
static int fail_making(const char *path, int error) {
  char above[4096];
  size_t n = strlen(path);
  while (n > 1 && path[n - 1] == '/') n--;
  while (n > 0 && path[n - 1] != '/') n--;
  while (n > 1 && path[n - 1] == '/') n--;
  if (error != ENOENT || n == 0 || n >= sizeof above)
    return cli_fail(CLI_BAD, path, 0, "cannot be made: %s", strerror(error));
  memcpy(above, path, n);
  above[n] = 0;
  return cli_fail(CLI_BAD, path, 0, "cannot be made: there is no folder '%s' to make it in", above);
}

int cli_folder_open(cli_folder *folder) {
  struct stat info;
  if (mkdir(folder->path, 0777) != 0 && errno != EEXIST) return fail_making(folder->path, errno);
  if (stat(folder->path, &info) != 0 || !S_ISDIR(info.st_mode))
    return cli_fail(CLI_BAD, folder->path, 0, "is not a folder (the name of one is needed)");
  if (access(folder->path, R_OK | W_OK | X_OK) != 0)
    return cli_fail(CLI_BAD, folder->path, 0, "cannot be used: %s (a folder to read and write in)",
                    strerror(errno));
  return look(folder);
}

static bool is_same(const cli_file *a, const cli_file *b) {
  return strcmp(a->name, b->name) == 0 && a->number == b->number &&
         a->changed.tv_sec == b->changed.tv_sec && a->changed.tv_nsec == b->changed.tv_nsec;
}

static bool knows(const cli_folder *folder, const cli_file *file) {
  for (int k = 0; k < folder->files; k++)
    if (is_same(&folder->file[k], file)) return true;
  return false;
}

int cli_folder_news(cli_folder *folder, void (*visit)(void *context, const char *name),
                    void *context) {
  cli_folder now = {.path = folder->path};
  const int status = look(&now);
  for (int k = 0; status == CLI_OK && k < now.files; k++)
    if (!knows(folder, &now.file[k])) visit(context, now.file[k].name);
  forget(folder);
  *folder = now;
  return status;
}

void cli_folder_close(cli_folder *folder) { forget(folder); }
