# Finds ARKODE of SUNDIALS 6 with its serial vectors and defines the target ARKODE::ARKODE.
# SUNDIALS' own CMake package would ask for every library it was built with, MPI and PETSc included.
find_path(ARKODE_INCLUDE_DIR arkode/arkode_erkstep.h)
find_library(ARKODE_LIBRARY NAMES sundials_arkode)
find_library(ARKODE_NVECSERIAL_LIBRARY NAMES sundials_nvecserial)
mark_as_advanced(ARKODE_INCLUDE_DIR ARKODE_LIBRARY ARKODE_NVECSERIAL_LIBRARY)

if(ARKODE_INCLUDE_DIR AND EXISTS ${ARKODE_INCLUDE_DIR}/sundials/sundials_config.h)
  file(STRINGS ${ARKODE_INCLUDE_DIR}/sundials/sundials_config.h ARKODE_VERSION
       REGEX "^#define SUNDIALS_VERSION \"")
  string(REGEX REPLACE "^[^\"]*\"([0-9.]*).*" "\\1" ARKODE_VERSION "${ARKODE_VERSION}")
endif()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(ARKODE HANDLE_VERSION_RANGE VERSION_VAR ARKODE_VERSION
  REQUIRED_VARS ARKODE_LIBRARY ARKODE_NVECSERIAL_LIBRARY ARKODE_INCLUDE_DIR)

if(ARKODE_FOUND AND NOT TARGET ARKODE::ARKODE)
  add_library(ARKODE::ARKODE UNKNOWN IMPORTED)
  set_target_properties(ARKODE::ARKODE PROPERTIES
    IMPORTED_LOCATION "${ARKODE_LIBRARY}"
    INTERFACE_LINK_LIBRARIES "${ARKODE_NVECSERIAL_LIBRARY};m"
    INTERFACE_INCLUDE_DIRECTORIES "${ARKODE_INCLUDE_DIR}")
endif()
