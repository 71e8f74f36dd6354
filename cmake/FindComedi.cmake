# SPDX-License-Identifier: Apache-2.0
# Finds Comedi's user-space library and defines the target Comedi::Comedi.
find_path(Comedi_INCLUDE_DIR comedilib.h)
find_library(Comedi_LIBRARY NAMES comedi)
mark_as_advanced(Comedi_INCLUDE_DIR Comedi_LIBRARY)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(Comedi REQUIRED_VARS Comedi_LIBRARY Comedi_INCLUDE_DIR)

if(Comedi_FOUND AND NOT TARGET Comedi::Comedi)
  add_library(Comedi::Comedi UNKNOWN IMPORTED)
  set_target_properties(Comedi::Comedi PROPERTIES
    IMPORTED_LOCATION "${Comedi_LIBRARY}" INTERFACE_INCLUDE_DIRECTORIES "${Comedi_INCLUDE_DIR}")
endif()
