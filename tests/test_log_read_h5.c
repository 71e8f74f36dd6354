// SPDX-License-Identifier: Apache-2.0
// HDF5 files made to harm who reads them: numbers in other files, rows that are not there, endless
// compression, filters of others, little memory.

#include <appell/file.h>

#ifndef AP_HAVE_HDF5

#include "test.h"

TEST(hostile_files) { test_skip("built without HDF5"); }

#else

#include <errno.h>
#include <hdf5.h>

#include "sanitized.h"
#include "temporary_folder.h"

// ---- memory ------------------------------------------------------------------------------------

static size_t largest = SIZE_MAX; // block that the heap gives

#if !SANITIZED
extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t n, size_t size);
extern void *__libc_realloc(void *p, size_t size);
#pragma GCC visibility push(default) // for HDF5, too
static bool is_too_large(size_t size) {
  if (size > largest) errno = ENOMEM;
  return size > largest;
}
void *malloc(size_t size) { return is_too_large(size) ? NULL : __libc_malloc(size); }
void *calloc(size_t n, size_t size) {
  return is_too_large(n * size) ? NULL : __libc_calloc(n, size);
}
void *realloc(void *p, size_t size) { return is_too_large(size) ? NULL : __libc_realloc(p, size); }
#pragma GCC visibility pop
#endif

// ---- files -------------------------------------------------------------------------------------

static void remove_folder(void) {
  static const char *const names[] = {"run.h5", "other.h5", "secret"};
  remove_folder_of((int)(sizeof names / sizeof names[0]), names);
}

static hid_t begin(void) {
  make_folder();
  hid_t file = H5Fcreate(in_folder("run.h5"), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  if (!CHECK(file >= 0)) exit(1);
  return file;
}

// A list of numbers 0, 1, 2, ..., so many of them said and so many written.
static void add_numbers(hid_t place, const char *name, hsize_t rows, size_t written, hid_t list) {
  hsize_t most = H5S_UNLIMITED;
  double *x = calloc(written + 1, sizeof *x);
  for (size_t k = 0; k < written; k++) x[k] = list == H5P_DEFAULT ? (double)k : 0;
  hid_t space = H5Screate_simple(1, &rows, list == H5P_DEFAULT ? NULL : &most);
  hid_t set = H5Dcreate2(place, name, H5T_IEEE_F64LE, space, H5P_DEFAULT, list, H5P_DEFAULT);
  if (CHECK(set >= 0) && written) {
    hsize_t start = 0, count = written;
    hid_t memory = H5Screate_simple(1, &count, NULL);
    H5Sselect_hyperslab(space, H5S_SELECT_SET, &start, NULL, &count, NULL);
    CHECK(H5Dwrite(set, H5T_NATIVE_DOUBLE, memory, space, H5P_DEFAULT, x) >= 0);
    H5Sclose(memory);
  }
  H5Dclose(set);
  H5Sclose(space);
  free(x);
}

static void add_plain(hid_t place, const char *name, int rows) {
  add_numbers(place, name, (hsize_t)rows, (size_t)rows, H5P_DEFAULT);
}

static hid_t chunks_of(hsize_t rows, int deflate) {
  hid_t list = H5Pcreate(H5P_DATASET_CREATE);
  CHECK(H5Pset_chunk(list, 1, &rows) >= 0);
  if (deflate) CHECK(H5Pset_deflate(list, 9) >= 0);
  return list;
}

// Read all of it: rows, then events.
static ap_status read_all(int *rows, ap_error *error) {
  ap_log_reader *r = NULL;
  *error = (ap_error){0};
  *rows = 0;
  ap_status status = ap_log_open(in_folder("run.h5"), &r, error);
  double row[64];
  bool end = status != AP_OK || ap_log_describe(r)->columns > 64;
  while (!status && !end) {
    status = ap_log_next(r, row, &end, error);
    *rows += !status && !end;
  }
  ap_logged_event event;
  for (end = false; !status && !end;) status = ap_log_next_event(r, &event, &end, error);
  ap_log_close(r);
  return status;
}

static void refused(hid_t file, const char *words) {
  ap_error error;
  int rows;
  if (file >= 0) H5Fclose(file);
  CHECK_STATUS(read_all(&rows, &error), AP_E_SYNTAX);
  CHECK_EQ_INT(rows, 0);
  CHECK_HAS(error.text, words);
  remove_folder();
}

static void reads(hid_t file, int want) {
  ap_error error;
  int rows;
  H5Fclose(file);
  if (!CHECK_OK(read_all(&rows, &error))) printf("  %s\n", error.text);
  CHECK_EQ_INT(rows, want);
  remove_folder();
}

static void write_secret(void) {
  FILE *file = fopen(in_folder("secret"), "wb");
  for (int k = 0; file && k < 100; k++) fputs("secret. ", file);
  if (CHECK(file)) fclose(file);
}

// ---- numbers elsewhere -------------------------------------------------------------------------

TEST(a_plain_file_is_read) {
  hid_t file = begin();
  add_plain(file, "t", 100);
  add_plain(file, "q", 100);
  reads(file, 100);
}

TEST(external_storage_is_refused) {
  hid_t file = begin(), list = H5Pcreate(H5P_DATASET_CREATE);
  write_secret();
  add_plain(file, "t", 100);
  CHECK(H5Pset_external(list, in_folder("secret"), 0, 800) >= 0);
  hsize_t rows = 100;
  hid_t space = H5Screate_simple(1, &rows, NULL);
  H5Dclose(H5Dcreate2(file, "q", H5T_IEEE_F64LE, space, H5P_DEFAULT, list, H5P_DEFAULT));
  H5Sclose(space);
  H5Pclose(list);
  refused(file, "\"q\" is in another file, by external storage");
}

TEST(virtual_datasets_are_refused) {
  hid_t file = begin(), list = H5Pcreate(H5P_DATASET_CREATE);
  hsize_t rows = 100;
  hid_t space = H5Screate_simple(1, &rows, NULL);
  add_plain(file, "t", 100);
  CHECK(H5Pset_virtual(list, space, in_folder("secret"), "numbers", space) >= 0);
  H5Dclose(H5Dcreate2(file, "q", H5T_IEEE_F64LE, space, H5P_DEFAULT, list, H5P_DEFAULT));
  H5Sclose(space);
  H5Pclose(list);
  refused(file, "\"q\" is a virtual dataset");
}

TEST(links_are_refused) {
  hid_t file = begin();
  add_plain(file, "t", 100);
  H5Lcreate_soft("/t", file, "q", H5P_DEFAULT, H5P_DEFAULT);
  refused(file, "\"q\" is a soft link");
  file = begin();
  add_plain(file, "x", 100);
  H5Lcreate_soft("/x", file, "t", H5P_DEFAULT, H5P_DEFAULT);
  refused(file, "\"t\" is a soft link");
  file = begin();
  add_plain(file, "t", 100);
  H5Lcreate_external(in_folder("secret"), "/numbers", file, "q", H5P_DEFAULT, H5P_DEFAULT);
  refused(file, "\"q\" is a link to another file");
  file = begin();
  add_plain(file, "t", 100);
  H5Lcreate_external(in_folder("secret"), "/", file, "events", H5P_DEFAULT, H5P_DEFAULT);
  refused(file, "\"events\" is a link to another file");
}

// The list of columns names a path through a link.
TEST(paths_are_refused) {
  static const char *const paths[] = {"away/q", "/t", ".", "./t", ""};
  for (size_t k = 0; k < sizeof paths / sizeof paths[0]; k++) {
    hid_t file = begin(), type = H5Tcopy(H5T_C_S1), space = H5Screate(H5S_SCALAR);
    char text[16] = {0};
    test_context("%s", paths[k]);
    strcpy(text, paths[k]);
    add_plain(file, "t", 100);
    H5Lcreate_external(in_folder("secret"), "/", file, "away", H5P_DEFAULT, H5P_DEFAULT);
    H5Tset_size(type, sizeof text);
    hid_t attribute = H5Acreate2(file, "order", type, space, H5P_DEFAULT, H5P_DEFAULT);
    CHECK(H5Awrite(attribute, type, text) >= 0);
    H5Aclose(attribute);
    H5Tclose(type);
    H5Sclose(space);
    refused(file, "is not a name of a dataset");
  }
  test_context("%s", "");
}

// ---- writing -----------------------------------------------------------------------------------

static ap_status write_rows(const char *dataset, ap_error *error) {
  static const char *const name[] = {"tau"};
  const double row[] = {1};
  ap_h5_rows *rows = NULL;
  *error = (ap_error){0};
  ap_status status = ap_h5_rows_open(in_folder("run.h5"), dataset, 1, name, &rows, error);
  if (status == AP_OK) status = ap_h5_rows_add(rows, 1, row, error);
  const ap_status closed = ap_h5_rows_close(rows, NULL);
  return status ? status : closed;
}

static int links_in(const char *file) {
  H5G_info_t info = {.nlinks = 1000};
  hid_t id = H5Fopen(in_folder(file), H5F_ACC_RDONLY, H5P_DEFAULT);
  CHECK(id >= 0 && H5Gget_info(id, &info) >= 0);
  H5Fclose(id);
  return (int)info.nlinks;
}

// A file may have a link in the place where its receiver will write.
TEST(rows_are_not_written_behind_links) {
  static const char *const behind[] = {
      "/away/tau", "//away//deep/tau", "away/tau", "/away", "/soft/tau", "/soft", "/./away/tau"};
  hid_t file = begin(), other;
  ap_error error;
  other = H5Fcreate(in_folder("other.h5"), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  if (CHECK(other >= 0)) H5Fclose(other);
  H5Gclose(H5Gcreate2(file, "own", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
  H5Lcreate_external(in_folder("other.h5"), "/", file, "away", H5P_DEFAULT, H5P_DEFAULT);
  H5Lcreate_soft("/away", file, "soft", H5P_DEFAULT, H5P_DEFAULT);
  H5Fclose(file);
  for (size_t k = 0; k < sizeof behind / sizeof behind[0]; k++) {
    test_context("%s", behind[k]);
    CHECK_STATUS(write_rows(behind[k], &error), AP_E_FILE);
    CHECK_HAS(error.text, "is a link or behind one");
    CHECK_EQ_INT(links_in("other.h5"), 0);
  }
  test_context("%s", "");
  CHECK_OK(write_rows("/own/tau", &error));
  CHECK_OK(write_rows("/new/tau", &error));
  CHECK_OK(write_rows("/new/tau", &error)); // in its place
  CHECK_EQ_INT(links_in("run.h5"), 4);
  remove_folder();
}

// ---- sizes -------------------------------------------------------------------------------------

TEST(rows_that_are_not_there_are_refused) {
  const hsize_t many = UINT64_C(1000000000000);
  hid_t file = begin(), list = chunks_of(1000, 0);
  add_numbers(file, "t", many, 1000, list);
  H5Pclose(list);
  refused(file, "says that it has 1000000000000 rows, and stores 1000 of them");
  file = begin(), list = chunks_of(1000, 9);
  add_numbers(file, "t", many, 1000, list);
  H5Pclose(list);
  refused(file, "times its size");
  file = begin();
  add_numbers(file, "t", many, 0, H5P_DEFAULT); // in one piece, of which nothing was written
  refused(file, "and stores 0 of them");
}

TEST(one_dataset_under_many_names_is_refused) {
  hid_t file = begin();
  add_plain(file, "t", 1000);
  for (int k = 0; k < 100; k++) {
    char name[20];
    snprintf(name, sizeof name, "q%d", k);
    H5Lcreate_hard(file, "t", file, name, H5P_DEFAULT, H5P_DEFAULT);
  }
  refused(file, "more bytes than the file");
}

TEST(compression_has_a_limit) {
  hid_t file = begin(), list = chunks_of(10000, 9);
  add_numbers(file, "t", 1000000, 1000000, list); // 8 MB of zeros: a small file may be so
  H5Pclose(list);
  reads(file, 1000000);
  file = begin(), list = chunks_of(100000, 9);
  add_numbers(file, "t", 20000000, 20000000, list);
  H5Pclose(list);
  refused(file, "times its size (at most 100 times");
  file = begin(), list = chunks_of(1000000, 9);
  add_numbers(file, "t", 1000000, 1000000, list);
  H5Pclose(list);
  refused(file, "\"t\" has compressed chunks of more than 1 MiB");
}

TEST(filters_of_others_are_refused) {
  enum { SOMEBODYS = 32000 };
  hid_t file = begin(), list = chunks_of(1000, 0);
  CHECK(H5Pset_filter(list, SOMEBODYS, H5Z_FLAG_OPTIONAL, 0, NULL) >= 0);
  add_numbers(file, "t", 1000, 1000, list);
  H5Pclose(list);
  refused(file, "\"t\" has a filter that a log may not have");
}

TEST(plugins_are_as_before) {
  unsigned before = 0, after = 0;
  H5PLset_loading_state(H5PL_FILTER_PLUGIN);
  H5PLget_loading_state(&before);
  hid_t file = begin();
  add_plain(file, "t", 10);
  reads(file, 10);
  H5PLget_loading_state(&after);
  CHECK(before == H5PL_FILTER_PLUGIN && after == before);
}

// ---- shapes ------------------------------------------------------------------------------------

TEST(groups_in_a_circle_do_no_harm) {
  hid_t file = begin(), group = H5Gcreate2(file, "deep", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  add_plain(file, "t", 100);
  H5Lcreate_hard(file, "/", group, "up", H5P_DEFAULT, H5P_DEFAULT);
  H5Lcreate_hard(file, "/", file, "self", H5P_DEFAULT, H5P_DEFAULT);
  H5Gclose(group);
  reads(file, 100);
  file = begin();
  add_plain(file, "t", 100);
  add_plain(file, "event", 100);
  H5Lcreate_hard(file, "/", file, "events", H5P_DEFAULT, H5P_DEFAULT);
  refused(file, "is not a list of texts");
}

TEST(texts_of_any_length_are_not_read) {
  hid_t file = begin(), type = H5Tcopy(H5T_C_S1), space = H5Screate(H5S_SCALAR);
  const char *text = "appell-scenario: 1";
  add_plain(file, "t", 100);
  H5Tset_size(type, H5T_VARIABLE);
  hid_t attribute = H5Acreate2(file, "scenario", type, space, H5P_DEFAULT, H5P_DEFAULT);
  CHECK(H5Awrite(attribute, type, &text) >= 0);
  H5Aclose(attribute);
  H5Tclose(type);
  H5Sclose(space);
  reads(file, 100);
}

TEST(numbers_of_many_bytes_are_refused) {
  hid_t file = begin(), type = H5Tcopy(H5T_IEEE_F64LE);
  hsize_t rows = 10;
  hid_t space = H5Screate_simple(1, &rows, NULL);
  CHECK(H5Tset_size(type, 4096) >= 0);
  H5Dclose(H5Dcreate2(file, "t", type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
  H5Sclose(space);
  H5Tclose(type);
  refused(file, "\"t\" is not a table of numbers");
}

// ---- memory ------------------------------------------------------------------------------------

#if !SANITIZED
TEST(too_little_memory_is_said) {
  hid_t file = begin(), list = chunks_of(100000, 9);
  ap_log_reader *r = NULL;
  ap_error error = {0};
  double row[1];
  bool end;
  add_numbers(file, "t", 1000, 1000, list); // in a chunk of 800 kB
  H5Pclose(list);
  H5Fclose(file);
  H5garbage_collect();
  largest = 400000; // HDF5 would not survive it when it opens a file
  ap_status status = ap_log_open(in_folder("run.h5"), &r, &error);
  largest = SIZE_MAX;
  CHECK_STATUS(status, AP_E_MEMORY);
  CHECK_STATUS(error.status, AP_E_MEMORY);
  if (!CHECK_OK(ap_log_open(in_folder("run.h5"), &r, &error))) return;
  largest = 400000; // and does when it unpacks
  status = ap_log_next(r, row, &end, &error);
  largest = SIZE_MAX;
  CHECK_STATUS(status, AP_E_MEMORY);
  CHECK_STATUS(error.status, AP_E_MEMORY);
  ap_log_close(r);
  remove_folder();
}
#endif

#endif
