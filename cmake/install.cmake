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
if(APPELL_TOOLS)
  appell_install_library(appell-tools)
  install(TARGETS appell_command)
  install(DIRECTORY models DESTINATION ${CMAKE_INSTALL_DATADIR}/appell)
  install(FILES cmake/FindLibYAML.cmake DESTINATION ${package_dir})
endif()

configure_package_config_file(cmake/appellConfig.cmake.in appellConfig.cmake
  INSTALL_DESTINATION ${package_dir} NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file(appellConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/appellConfig.cmake ${CMAKE_BINARY_DIR}/appellConfigVersion.cmake
        DESTINATION ${package_dir})

install(FILES docs/appell.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 OPTIONAL)
install(FILES README.md LICENSE NOTICE CITATION.cff DESTINATION ${CMAKE_INSTALL_DOCDIR} OPTIONAL)
install(DIRECTORY docs/ DESTINATION ${CMAKE_INSTALL_DOCDIR} FILES_MATCHING PATTERN "*.md")
