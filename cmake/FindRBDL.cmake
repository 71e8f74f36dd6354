# SPDX-License-Identifier: Apache-2.0
# Finds RBDL, a peer that `appell bench` can measure, and defines the target RBDL::RBDL.
find_path(RBDL_INCLUDE_DIR rbdl/rbdl.h)
find_path(RBDL_EIGEN_DIR Eigen/Core PATH_SUFFIXES eigen3)
find_library(RBDL_LIBRARY NAMES rbdl)
mark_as_advanced(RBDL_INCLUDE_DIR RBDL_EIGEN_DIR RBDL_LIBRARY)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(RBDL REQUIRED_VARS RBDL_LIBRARY RBDL_INCLUDE_DIR RBDL_EIGEN_DIR)

if(RBDL_FOUND AND NOT TARGET RBDL::RBDL)
  add_library(RBDL::RBDL UNKNOWN IMPORTED)
  set_target_properties(RBDL::RBDL PROPERTIES
    IMPORTED_LOCATION "${RBDL_LIBRARY}"
    INTERFACE_INCLUDE_DIRECTORIES "${RBDL_INCLUDE_DIR};${RBDL_EIGEN_DIR}")
endif()
