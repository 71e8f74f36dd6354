// SPDX-License-Identifier: Apache-2.0
#include "sweep/chunk.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/isa.h"
#include "file/text.h"

// What stands before the statuses and outcomes of a chunk; a sum of all of it stands behind them.
// Whole numbers and doubles are those of the machine, which the magic tells.
typedef struct header {
  uint64_t magic;
  uint64_t first, trials;
  uint64_t outcomes;
  char version[32], family[16];
  unsigned char digest[AP_SHA256_BYTES];
} header;

#define MAGIC 0x3250454557535041u // "APSWEEP2" where the low byte comes first

const char *ap__sweep_family(void) {
#if defined __FMA__ || defined __FP_FAST_FMA || (defined __aarch64__ && defined __ARM_FEATURE_FMA)
  return "fused";
#else
  return runs_v3() || runs_v4() ? "fused" : "plain";
#endif
}

static char *chunk_path(const char *folder, uint64_t c) {
  char name[40];
  snprintf(name, sizeof name, "chunk-%06llu.bin", (unsigned long long)c);
  return ap__folder_path(folder, name);
}

static header header_of(const ap_sweep *s, uint64_t c) {
  header h = {.magic = MAGIC,
              .first = c * (uint64_t)s->chunk,
              .trials = (uint64_t)ap__chunk_trials(s, c),
              .outcomes = (uint64_t)s->outcomes};
  snprintf(h.version, sizeof h.version, "%s", ap_version());
  snprintf(h.family, sizeof h.family, "%s", ap__sweep_family());
  memcpy(h.digest, s->digest, sizeof h.digest);
  return h;
}

static size_t padded(size_t n) { return (n + 7) / 8 * 8; }

static size_t bytes_of(const ap_sweep *s, uint64_t c) {
  const size_t n = (size_t)ap__chunk_trials(s, c);
  return sizeof(header) + padded(n) + n * (size_t)s->outcomes * sizeof(double) + sizeof(uint64_t);
}

static inline uint64_t mixed(uint64_t sum, uint64_t word) {
  sum = (sum ^ word) * 0x9e3779b97f4a7c15u;
  return sum ^ sum >> 29;
}

// Of whole words; every bit of a word moves many of the sum. Eight sums side by side, because each
// word has to wait for the one before.
static uint64_t sum_of(const char *bytes, size_t n) {
  enum { SUMS = 8, WORD = sizeof(uint64_t) };
  uint64_t sum[SUMS], word;
  for (int k = 0; k < SUMS; k++) sum[k] = 0x6a09e667f3bcc908u + (uint64_t)k;
  size_t at = 0;
  for (; at + (size_t)(SUMS * WORD) <= n; at += (size_t)(SUMS * WORD))
    for (int k = 0; k < SUMS; k++) {
      memcpy(&word, bytes + at + (size_t)(k * WORD), WORD);
      sum[k] = mixed(sum[k], word);
    }
  for (; at + WORD <= n; at += WORD) {
    memcpy(&word, bytes + at, WORD);
    sum[0] = mixed(sum[0], word);
  }
  for (int k = 1; k < SUMS; k++) sum[0] = mixed(sum[0], sum[k]);
  return sum[0];
}

// Nobody waits for the writer of a pipe.
enum { HOW = O_RDONLY | O_CLOEXEC | O_NONBLOCK };

bool ap__chunk_exists(const ap_sweep *s, const char *folder, uint64_t c) {
  const header wanted = header_of(s, c);
  header found;
  struct stat info;
  char *path = chunk_path(folder, c);
  const int file = path ? open(path, HOW) : -1;
  free(path);
  if (file < 0) return false;
  const bool good = read(file, &found, sizeof found) == sizeof found &&
                    memcmp(&found, &wanted, sizeof found) == 0 && fstat(file, &info) == 0 &&
                    (size_t)info.st_size == bytes_of(s, c);
  close(file);
  return good;
}

size_t ap__chunk_size(const ap_sweep *s) { return bytes_of(s, 0); }

unsigned char *ap__chunk_status(void *image) { return (unsigned char *)image + sizeof(header); }

double *ap__chunk_outcome(const ap_sweep *s, uint64_t c, void *image) {
  void *at = ap__chunk_status(image) + padded((size_t)ap__chunk_trials(s, c));
  return at;
}

ap_status ap__chunk_write(const ap_sweep *s, const char *folder, uint64_t c, void *image,
                          ap_error *error) {
  const size_t bytes = bytes_of(s, c), n = (size_t)ap__chunk_trials(s, c);
  const header h = header_of(s, c);
  char *path = chunk_path(folder, c), *text = image;
  if (!path) return ap__no_memory(error);
  memcpy(text, &h, sizeof h);
  memset(text + sizeof h + n, 0, padded(n) - n);
  const uint64_t sum = sum_of(text, bytes - sizeof sum);
  memcpy(text + bytes - sizeof sum, &sum, sizeof sum);
  const ap_status result = ap__write_file(path, text, bytes, error);
  free(path);
  return result;
}

// What is wrong with a chunk; NULL: nothing.
static const char *fault_of(const ap_sweep *s, uint64_t c, const char *text, size_t length) {
  header h;
  uint64_t sum;
  const header wanted = header_of(s, c);
  if (length < sizeof h) return "is cut off";
  memcpy(&h, text, sizeof h);
  if (h.magic != MAGIC) return "is no chunk of a sweep, or of another version or byte order";
  if (memcmp(h.version, wanted.version, sizeof h.version) != 0)
    return "is of another version of the program";
  if (memcmp(h.family, wanted.family, sizeof h.family) != 0)
    return "is of another family of bits (a machine without fused products, or with)";
  if (memcmp(h.digest, wanted.digest, sizeof h.digest) != 0) return "is of another study";
  if (memcmp(&h, &wanted, sizeof h) != 0) return "is of other trials";
  if (length != bytes_of(s, c)) return length < bytes_of(s, c) ? "is cut off" : "is too long";
  memcpy(&sum, text + length - sizeof sum, sizeof sum);
  return sum == sum_of(text, length - sizeof sum) ? NULL : "is damaged";
}

ap_status ap__chunk_read(const ap_sweep *s, const char *folder, uint64_t c, double *outcome,
                         unsigned char *status, ap_error *error) {
  char *path = chunk_path(folder, c), *text = NULL;
  size_t length = 0;
  const size_t n = (size_t)ap__chunk_trials(s, c);
  if (!path) return ap__no_memory(error);
  ap_status result = AP_OK;
  const int file = open(path, HOW);
  length = bytes_of(s, c);
  text = malloc(length + 1);
  if (!text) result = ap__no_memory(error);
  const char *fault = file < 0 ? "is missing" : NULL;
  size_t done = 0;
  while (text && file >= 0 && done <= length) {
    const ssize_t got = read(file, text + done, length + 1 - done);
    if (got <= 0) break;
    done += (size_t)got;
  }
  if (text && file >= 0) fault = fault_of(s, c, text, done);
  if (file >= 0) close(file);
  if (text && fault)
    result =
        AP__REFUSE(error, AP_E_FILE, 0, "chunk-%06llu.bin, trials %llu to %llu, %s%s",
                   (unsigned long long)c, (unsigned long long)c * (unsigned long long)s->chunk,
                   (unsigned long long)c * (unsigned long long)s->chunk + n - 1, fault,
                   file < 0 ? " (run the sweep again)" : " (remove it and run the sweep again)");
  if (result == AP_OK) {
    memcpy(status, text + sizeof(header), n);
    memcpy(outcome, text + sizeof(header) + padded(n), n * (size_t)s->outcomes * sizeof *outcome);
  }
  free(text);
  free(path);
  return result;
}
