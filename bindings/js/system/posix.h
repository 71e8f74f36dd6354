// SPDX-License-Identifier: Apache-2.0
// What POSIX has and wasi-libc lacks, for the modules that read and write files (system.c).
#ifndef AP_JS_POSIX_H
#define AP_JS_POSIX_H

char *realpath(const char *path, char *resolved);
int fchmod(int file, unsigned mode);
unsigned geteuid(void);

#endif
