# SPDX-License-Identifier: Apache-2.0
# What `cmake --install` puts in place: the library, static and shared, with what a program needs to find it; the
# tools; their manual pages.

include(CMakePackageConfigHelpers)

set(package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/betr")
install(TARGETS betr_static betr_shared EXPORT betrTargets)
install(DIRECTORY "${PROJECT_SOURCE_DIR}/include/betr" "${PROJECT_BINARY_DIR}/include/betr"
  DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}" FILES_MATCHING PATTERN "*.h")
install(EXPORT betrTargets NAMESPACE betr:: DESTINATION "${package_dir}")
configure_package_config_file(cmake/betrConfig.cmake.in betrConfig.cmake INSTALL_DESTINATION "${package_dir}")
# Before 1.0 the interface may change with every minor version.
write_basic_package_version_file(betrConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/betrConfig.cmake" "${PROJECT_BINARY_DIR}/betrConfigVersion.cmake"
  DESTINATION "${package_dir}")

foreach(kind PUBLIC PRIVATE)
  set(modules ${BETR_LIBS_${kind}})
  list(FILTER modules INCLUDE REGEX "^absl::")
  list(TRANSFORM modules REPLACE "::" "_")
  list(JOIN modules " " pc_absl_${kind})
endforeach()
# The tree may be moved as a whole, and installed with another prefix, unless the libraries have a place of their own.
if(IS_ABSOLUTE "${CMAKE_INSTALL_LIBDIR}")
  set(pc_prefix "${CMAKE_INSTALL_PREFIX}")
else()
  cmake_path(APPEND CMAKE_INSTALL_PREFIX "${CMAKE_INSTALL_LIBDIR}" OUTPUT_VARIABLE pc_libdir)
  file(RELATIVE_PATH pc_prefix "${pc_libdir}/pkgconfig" "${CMAKE_INSTALL_PREFIX}")
  string(REGEX REPLACE "/$" "" pc_prefix "\${pcfiledir}/${pc_prefix}")
endif()
foreach(name LIBDIR INCLUDEDIR)
  set(pc_${name} "${CMAKE_INSTALL_${name}}")
  cmake_path(ABSOLUTE_PATH pc_${name} BASE_DIRECTORY "\${prefix}")
endforeach()
configure_file(cmake/betr.pc.in betr.pc @ONLY)
install(FILES "${PROJECT_BINARY_DIR}/betr.pc" DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig")

if(BETR_TOOLS)
  install(TARGETS ${BETR_TOOLS})
endif()
foreach(section 1 5 8)
  file(GLOB pages CONFIGURE_DEPENDS docs/man/*.${section})
  if(pages)
    install(FILES ${pages} DESTINATION "${CMAKE_INSTALL_MANDIR}/man${section}")
  endif()
endforeach()
install(FILES LICENSE README.md DESTINATION "${CMAKE_INSTALL_DOCDIR}")
# Headers and manual pages name pages of it.
install(DIRECTORY docs DESTINATION "${CMAKE_INSTALL_DOCDIR}"
  FILES_MATCHING PATTERN "*.md" PATTERN "*.py" PATTERN man EXCLUDE PATTERN __pycache__ EXCLUDE)
