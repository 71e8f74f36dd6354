// SPDX-License-Identifier: Apache-2.0
// All chunks of a folder in one HDF5 file. Nothing in it depends on when and by whom it was made.

#include "sweep/merge.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "file/log.h"
#include "sweep/chunk.h"

ap_status ap__merge_check(const ap_sweep *s, const char *folder, ap_error *error) {
  uint64_t missing = 0, first = 0;
  for (uint64_t c = 0; c < s->chunks; c++)
    if (!ap__chunk_exists(s, folder, c) && missing++ == 0) first = c;
  if (missing == 0) return AP_OK;
  double *outcome = malloc((size_t)s->chunk * (size_t)s->outcomes * sizeof *outcome);
  unsigned char *status = malloc((size_t)s->chunk);
  ap_error own = {0};
  own.status = outcome && status ? ap__chunk_read(s, folder, first, outcome, status, &own)
                                 : ap__no_memory(&own);
  free(outcome);
  free(status);
  return AP__REFUSE(error, own.status ? own.status : AP_E_FILE, 0,
                    "%llu of %llu chunks are not there: %s", (unsigned long long)missing,
                    (unsigned long long)s->chunks, own.text);
}

#ifndef AP_HAVE_HDF5

// The error of a file says which.
static void name_file(const char *path, ap_error *error) {
  if (!error) return;
  const ap_error why = *error;
  ap__fail(error, why.status, 0, "%.*s: %s", ap__shown(path), path, why.text);
}

ap_status ap_sweep_merge(const char *folder, const char *path, ap_error *error) {
  (void)folder, (void)path;
  return AP__REFUSE(error, AP_E_UNSUPPORTED, 0,
                    "built without HDF5: install it (libhdf5-dev on Debian) and build again");
}

#else

#include "file/log_h5.h"

enum { PARAMETERS, OUTCOMES, STATUS, SETS };

enum { MOST_ROWS = 1 << 14 }; // of a chunk in the file

typedef struct writer {
  const ap_sweep *sweep;
  hid_t file, set[SETS];
  double *value, *outcome; // of a chunk
  unsigned char *status;
  bool bad_chunk; // one could not be read
} writer;

// A list that makes objects without times, which would differ from run to run.
static hid_t timeless(hid_t class) {
  hid_t list = H5Pcreate(class);
  if (list >= 0 && H5Pset_obj_track_times(list, false) < 0) H5Pclose(list), list = -1;
  return list;
}

static hid_t add_set(const writer *w, const char *name, hid_t type, int columns) {
  const hsize_t n = w->sweep->design.trials, most = MOST_ROWS;
  const hsize_t size[2] = {n, (hsize_t)columns}, chunk[2] = {n < most ? n : most, (hsize_t)columns};
  const int rank = columns > 0 ? 2 : 1;
  hid_t list = timeless(H5P_DATASET_CREATE), space = H5Screate_simple(rank, size, NULL), set = -1;
  // rows in pieces, so that no write is larger than a chunk and gaps cost nothing
  if (list >= 0 && space >= 0 && H5Pset_chunk(list, rank, chunk) >= 0 &&
      H5Pset_attr_phase_change(list, 0, 0) >= 0)
    set = H5Dcreate2(w->file, name, type, space, H5P_DEFAULT, list, H5P_DEFAULT);
  ap__h5_close(space, H5Sclose);
  ap__h5_close(list, H5Pclose);
  return set;
}

static bool add_names(const writer *w, hid_t set, bool outcomes) {
  const ap_sweep *s = w->sweep;
  const int n = outcomes ? s->outcomes : s->design.n;
  const char **name = malloc((size_t)n * sizeof *name);
  if (!name) return false;
  for (int k = 0; k < n; k++) name[k] = outcomes ? s->outcome[k].name : s->parameter[k].name;
  const bool good = ap__h5_add_texts(set, "names", name, n);
  free(name);
  return good;
}

static bool describe(const writer *w) {
  const ap_sweep *s = w->sweep;
  char program[48], digest[2 * AP_SHA256_BYTES + 1];
  snprintf(program, sizeof program, "appell %s", ap_version());
  for (int k = 0; k < AP_SHA256_BYTES; k++)
    snprintf(digest + 2 * (size_t)k, 3, "%02x", s->digest[k]);
  const char *const text[] = {program, ap__sweep_family(), s->head.name, s->kind->name,
                              digest,  s->source.text};
  static const char *const key[] = {"program", "family", "name", "kind", "digest", "study"};
  bool good = true;
  for (int k = 0; good && k < 6; k++) good = ap__h5_add_texts(w->file, key[k], &text[k], 0);
  return good;
}

static bool create(writer *w, const char *path) {
  const ap_sweep *s = w->sweep;
  hid_t access = ap__h5_access_list(), list = timeless(H5P_FILE_CREATE);
  if (access >= 0 && list >= 0 && H5Pset_attr_phase_change(list, 0, 0) >= 0)
    w->file = H5Fcreate(path, H5F_ACC_TRUNC, list, access);
  ap__h5_close(list, H5Pclose);
  ap__h5_close(access, H5Pclose);
  if (w->file < 0 || !describe(w)) return false;
  w->set[PARAMETERS] = add_set(w, "parameters", H5T_IEEE_F64LE, s->design.n);
  w->set[OUTCOMES] = add_set(w, "outcomes", H5T_IEEE_F64LE, s->outcomes);
  w->set[STATUS] = add_set(w, "status", H5T_STD_U8LE, 0);
  return w->set[PARAMETERS] >= 0 && w->set[OUTCOMES] >= 0 && w->set[STATUS] >= 0 &&
         add_names(w, w->set[PARAMETERS], false) && add_names(w, w->set[OUTCOMES], true);
}

static bool put(hid_t set, hid_t type, uint64_t first, int n, int columns, const void *numbers) {
  const hsize_t start[2] = {first, 0}, count[2] = {(hsize_t)n, (hsize_t)columns};
  const int rank = columns > 0 ? 2 : 1;
  hid_t space = H5Dget_space(set), memory = H5Screate_simple(rank, count, NULL);
  const bool good = space >= 0 && memory >= 0 &&
                    H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, count, NULL) >= 0 &&
                    H5Dwrite(set, type, memory, space, H5P_DEFAULT, numbers) >= 0;
  ap__h5_close(memory, H5Sclose);
  ap__h5_close(space, H5Sclose);
  return good;
}

static bool put_chunk(writer *w, uint64_t c) {
  const ap_sweep *s = w->sweep;
  const uint64_t first = c * (uint64_t)s->chunk;
  const int n = ap__chunk_trials(s, c), width = s->design.n;
  for (int p = 0; p < width; p++) ap__design_column(&s->design, p, first, n, w->value + p, width);
  return put(w->set[PARAMETERS], H5T_NATIVE_DOUBLE, first, n, width, w->value) &&
         put(w->set[OUTCOMES], H5T_NATIVE_DOUBLE, first, n, s->outcomes, w->outcome) &&
         put(w->set[STATUS], H5T_NATIVE_UCHAR, first, n, 0, w->status);
}

// Bytes of the file at most: rows, their last chunk, and indices of the chunks.
static off_t size_of(const ap_sweep *s) {
  const size_t row = (size_t)(s->design.n + s->outcomes) * sizeof(double) + 1;
  const size_t rows = (size_t)s->design.trials + MOST_ROWS;
  return (off_t)(rows * row + rows / MOST_ROWS * SETS * 256 + s->source.length + 65536);
}

// The disk is asked for all of it before. HDF5 gives the space back when it makes the file, and
// would not cut off what is left of it at the end.
static ap_status write_all(writer *w, const char *folder, const ap__draft *part, ap_error *error) {
  const ap__silence before = ap__be_silent();
  ap_status status = ap__draft_reserve(part, size_of(w->sweep), error);
  if (status == AP_OK && !create(w, part->path)) status = ap__refuse_h5(error, "write the file");
  for (uint64_t c = 0; status == AP_OK && c < w->sweep->chunks; c++) {
    status = ap__chunk_read(w->sweep, folder, c, w->outcome, w->status, error);
    w->bad_chunk = status != AP_OK;
    if (status == AP_OK && !put_chunk(w, c)) status = ap__refuse_h5(error, "write the file");
  }
  for (int k = 0; k < SETS; k++) ap__h5_close(w->set[k], H5Dclose);
  if (w->file >= 0 && H5Fclose(w->file) < 0 && status == AP_OK)
    status = ap__refuse_h5(error, "write the file");
  ap__end_silence(before);
  return status;
}

// The error of a file says which.
static void name_file(const char *path, ap_error *error) {
  if (!error) return;
  const ap_error why = *error;
  ap__fail(error, why.status, 0, "%.*s: %s", ap__shown(path), path, why.text);
}

ap_status ap_sweep_merge(const char *folder, const char *path, ap_error *error) {
  ap_sweep *s;
  const char *file;
  ap__draft part;
  ap_status status = ap__folder_study(folder, &s, &file, error);
  if (status != AP_OK) return status;
  writer w = {.sweep = s, .file = -1, .set = {-1, -1, -1}};
  const size_t n = (size_t)s->chunk;
  status = ap__merge_check(s, folder, error);
  w.value = malloc(n * (size_t)s->design.n * sizeof *w.value);
  w.outcome = malloc(n * (size_t)s->outcomes * sizeof *w.outcome);
  w.status = malloc(n);
  const bool memory = w.value && w.outcome && w.status && ap__has_memory_for_h5();
  if (status == AP_OK && !memory) status = ap__no_memory(error);
  if (status == AP_OK) {
    status = ap__draft_open(&part, path, error);
    if (status == AP_OK) status = write_all(&w, folder, &part, error);
    if (status == AP_OK) status = ap__draft_publish(&part, error);
    ap__draft_close(&part, status != AP_OK);
    if (status != AP_OK && !w.bad_chunk) name_file(path, error);
  }
  free(w.value);
  free(w.outcome);
  free(w.status);
  ap_sweep_free(s);
  return status;
}

#endif
