// SPDX-License-Identifier: Apache-2.0
// Bytes as the plan of an HDF5 file: which datasets, groups, links and attributes it has, how they
// are stored, what they claim. Whatever it is like, it is refused with a message, or read to its
// end: rows of numbers in the order of time, none of them from another file, and not many more than
// the file has room for. Mutated bytes of a file would only try HDF5 itself, whose checksums refuse
// nearly all of them.

#include <appell/file.h>
#include <math.h>
#include <string.h>

#include "fuzz_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#ifndef AP_HAVE_HDF5

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) { return data && size > SIZE_MAX / 2; }

#else

#include <hdf5.h>

#define SECRET 12345.678 // in another file

typedef struct plan {
  const uint8_t *at, *end;
  hid_t file;
  char path[FUZZ_PATH], secret[FUZZ_PATH], hidden[FUZZ_PATH];
} plan;

static unsigned take(plan *p, unsigned choices) { return p->at < p->end ? *p->at++ % choices : 0; }

static const char *take_name(plan *p) {
  static const char *const names[] = {
      "t",           "q",     "v",      "tau",      "kinetic",      "events",
      "event",       "point", "wall",   "events/t", "events/event", "events/point",
      "events/wall", "deep",  "deep/q", "a.b"};
  return names[take(p, sizeof names / sizeof names[0])];
}

static hid_t take_type(plan *p) {
  const unsigned kind = take(p, 8);
  if (kind < 4) return H5Tcopy(kind < 3 ? H5T_IEEE_F64LE : H5T_IEEE_F32BE);
  if (kind == 4) return H5Tcopy(H5T_STD_I32LE);
  hid_t type = H5Tcopy(kind == 7 ? H5T_IEEE_F64LE : H5T_C_S1);
  static const size_t bytes[] = {1, 8, 64, 70000, 4096};
  if (kind == 5) H5Tset_size(type, bytes[take(p, 4)]);
  if (kind == 6) H5Tset_size(type, H5T_VARIABLE);
  if (kind == 7) H5Tset_size(type, bytes[take(p, 5)]);
  return type;
}

static hid_t take_storage(plan *p, int rank, bool *grows) {
  static const hsize_t chunk[] = {1, 16, 1000, 200000};
  hid_t list = H5Pcreate(H5P_DATASET_CREATE);
  const hsize_t size[2] = {chunk[take(p, 4)], 1 + take(p, 3)};
  const unsigned kind = take(p, 8);
  *grows = kind < 4;
  if (kind < 4) H5Pset_chunk(list, rank, size);
  if (kind == 1) H5Pset_deflate(list, 9);
  if (kind == 2) H5Pset_fletcher32(list);
  if (kind == 3) H5Pset_filter(list, 32000, H5Z_FLAG_OPTIONAL, 0, NULL);
  if (kind == 4) H5Pset_external(list, p->secret, 0, H5F_UNLIMITED);
  if (kind == 5) H5Pset_layout(list, H5D_COMPACT);
  if (kind == 6) {
    const hsize_t all[2] = {100, 1};
    hid_t space = H5Screate_simple(rank, all, NULL);
    H5Pset_virtual(list, space, p->hidden, "q", space);
    H5Sclose(space);
  }
  return list;
}

// The first rows: numbers that grow, or words.
static void write_rows(plan *p, hid_t set, hid_t type, hid_t space, const hsize_t size[2]) {
  static double numbers[6000];
  const int rank = H5Sget_simple_extent_ndims(space);
  const hsize_t start[2] = {0, 0}, width = rank == 2 ? size[1] : 1;
  hsize_t count[2] = {take(p, 4) * 250, width};
  if (count[0] > size[0]) count[0] = size[0];
  if (count[0] == 0 || width == 0 || count[0] * width > 6000) return;
  for (int k = 0; k < 6000; k++) numbers[k] = k;
  hid_t memory = H5Screate_simple(rank, count, NULL);
  H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, count, NULL);
  const bool words = H5Tget_class(type) == H5T_STRING && H5Tis_variable_str(type) == 0;
  if (!words)
    H5Dwrite(set, H5T_NATIVE_DOUBLE, memory, space, H5P_DEFAULT, numbers);
  else if (count[0] * width * H5Tget_size(type) <= sizeof numbers)
    H5Dwrite(set, type, memory, space, H5P_DEFAULT, numbers); // any bytes
  H5Sclose(memory);
}

static void add_dataset(plan *p) {
  static const hsize_t rows[] = {0, 1, 100, 700, 5000, 40000, UINT64_C(1000000000000)};
  const char *name = take_name(p);
  const int rank = 1 + (int)take(p, 3);
  const hsize_t size[3] = {rows[take(p, 7)], take(p, 4), 2};
  const hsize_t most[3] = {H5S_UNLIMITED, H5S_UNLIMITED, 2};
  bool grows;
  hid_t type = take_type(p), list = take_storage(p, rank < 3 ? rank : 1, &grows);
  hid_t space = H5Screate_simple(rank, size, grows ? most : NULL);
  hid_t set = H5Dcreate2(p->file, name, type, space, H5P_DEFAULT, list, H5P_DEFAULT);
  if (set >= 0 && rank < 3) write_rows(p, set, type, space, size);
  if (set >= 0) H5Dclose(set);
  H5Sclose(space);
  H5Pclose(list);
  H5Tclose(type);
}

static void add_link(plan *p) {
  const char *name = take_name(p), *to = take_name(p);
  switch (take(p, 4)) {
    case 0: H5Lcreate_soft(to, p->file, name, H5P_DEFAULT, H5P_DEFAULT); break;
    case 1: H5Lcreate_external(p->hidden, "/q", p->file, name, H5P_DEFAULT, H5P_DEFAULT); break;
    case 2: H5Lcreate_hard(p->file, to, p->file, name, H5P_DEFAULT, H5P_DEFAULT); break;
    default: H5Lcreate_hard(p->file, "/", p->file, name, H5P_DEFAULT, H5P_DEFAULT);
  }
}

static void add_attribute(plan *p) {
  static const char *const names[] = {"order", "names", "units", "scenario", "model"};
  static char text[4][16];
  const char *name = names[take(p, 5)];
  const hsize_t n = 1 + take(p, 4);
  hid_t object = take(p, 2) ? H5Oopen(p->file, take_name(p), H5P_DEFAULT) : p->file;
  hid_t space = H5Screate_simple(1, &n, NULL), type = H5Tcopy(H5T_C_S1);
  H5Tset_size(type, sizeof text[0]);
  for (hsize_t k = 0; k < n; k++) snprintf(text[k], sizeof text[k], "%s", take_name(p));
  hid_t attribute = H5Acreate2(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
  if (attribute >= 0) H5Awrite(attribute, type, text);
  if (attribute >= 0) H5Aclose(attribute);
  H5Tclose(type);
  H5Sclose(space);
  if (object >= 0 && object != p->file) H5Oclose(object);
}

static void add_group(plan *p) {
  hid_t group = H5Gcreate2(p->file, take_name(p), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  if (group >= 0) H5Gclose(group);
}

// The files that must not be seen: as bytes, and as a dataset.
static void write_secrets(plan *p) {
  static double secret[5000];
  hsize_t n = 5000;
  if (secret[0] != 0) return; // they are there
  for (int k = 0; k < 5000; k++) secret[k] = SECRET;
  fuzz_file((const uint8_t *)secret, sizeof secret, ".secret", p->secret);
  hid_t file = H5Fcreate(p->hidden, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  hid_t space = H5Screate_simple(1, &n, NULL);
  hid_t set = H5Dcreate2(file, "q", H5T_IEEE_F64LE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  fuzz_expect(H5Dwrite(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, secret) >= 0);
  H5Dclose(set);
  H5Sclose(space);
  fuzz_expect(H5Fclose(file) >= 0);
}

static void read_rows(ap_log_reader *reader, int columns) {
  double *row = calloc((size_t)columns, sizeof *row), before = -INFINITY;
  double numbers = 0;
  ap_error error = {0};
  fuzz_expect(row != NULL);
  for (bool end = false;; numbers += columns) {
    ap_status status = ap_log_next(reader, row, &end, &error);
    fuzz_expect(status == AP_OK || (error.status == status && error.text[0]));
    if (status != AP_OK || end) break;
    for (int k = 0; k < columns; k++) fuzz_expect(isfinite(row[k]) && row[k] != SECRET);
    fuzz_expect(row[0] >= before);
    before = row[0];
  }
  fuzz_expect(numbers * sizeof *row <= 2.0 * (64 << 20)); // files are small; singles become doubles
  free(row);
}

static void read_events(ap_log_reader *reader, int columns) {
  ap_logged_event event;
  ap_error error = {0};
  for (bool end = false;;) {
    ap_status status = ap_log_next_event(reader, &event, &end, &error);
    fuzz_expect(status == AP_OK || (error.status == status && error.text[0]));
    if (status != AP_OK || end) break;
    fuzz_expect(event.event && event.point && event.wall && event.t != SECRET);
    for (int k = 0; k < columns; k++) fuzz_expect(event.numbers[k] != SECRET);
  }
}

static void read_log(const char *path) {
  ap_log_reader *reader = NULL;
  ap_error error = {0};
  ap_status status = ap_log_open(path, &reader, &error);
  fuzz_expect((status == AP_OK) == (reader != NULL));
  fuzz_expect(reader || (error.status == status && error.text[0]));
  if (reader) read_rows(reader, ap_log_describe(reader)->columns);
  if (reader) read_events(reader, ap_log_describe(reader)->event_columns);
  ap_log_close(reader);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static plan p;
  enum { OPERATIONS = 24 };
  H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
  fuzz_file(data, 0, ".h5", p.path);
  fuzz_file(data, 0, ".hidden.h5.tmp", p.hidden);
  remove(p.hidden);
  p.hidden[strlen(p.hidden) - 4] = 0;
  write_secrets(&p);
  p.at = data;
  p.end = data + size;
  p.file = H5Fcreate(p.path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  fuzz_expect(p.file >= 0);
  for (int k = 0; k < OPERATIONS && p.at < p.end; k++) {
    const unsigned what = take(&p, 8);
    if (what < 4) add_dataset(&p);
    if (what == 4) add_link(&p);
    if (what == 5 || what == 6) add_attribute(&p);
    if (what == 7) add_group(&p);
  }
  if (H5Fclose(p.file) >= 0) read_log(p.path);
  return 0;
}

#endif
