// Rows of a log in HDF5 (docs/logs.md): every dataset of numbers of the file itself is a column, or
// several where it has two dimensions, and its attribute `names` says what they are called.

#include "file/rows_h5.h"

#ifndef AP_HAVE_HDF5

ap_status ap__rows_h5_open(const char *path, ap__rows_h5 **rows, ap_error *error) {
  (void)path;
  *rows = NULL;
  return AP__REFUSE(error, AP_E_UNSUPPORTED, 0,
                    "an HDF5 file, and this was built without HDF5 (install libhdf5-dev and build "
                    "again, or take CSV)");
}
const char *ap__rows_h5_names(const ap__rows_h5 *rows) { return (void)rows, ""; }
int ap__rows_h5_columns(const ap__rows_h5 *rows) { return (void)rows, 0; }
ap_status ap__rows_h5_next(ap__rows_h5 *rows, double *row, bool *end, ap_error *error) {
  (void)rows, (void)row, (void)error;
  *end = true;
  return AP_OK;
}
void ap__rows_h5_close(ap__rows_h5 *rows) { (void)rows; }

#else

#include <stdlib.h>
#include <string.h>

#include "file/h5.h"
#include "file/text.h"

enum { BLOCK = 512, MOST_SETS = 4096, MOST_COLUMNS = 100000 };

typedef struct set {
  hid_t id;
  int rank, first, columns;
} set;

struct ap__rows_h5 {
  hid_t file;
  set *sets;
  int nset, columns;
  ap__text names;
  hsize_t rows, next, begin, end; // of the file; handed out next; those in the block
  double *block;                  // [BLOCK][columns]
};

// The name of dataset `name` with those of its columns, where it has several.
static bool add_names(ap__rows_h5 *r, hid_t id, const char *name, int columns) {
  hid_t attribute = H5Aopen(id, "names", H5P_DEFAULT);
  hid_t type = attribute >= 0 ? H5Aget_type(attribute) : H5I_INVALID_HID;
  hid_t space = attribute >= 0 ? H5Aget_space(attribute) : H5I_INVALID_HID;
  bool good = type >= 0 && space >= 0 && H5Tis_variable_str(type) > 0 &&
              H5Sget_simple_extent_npoints(space) == columns;
  char **text = good ? calloc((size_t)columns, sizeof *text) : NULL;
  good = text && H5Aread(attribute, type, text) >= 0;
  for (int k = 0; good && k < columns; k++)
    ap__text_add(&r->names, "%s%s.%s", r->names.length ? "," : "", name, text[k] ? text[k] : "");
  if (good) H5Dvlen_reclaim(type, space, H5P_DEFAULT, text);
  free(text);
  if (space >= 0) H5Sclose(space);
  if (type >= 0) H5Tclose(type);
  if (attribute >= 0) H5Aclose(attribute);
  return good;
}

// Whether it is a dataset of numbers of one or two dimensions; then its size in size[2].
static bool is_table(hid_t id, int *rank, hsize_t size[2]) {
  hid_t type = H5Dget_type(id), space = H5Dget_space(id);
  const H5T_class_t class = type >= 0 ? H5Tget_class(type) : H5T_NO_CLASS;
  *rank = space >= 0 ? H5Sget_simple_extent_ndims(space) : 0;
  size[1] = 1;
  bool good = (class == H5T_FLOAT || class == H5T_INTEGER) && (*rank == 1 || *rank == 2) &&
              H5Sget_simple_extent_dims(space, size, NULL) >= 0;
  if (space >= 0) H5Sclose(space);
  if (type >= 0) H5Tclose(type);
  return good && size[1] >= 1 && size[1] <= MOST_COLUMNS;
}

// A link of the file; what is no column is left alone.
static ap_status add_set(ap__rows_h5 *r, const char *name, ap_error *error) {
  hid_t id = H5Dopen2(r->file, name, H5P_DEFAULT);
  hsize_t size[2];
  int rank = 0;
  if (id < 0) return AP_OK; // a group
  if (!is_table(id, &rank, size)) {
    H5Dclose(id);
    return AP_OK;
  }
  const int columns = (int)size[1];
  r->sets[r->nset++] = (set){id, rank, r->columns, columns};
  r->columns += columns;
  if (strcmp(name, "t") == 0) r->rows = size[0];
  if (r->columns > MOST_COLUMNS)
    return AP__REFUSE(error, AP_E_FILE, 0, "more than %d columns", MOST_COLUMNS);
  if (rank == 1)
    ap__text_add(&r->names, "%s%s", r->names.length ? "," : "", name);
  else if (!add_names(r, id, name, columns))
    return AP__REFUSE(error, AP_E_FILE, 0,
                      "the dataset %.*s does not say what its columns are "
                      "called (an attribute `names`, as logs of runs have it)",
                      ap__shown(name), name);
  return AP_OK;
}

static ap_status add_sets(ap__rows_h5 *r, ap_error *error) {
  H5G_info_t info;
  if (H5Gget_info(r->file, &info) < 0) return ap__h5_refuse("read", error);
  if (info.nlinks > MOST_SETS)
    return AP__REFUSE(error, AP_E_FILE, 0, "more than %d datasets", MOST_SETS);
  r->sets = calloc((size_t)info.nlinks + 1, sizeof *r->sets);
  if (!r->sets) return ap__no_memory(error);
  ap_status status = AP_OK;
  for (hsize_t k = 0; k < info.nlinks && !status; k++) {
    char name[256];
    ssize_t n = H5Lget_name_by_idx(r->file, ".", H5_INDEX_NAME, H5_ITER_INC, k, name, sizeof name,
                                   H5P_DEFAULT);
    if (n > 0 && (size_t)n < sizeof name) status = add_set(r, name, error);
  }
  if (status) return status;
  if (r->names.failed) return ap__no_memory(error);
  if (r->columns == 0)
    return AP__REFUSE(error, AP_E_FILE, 0, "no columns in it (datasets as logs of runs have them)");
  r->block = malloc((size_t)BLOCK * (size_t)r->columns * sizeof *r->block);
  return r->block ? AP_OK : ap__no_memory(error);
}

ap_status ap__rows_h5_open(const char *path, ap__rows_h5 **rows, ap_error *error) {
  *rows = NULL;
  ap__rows_h5 *r = calloc(1, sizeof *r);
  if (!r) return ap__no_memory(error);
  const ap__h5_silence before = ap__h5_be_silent();
  r->file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
  if (r->file < 0) // killed while it was being written
    r->file = H5Fopen(path, H5F_ACC_RDONLY | H5F_ACC_SWMR_READ, H5P_DEFAULT);
  ap_status status = r->file < 0 ? ap__h5_refuse("read", error) : add_sets(r, error);
  ap__h5_end_silence(before);
  if (status)
    ap__rows_h5_close(r);
  else
    *rows = r;
  return status;
}

const char *ap__rows_h5_names(const ap__rows_h5 *r) { return r->names.text; }
int ap__rows_h5_columns(const ap__rows_h5 *r) { return r->columns; }

// Rows from r->begin to r->end of one dataset, to its place in the block.
static bool read_set(const ap__rows_h5 *r, const set *s) {
  const hsize_t n = r->end - r->begin, width = (hsize_t)s->columns;
  const hsize_t offset[2] = {r->begin, 0}, count[2] = {n, width}, start[2] = {0, 0};
  const hsize_t memory[2] = {n, (hsize_t)r->columns};
  hid_t space = H5Dget_space(s->id), here = H5Screate_simple(2, memory, NULL);
  bool good = space >= 0 && here >= 0 &&
              H5Sselect_hyperslab(space, H5S_SELECT_SET, offset, NULL, count, NULL) >= 0 &&
              H5Sselect_hyperslab(here, H5S_SELECT_SET, start, NULL, count, NULL) >= 0 &&
              H5Dread(s->id, H5T_NATIVE_DOUBLE, here, space, H5P_DEFAULT, r->block + s->first) >= 0;
  if (here >= 0) H5Sclose(here);
  if (space >= 0) H5Sclose(space);
  return good;
}

ap_status ap__rows_h5_next(ap__rows_h5 *r, double *row, bool *end, ap_error *error) {
  *end = r->next >= r->rows;
  if (*end) return AP_OK;
  if (r->next >= r->end) {
    r->begin = r->next, r->end = r->next + BLOCK < r->rows ? r->next + BLOCK : r->rows;
    const ap__h5_silence before = ap__h5_be_silent();
    bool good = true;
    for (int k = 0; k < r->nset && good; k++) good = read_set(r, &r->sets[k]);
    const ap_status status = good ? AP_OK : ap__h5_refuse("read", error);
    ap__h5_end_silence(before);
    if (status) return status;
  }
  memcpy(row, r->block + (size_t)(r->next++ - r->begin) * (size_t)r->columns,
         (size_t)r->columns * sizeof *row);
  return AP_OK;
}

void ap__rows_h5_close(ap__rows_h5 *r) {
  if (!r) return;
  const ap__h5_silence before = ap__h5_be_silent();
  for (int k = 0; k < r->nset; k++) H5Dclose(r->sets[k].id);
  if (r->file >= 0) H5Fclose(r->file);
  ap__h5_end_silence(before);
  ap__text_free(&r->names);
  free(r->sets), free(r->block), free(r);
}

#endif
