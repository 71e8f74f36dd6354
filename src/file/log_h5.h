// SPDX-License-Identifier: Apache-2.0
// What writers and readers of HDF5 share. Where the library is built without HDF5, it is not
// included.

#ifndef AP_FILE_LOG_H5_H
#define AP_FILE_LOG_H5_H

#include <hdf5.h>
#include <stdlib.h>

#include "file/robot.h"

// HDF5 prints its errors and loads filters of other people where a file names them, unless told
// not to; what the program has told it comes back at the end.
typedef struct ap__silence {
  H5E_auto2_t print;
  void *context;
  unsigned plugins;
} ap__silence;

static inline ap__silence ap__be_silent(void) {
  ap__silence before = {0};
  H5Eget_auto2(H5E_DEFAULT, &before.print, &before.context);
  H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
  H5PLget_loading_state(&before.plugins);
  H5PLset_loading_state(0);
  return before;
}

static inline void ap__end_silence(ap__silence before) {
  H5PLset_loading_state(before.plugins);
  H5Eclear2(H5E_DEFAULT);
  H5Eset_auto2(H5E_DEFAULT, before.print, before.context);
}

// Is there memory for what HDF5 asks for when it opens a file, 4 MiB about? It does not check that
// it gets it.
static inline bool ap__has_memory_for_h5(void) {
  enum { BYTES = 16 << 20 };
  void *volatile probe = malloc(BYTES); // a compiler may take it away
  free(probe);
  return probe != NULL;
}

// Close an object, where there is one; the reason why a call before failed is kept.
static inline void ap__h5_close(hid_t id, herr_t (*close)(hid_t)) {
  if (id < 0) return;
  const hid_t why = H5Eget_current_stack();
  close(id);
  H5Eset_current_stack(why); // and frees it
}

// How files are opened to be written.
hid_t ap__h5_access_list(void);
// An attribute of n texts; n = 0: of one that is no list.
bool ap__h5_add_texts(hid_t object, const char *name, const char *const *text, int n);
// An empty dataset that can grow by rows: of single entries (columns = 0) or of so many. Groups of
// its path are made.
hid_t ap__h5_add_dataset(hid_t file, const char *name, hid_t type, int columns);

// What HDF5 has just refused to do: "cannot WHAT: REASON", or that memory is short.
ap_status ap__refuse_h5(ap_error *error, const char *what);

#endif
