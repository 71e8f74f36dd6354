// SPDX-License-Identifier: Apache-2.0
// Rows of numbers to a dataset of an HDF5 file.

#include <appell/file.h>

#include "file/robot.h"

#ifndef AP_HAVE_HDF5

ap_status ap_h5_rows_open(const char *path, const char *dataset, int columns,
                          const char *const *name, ap_h5_rows **rows, ap_error *error) {
  (void)path, (void)dataset, (void)columns, (void)name;
  *rows = NULL;
  return AP__REFUSE(error, AP_E_UNSUPPORTED, 0,
                    "built without HDF5: install it (libhdf5-dev on Debian) and build again");
}

ap_status ap_h5_rows_add(ap_h5_rows *rows, int n, const double *x, ap_error *error) {
  (void)rows, (void)n, (void)x, (void)error;
  return AP_E_UNSUPPORTED;
}

ap_status ap_h5_rows_close(ap_h5_rows *rows, ap_error *error) {
  (void)rows, (void)error;
  return AP_OK;
}

#else

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "file/log.h"
#include "file/log_h5.h"

// Bytes that n rows may take, with a chunk that they begin, its index, and attributes.
static off_t growth(size_t n, int columns) {
  enum { ROOM_BYTES = 1 << 17, CHUNK = 16 }; // rows; chunks of more have fewer bytes than that
  const size_t rows = n + CHUNK, row_bytes = (size_t)columns * sizeof(double);
  return (off_t)(rows * row_bytes + rows * row_bytes / 8 + ROOM_BYTES);
}

// The file is open while rows are added, not between: HDF5 ends the process where a disk is full,
// so room is reserved before, and closing gives back what was not needed.
struct ap_h5_rows {
  ap__draft part; // the file alone
  char *path, *dataset;
  int columns;
  hsize_t written;
};

static ap_status refuse(ap_error *error) { return ap__refuse_h5(error, "write the dataset"); }

// A dataset may be replaced; a group is more than was asked for.
static bool is_group(hid_t file, const char *name) {
  hid_t object = H5Lexists(file, name, H5P_DEFAULT) > 0 ? H5Oopen(file, name, H5P_DEFAULT) : -1;
  const bool group = object >= 0 && H5Iget_type(object) != H5I_DATASET;
  if (object >= 0) H5Oclose(object);
  return group;
}

// A link may lead to another file, which whoever made this one has chosen.
static bool is_behind_link(hid_t file, const char *name) {
  char *path = strdup(name);
  bool found = !path;
  for (char *at = path; !found && *at;) {
    at += strspn(at, "/");
    at += strcspn(at, "/");
    const char next = *at;
    *at = 0;
    H5L_info_t info;
    found = H5Lget_info(file, path, &info, H5P_DEFAULT) >= 0 && info.type != H5L_TYPE_HARD;
    *at = next;
  }
  free(path);
  return found;
}

// NULL: nothing is wrong with the name.
static const char *fault_of(hid_t file, const char *name) {
  if (is_behind_link(file, name))
    return "is a link or behind one (name a dataset in the file itself)";
  if (is_group(file, name)) return "is a group of datasets (name a dataset in it)";
  return NULL;
}

static ap_status make(const ap_h5_rows *r, const char *const *name, ap_error *error) {
  struct stat info;
  hid_t list = ap__h5_access_list(), file = H5I_INVALID_HID, set = H5I_INVALID_HID;
  const bool empty = fstat(r->part.file, &info) == 0 && info.st_size == 0;
  size_t names = 0;
  for (int k = 0; k < r->columns; k++) names += strlen(name[k]) + 1;
  ap_status status = ap__draft_reserve(&r->part, growth(0, r->columns) + 2 * (off_t)names, error);
  if (!status && list >= 0)
    file = empty ? H5Fcreate(r->path, H5F_ACC_TRUNC, H5P_DEFAULT, list)
                 : H5Fopen(r->path, H5F_ACC_RDWR, list);
  const char *fault = file >= 0 ? fault_of(file, r->dataset) : NULL;
  if (fault) status = AP__REFUSE(error, AP_E_FILE, 0, "\"%s\" %s", r->dataset, fault);
  if (file >= 0 && !fault &&
      (H5Lexists(file, r->dataset, H5P_DEFAULT) <= 0 ||
       H5Ldelete(file, r->dataset, H5P_DEFAULT) >= 0))
    set = ap__h5_add_dataset(file, r->dataset, H5T_IEEE_F64LE, r->columns);
  if (!status && (set < 0 || !ap__h5_add_texts(set, "names", name, r->columns)))
    status = refuse(error);
  ap__h5_close(set, H5Dclose);
  if (file >= 0 && H5Fclose(file) < 0 && !status) status = refuse(error);
  ap__h5_close(list, H5Pclose);
  return status;
}

ap_status ap_h5_rows_open(const char *path, const char *dataset, int columns,
                          const char *const *name, ap_h5_rows **rows, ap_error *error) {
  ap_h5_rows *r = ap__has_memory_for_h5() ? calloc(1, sizeof *r) : NULL;
  *rows = NULL;
  if (!r) return ap__no_memory(error);
  r->path = strdup(path), r->dataset = strdup(dataset), r->columns = columns;
  r->part.file = open(path, O_WRONLY | O_CLOEXEC);
  const ap__silence before = ap__be_silent();
  ap_status status = !r->path || !r->dataset ? ap__no_memory(error)
                     : r->part.file < 0      ? ap__refuse_file(error, "write the file", errno)
                                             : make(r, name, error);
  ap__end_silence(before);
  if (status)
    ap_h5_rows_close(r, NULL);
  else
    *rows = r;
  return status;
}

static bool append(hid_t file, const ap_h5_rows *r, hsize_t n, const double *x) {
  const hsize_t width = (hsize_t)r->columns, count[2] = {n, width};
  const hsize_t end[2] = {r->written + n, width}, offset[2] = {r->written, 0};
  hid_t set = H5Dopen2(file, r->dataset, H5P_DEFAULT), space = H5I_INVALID_HID;
  hid_t memory = H5Screate_simple(2, count, NULL);
  bool good = set >= 0 && memory >= 0 && H5Dset_extent(set, end) >= 0;
  if (good) space = H5Dget_space(set);
  good = space >= 0 && H5Sselect_hyperslab(space, H5S_SELECT_SET, offset, NULL, count, NULL) >= 0 &&
         H5Dwrite(set, H5T_NATIVE_DOUBLE, memory, space, H5P_DEFAULT, x) >= 0;
  ap__h5_close(memory, H5Sclose);
  ap__h5_close(space, H5Sclose);
  ap__h5_close(set, H5Dclose);
  return good;
}

ap_status ap_h5_rows_add(ap_h5_rows *r, int n, const double *x, ap_error *error) {
  if (n == 0) return AP_OK;
  if (!ap__has_memory_for_h5()) return ap__no_memory(error);
  ap_status status = ap__draft_reserve(&r->part, growth((size_t)n, r->columns), error);
  if (status) return status;
  const ap__silence before = ap__be_silent();
  hid_t list = ap__h5_access_list(), file = H5I_INVALID_HID;
  if (list >= 0) file = H5Fopen(r->path, H5F_ACC_RDWR, list);
  if (file < 0 || !append(file, r, (hsize_t)n, x)) status = refuse(error);
  if (file >= 0 && H5Fclose(file) < 0 && !status) status = refuse(error);
  ap__h5_close(list, H5Pclose);
  ap__end_silence(before);
  r->written += (hsize_t)n;
  return status;
}

ap_status ap_h5_rows_close(ap_h5_rows *r, ap_error *error) {
  (void)error;
  if (!r) return AP_OK;
  if (r->part.file >= 0) close(r->part.file);
  free(r->path);
  free(r->dataset);
  free(r);
  return AP_OK;
}

#endif
