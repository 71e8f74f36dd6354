// SPDX-License-Identifier: Apache-2.0
// Any bytes as a file, for readers that take a path.

#ifndef AP_FUZZ_FILE_H
#define AP_FUZZ_FILE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

// Promises that hold for every input.
static inline void fuzz_expect(bool holds) {
  if (!holds) abort();
}

enum { FUZZ_PATH = 64 };

// Writes the bytes to a file of that ending, always the same one, in memory where the system has a
// folder for that; path gets its name.
static inline const char *fuzz_file(const uint8_t *data, size_t size, const char *ending,
                                    char path[FUZZ_PATH]) {
  snprintf(path, FUZZ_PATH, "%s/appell-fuzz-%ld%s",
           access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp", (long)getpid(), ending);
  FILE *file = fopen(path, "wb");
  fuzz_expect(file && fwrite(data, 1, size, file) == size);
  fuzz_expect(fclose(file) == 0);
  return path;
}

#endif
