// What writing and reading HDF5 share; for builds with HDF5.

#ifndef AP_FILE_H5_H
#define AP_FILE_H5_H

#include <hdf5.h>

#include "file/robot.h"

// HDF5 prints its errors unless told not to; what the program has told it comes back at the end.
typedef struct ap__h5_silence {
  H5E_auto2_t print;
  void *context;
} ap__h5_silence;

ap__h5_silence ap__h5_be_silent(void);
void ap__h5_end_silence(ap__h5_silence before);

// What HDF5 has just refused to do ("write", "read").
ap_status ap__h5_refuse(const char *what, ap_error *error);

#endif
