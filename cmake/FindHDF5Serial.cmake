# SPDX-License-Identifier: Apache-2.0
# Finds the C library of HDF5, 1.10 or newer, in its serial build, and defines the target
# HDF5Serial::HDF5Serial. CMake's own module asks the compiler wrapper that is found first, which
# may be that of an MPI build.
find_path(HDF5Serial_INCLUDE_DIR H5public.h PATH_SUFFIXES hdf5/serial)
find_library(HDF5Serial_LIBRARY NAMES hdf5_serial hdf5)
mark_as_advanced(HDF5Serial_INCLUDE_DIR HDF5Serial_LIBRARY)

set(HDF5Serial_IS_SERIAL FALSE)
if(HDF5Serial_INCLUDE_DIR)
  file(STRINGS ${HDF5Serial_INCLUDE_DIR}/H5public.h HDF5Serial_VERSION REGEX "^#define H5_VERS_INFO")
  string(REGEX REPLACE ".*version: *([0-9.]*).*" "\\1" HDF5Serial_VERSION "${HDF5Serial_VERSION}")
  file(GLOB HDF5Serial_CONFIG ${HDF5Serial_INCLUDE_DIR}/H5pubconf*.h)
  set(HDF5Serial_IS_SERIAL TRUE)
  foreach(config ${HDF5Serial_CONFIG})
    file(STRINGS ${config} parallel REGEX "^#define H5_HAVE_PARALLEL 1")
    if(parallel)
      set(HDF5Serial_IS_SERIAL FALSE)
    endif()
  endforeach()
endif()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(HDF5Serial VERSION_VAR HDF5Serial_VERSION
  REQUIRED_VARS HDF5Serial_LIBRARY HDF5Serial_INCLUDE_DIR HDF5Serial_IS_SERIAL)

if(HDF5Serial_FOUND AND NOT TARGET HDF5Serial::HDF5Serial)
  add_library(HDF5Serial::HDF5Serial UNKNOWN IMPORTED)
  set_target_properties(HDF5Serial::HDF5Serial PROPERTIES
    IMPORTED_LOCATION "${HDF5Serial_LIBRARY}"
    INTERFACE_INCLUDE_DIRECTORIES "${HDF5Serial_INCLUDE_DIR}")
endif()
