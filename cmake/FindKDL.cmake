# SPDX-License-Identifier: Apache-2.0
# Finds Orocos KDL, a peer that `appell bench` can measure, and defines the target KDL::KDL.
find_path(KDL_INCLUDE_DIR kdl/chainfdsolver_recursive_newton_euler.hpp)
find_path(KDL_EIGEN_DIR Eigen/Core PATH_SUFFIXES eigen3)
find_library(KDL_LIBRARY NAMES orocos-kdl)
mark_as_advanced(KDL_INCLUDE_DIR KDL_EIGEN_DIR KDL_LIBRARY)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(KDL REQUIRED_VARS KDL_LIBRARY KDL_INCLUDE_DIR KDL_EIGEN_DIR)

if(KDL_FOUND AND NOT TARGET KDL::KDL)
  add_library(KDL::KDL UNKNOWN IMPORTED)
  set_target_properties(KDL::KDL PROPERTIES
    IMPORTED_LOCATION "${KDL_LIBRARY}"
    INTERFACE_INCLUDE_DIRECTORIES "${KDL_INCLUDE_DIR};${KDL_EIGEN_DIR}")
endif()
