# SPDX-License-Identifier: Apache-2.0
# What 'make install' puts where. Everything is relative to the prefix chosen then, so the
# installed tree can be moved: the pkg-config files and the CMake package find themselves.
include(CMakePackageConfigHelpers)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/appell)
set(pc_dir ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

# Installs library NAME, shared and static, with NAME.pc.
function(appell_install_library name)
  install(TARGETS ${name} EXPORT ${name}Targets)
  install(TARGETS ${name}_static EXPORT ${name}StaticTargets)
  foreach(set Targets StaticTargets)
    install(EXPORT ${name}${set} NAMESPACE appell:: DESTINATION ${package_dir})
  endforeach()
  file(RELATIVE_PATH pc_to_prefix /${pc_dir} /)
  string(REGEX REPLACE "/$" "" pc_to_prefix ${pc_to_prefix})
  configure_file(cmake/${name}.pc.in ${name}.pc @ONLY)
  install(FILES ${CMAKE_BINARY_DIR}/${name}.pc DESTINATION ${pc_dir})
endfunction()

install(DIRECTORY include/appell DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
        FILES_MATCHING PATTERN "*.h")
appell_install_library(appell)
appell_install_library(appell-research)
if(APPELL_TOOLS)
  set(tools_libs_private "-ldl")
  if(HDF5Serial_FOUND)
    cmake_path(GET HDF5Serial_LIBRARY STEM hdf5_name)
    string(REGEX REPLACE "^lib" "-l" hdf5_name ${hdf5_name})
    string(APPEND tools_libs_private " ${hdf5_name}")
  endif()
  if(Comedi_FOUND)
    string(APPEND tools_libs_private " -lcomedi")
  endif()
  string(APPEND tools_libs_private " -pthread")
  appell_install_library(appell-tools)
  install(TARGETS appell_command)
  if(NOT CMAKE_CROSSCOMPILING)
    install(FILES ${CMAKE_BINARY_DIR}/appell.bash RENAME appell
            DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
  endif()
  install(FILES cmake/FindLibYAML.cmake cmake/FindHDF5Serial.cmake
          cmake/FindComedi.cmake DESTINATION ${package_dir})
endif()

configure_package_config_file(cmake/appellConfig.cmake.in appellConfig.cmake
  INSTALL_DESTINATION ${package_dir} NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file(appellConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/appellConfig.cmake ${CMAKE_BINARY_DIR}/appellConfigVersion.cmake
        DESTINATION ${package_dir})

# The pages keep the layout of the sources, so that links between them work; those that lead to
# headers and models lead to where these are installed.
set(model_dir ${CMAKE_INSTALL_DATADIR}/appell/models)

# Installs PAGE into the folder DIR. What follows are pairs: a folder as links name it, and the
# installed one that is meant.
function(appell_install_page page dir)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${page})
  file(READ ${page} text)
  while(ARGN)
    list(POP_FRONT ARGN from to)
    file(RELATIVE_PATH to /${dir} /${to})
    string(REPLACE "](${from}/" "](${to}/" text "${text}")
  endwhile()
  file(CONFIGURE OUTPUT installed/${page} CONTENT "${text}" @ONLY)
  install(FILES ${CMAKE_BINARY_DIR}/installed/${page} DESTINATION ${dir})
endfunction()

appell_install_page(README.md ${CMAKE_INSTALL_DOCDIR}
  include ${CMAKE_INSTALL_INCLUDEDIR} models ${model_dir})
install(FILES CHANGELOG.md LICENSE NOTICE CITATION.cff SECURITY.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(FILES web/dist/LICENSES.txt DESTINATION ${CMAKE_INSTALL_DOCDIR}/web/dist)
file(GLOB pages RELATIVE ${CMAKE_CURRENT_SOURCE_DIR} CONFIGURE_DEPENDS docs/*.md docs/methods/*.md)
foreach(page ${pages})
  cmake_path(GET page PARENT_PATH folder)
  appell_install_page(${page} ${CMAKE_INSTALL_DOCDIR}/${folder}
    ../include ${CMAKE_INSTALL_INCLUDEDIR} ../models ${model_dir})
endforeach()
install(DIRECTORY docs/images DESTINATION ${CMAKE_INSTALL_DOCDIR}/docs)
install(DIRECTORY examples DESTINATION ${CMAKE_INSTALL_DOCDIR} FILES_MATCHING PATTERN "*.c")
install(DIRECTORY bindings/python/tutorials DESTINATION ${CMAKE_INSTALL_DOCDIR}/bindings/python
        FILES_MATCHING PATTERN "*.py")
install(DIRECTORY models/ DESTINATION ${model_dir} PATTERN README.md EXCLUDE)
appell_install_page(models/README.md ${model_dir} ../docs ${CMAKE_INSTALL_DOCDIR}/docs)
install(FILES docs/appell.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
