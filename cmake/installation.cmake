# SPDX-License-Identifier: Apache-2.0
# `cmake --install` gives the executable, the library, its headers and find_package(apsis).
include(CMakePackageConfigHelpers)
set(apsis_package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/apsis")

install(TARGETS apsis EXPORT apsisTargets ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}")
install(DIRECTORY "${PROJECT_SOURCE_DIR}/include/apsis" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}")
install(EXPORT apsisTargets NAMESPACE apsis:: DESTINATION "${apsis_package_dir}")
configure_package_config_file(cmake/apsisConfig.cmake.in "${apsis_generated_dir}/apsisConfig.cmake"
  INSTALL_DESTINATION "${apsis_package_dir}")
write_basic_package_version_file("${apsis_generated_dir}/apsisConfigVersion.cmake"
  COMPATIBILITY SameMinorVersion)
install(FILES "${apsis_generated_dir}/apsisConfig.cmake"
              "${apsis_generated_dir}/apsisConfigVersion.cmake"
  DESTINATION "${apsis_package_dir}")

# HDF5 that this build tree holds goes along, too.
set(apsis_private_dir "${CMAKE_INSTALL_LIBDIR}/apsis")
install(FILES cmake/hdf5_target.cmake DESTINATION "${apsis_package_dir}")
if(NOT apsis_hdf5_place STREQUAL system)
  install(DIRECTORY "${apsis_hdf5_dir}/" DESTINATION "${apsis_private_dir}/hdf5"
    FILES_MATCHING PATTERN "*.so*" PATTERN "*.a" PATTERN "*.debug" EXCLUDE)
endif()
set_target_properties(apsis_executable PROPERTIES INSTALL_RPATH_USE_LINK_PATH ON)
if(apsis_hdf5_place STREQUAL debian)
  file(RELATIVE_PATH apsis_up "/${CMAKE_INSTALL_BINDIR}" "/${apsis_private_dir}/hdf5")
  set_target_properties(apsis_executable PROPERTIES
    INSTALL_RPATH "$ORIGIN/${apsis_up}" INSTALL_RPATH_USE_LINK_PATH OFF)
endif()

if(NOT apsis_kokkos_place STREQUAL debian)
  install(TARGETS apsis_executable RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}")
  return()
endif()

# Kokkos from Debian packages lives in the build tree, so what runs and compiles goes along.
install(FILES cmake/debian_targets.cmake DESTINATION "${apsis_package_dir}")
install(DIRECTORY "${apsis_debian_dir}/kokkos" DESTINATION "${apsis_private_dir}/debian"
  PATTERN share EXCLUDE)
if(NOT EXISTS "${apsis_debian_dir}/kokkos-runtime")
  install(TARGETS apsis_executable RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}")
  return()
endif()
install(DIRECTORY "${apsis_debian_dir}/kokkos-runtime" DESTINATION "${apsis_private_dir}/debian"
  USE_SOURCE_PERMISSIONS PATTERN share EXCLUDE PATTERN gconv EXCLUDE)

# An executable names its loader by an absolute path, which an installation must not: a script asks
# the packages' loader by a path relative to itself.
install(TARGETS apsis_executable RUNTIME DESTINATION "${apsis_private_dir}")
file(GLOB apsis_loader RELATIVE "${apsis_debian_dir}"
  "${apsis_debian_dir}/kokkos-runtime/usr/lib*/ld-linux*.so.*")
file(GLOB apsis_library_dirs RELATIVE "${apsis_debian_dir}"
  "${apsis_debian_dir}/kokkos/usr/lib/*-linux-gnu*"
  "${apsis_debian_dir}/kokkos-runtime/usr/lib/*-linux-gnu*")
list(TRANSFORM apsis_library_dirs PREPEND "$private/debian/")
if(apsis_hdf5_place STREQUAL debian)
  list(APPEND apsis_library_dirs "$private/hdf5")
endif()
list(JOIN apsis_library_dirs ":" apsis_library_path)
file(CONFIGURE OUTPUT "${apsis_generated_dir}/apsis.${APSIS_BACKEND}" @ONLY CONTENT [[
#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Starts Apsis with the C library that came with its Kokkos.
private=$(dirname "$(readlink -f "$0")")/../@apsis_private_dir@
exec "$private/debian/@apsis_loader@" --library-path "@apsis_library_path@" \
  "$private/apsis.@APSIS_BACKEND@" "$@"
]])
install(PROGRAMS "${apsis_generated_dir}/apsis.${APSIS_BACKEND}"
  DESTINATION "${CMAKE_INSTALL_BINDIR}")
