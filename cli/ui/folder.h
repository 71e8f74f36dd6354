// SPDX-License-Identifier: Apache-2.0
/// @file folder.h
/// A folder that files are written to, and which of them are new.

#ifndef CLI_FOLDER_H
#define CLI_FOLDER_H

#include <time.h>

#include "ui/message.h"

/// A file as it was when the folder was looked at.
typedef struct cli_file {
  char *name;
  unsigned long long number; ///< of the file, not of its name
  struct timespec changed;
} cli_file;

/// A folder. Start with {.path = ...}.
typedef struct cli_folder {
  const char *path;
  cli_file *file;
  int files;
} cli_folder;

/// Make the folder where it is missing, and look at it; reports what is wrong and returns a status
/// other than CLI_OK. Close it in either case.
int cli_folder_open(cli_folder *folder);
/// Visit the files that are new or changed since it was looked at, by name, and look at it again.
/// CLI_OK, or CLI_FAILED after saying why.
int cli_folder_news(cli_folder *folder, void (*visit)(void *context, const char *name),
                    void *context);
void cli_folder_close(cli_folder *folder);

#endif
