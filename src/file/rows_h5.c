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

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "file/log_h5.h"

struct ap_h5_rows {
  hid_t file, set;
  int columns;
  hsize_t written;
  const char *fault; // of the dataset's name; NULL: none
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

static bool make(ap_h5_rows *r, const char *path, const char *dataset, const char *const *name) {
  struct stat info;
  hid_t list = ap__h5_access_list();
  if (list < 0) return false;
  const bool empty = stat(path, &info) == 0 && info.st_size == 0;
  r->file =
      empty ? H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, list) : H5Fopen(path, H5F_ACC_RDWR, list);
  ap__h5_close(list, H5Pclose);
  if (r->file < 0) return false;
  if (is_behind_link(r->file, dataset))
    r->fault = "is a link or behind one (name a dataset in the file itself)";
  else if (is_group(r->file, dataset))
    r->fault = "is a group of datasets (name a dataset in it)";
  if (r->fault) return false;
  if (H5Lexists(r->file, dataset, H5P_DEFAULT) > 0 && H5Ldelete(r->file, dataset, H5P_DEFAULT) < 0)
    return false;
  r->set = ap__h5_add_dataset(r->file, dataset, H5T_IEEE_F64LE, r->columns);
  return r->set >= 0 && ap__h5_add_texts(r->set, "names", name, r->columns);
}

static ap_status close_all(ap_h5_rows *r, ap_error *error) {
  bool good = r->set < 0 || H5Dclose(r->set) >= 0;
  good = (r->file < 0 || H5Fclose(r->file) >= 0) && good;
  free(r);
  return good ? AP_OK : refuse(error);
}

ap_status ap_h5_rows_open(const char *path, const char *dataset, int columns,
                          const char *const *name, ap_h5_rows **rows, ap_error *error) {
  ap_h5_rows *r = ap__has_memory_for_h5() ? calloc(1, sizeof *r) : NULL;
  *rows = NULL;
  if (!r) return ap__no_memory(error);
  *r = (ap_h5_rows){H5I_INVALID_HID, H5I_INVALID_HID, columns, 0, NULL};
  const ap__silence before = ap__be_silent();
  const bool made = make(r, path, dataset, name);
  ap_status status = made ? AP_OK : refuse(error);
  if (r->fault) status = AP__REFUSE(error, AP_E_FILE, 0, "\"%s\" %s", dataset, r->fault);
  if (status)
    close_all(r, NULL);
  else
    *rows = r;
  ap__end_silence(before);
  return status;
}

ap_status ap_h5_rows_add(ap_h5_rows *r, int n, const double *x, ap_error *error) {
  const hsize_t width = (hsize_t)r->columns, count[2] = {(hsize_t)n, width};
  const hsize_t end[2] = {r->written + count[0], width}, offset[2] = {r->written, 0};
  if (n == 0) return AP_OK;
  const ap__silence before = ap__be_silent();
  hid_t memory = H5Screate_simple(2, count, NULL), space = H5I_INVALID_HID;
  bool good = memory >= 0 && H5Dset_extent(r->set, end) >= 0;
  if (good) space = H5Dget_space(r->set);
  good = space >= 0 && H5Sselect_hyperslab(space, H5S_SELECT_SET, offset, NULL, count, NULL) >= 0 &&
         H5Dwrite(r->set, H5T_NATIVE_DOUBLE, memory, space, H5P_DEFAULT, x) >= 0;
  const ap_status status = good ? AP_OK : refuse(error);
  r->written = end[0];
  if (memory >= 0) H5Sclose(memory);
  if (space >= 0) H5Sclose(space);
  ap__end_silence(before);
  return status;
}

ap_status ap_h5_rows_close(ap_h5_rows *r, ap_error *error) {
  if (!r) return AP_OK;
  const ap__silence before = ap__be_silent();
  const ap_status status = close_all(r, error);
  ap__end_silence(before);
  return status;
}

#endif
