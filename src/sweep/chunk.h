// SPDX-License-Identifier: Apache-2.0
// The folder of a sweep: what it is of, who computes which chunks, and the chunks.
//
//   sweep.txt     version of the program, family of bits, digest of the study, trials, chunk
//   study.yaml    the study
//   lock          byte c is locked by the program that computes chunk c
//   chunk-C.bin   a chunk, which appears when it is complete

#ifndef AP_SWEEP_CHUNK_H
#define AP_SWEEP_CHUNK_H

#include "sweep/study.h"

// "fused" or "plain": whether kernels fuse products and sums on this machine.
const char *ap__sweep_family(void);

// Make the folder where it is missing; refuse one of another study, version or family. *lock is a
// descriptor that holds the lock of chunks first .. last - 1 until it is closed; -1 on failure.
ap_status ap__folder_claim(const ap_sweep *s, const char *folder, uint64_t first, uint64_t last,
                           int *lock, ap_error *error);
// What sweep.txt of a folder says. digest is in hexadecimal.
typedef struct ap__folder_about {
  char version[32], family[16], digest[2 * AP_SHA256_BYTES + 1];
  unsigned long long trials, chunk;
} ap__folder_about;
ap_status ap__folder_read(const char *folder, ap__folder_about *about, ap_error *error);
// The study of a folder, its text alone, with the digest of sweep.txt. *file is where it was read
// of, NULL where nobody knows; it belongs to the study.
ap_status ap__folder_study(const char *folder, ap_sweep **sweep, const char **file,
                           ap_error *error);
// FOLDER/NAME, to be freed; NULL: no memory.
char *ap__folder_path(const char *folder, const char *name);
// How many chunks a folder has, by their names.
uint64_t ap__folder_count(const char *folder);

// Whether chunk c is there with the header of this study.
bool ap__chunk_exists(const ap_sweep *s, const char *folder, uint64_t c);
// A chunk in memory as in its file: bytes that any of a study needs, and where its statuses and its
// outcomes, row by row, stand in them.
size_t ap__chunk_size(const ap_sweep *s);
unsigned char *ap__chunk_status(void *image);
double *ap__chunk_outcome(const ap_sweep *s, uint64_t c, void *image);
// Write such a chunk, once all of it is set.
ap_status ap__chunk_write(const ap_sweep *s, const char *folder, uint64_t c, void *image,
                          ap_error *error);
// Read chunk c: outcomes row by row, and statuses. AP_E_FILE where it is missing, damaged, or of
// another study, version or family.
ap_status ap__chunk_read(const ap_sweep *s, const char *folder, uint64_t c, double *outcome,
                         unsigned char *status, ap_error *error);

#endif
