// What the writer and the reader of HDF5 logs share. Where the library is built without HDF5, it
// is not included.

#ifndef AP_FILE_LOG_H5_H
#define AP_FILE_LOG_H5_H

#include <hdf5.h>

// HDF5 prints its errors unless told not to; what the program has told it comes back at the end.
typedef struct ap__silence {
  H5E_auto2_t print;
  void *context;
} ap__silence;

static inline ap__silence ap__be_silent(void) {
  ap__silence before = {0};
  H5Eget_auto2(H5E_DEFAULT, &before.print, &before.context);
  H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
  return before;
}

static inline void ap__end_silence(ap__silence before) {
  H5Eclear2(H5E_DEFAULT);
  H5Eset_auto2(H5E_DEFAULT, before.print, before.context);
}

#endif
