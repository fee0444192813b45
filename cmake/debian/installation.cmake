# SPDX-License-Identifier: Apache-2.0
# Kokkos from Debian packages lives in the build tree, so what runs and compiles goes along.
install(FILES cmake/debian/targets.cmake DESTINATION "${apsis_package_dir}" RENAME debian_targets.cmake)
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
if(apsis_pictures_place STREQUAL debian)
  list(APPEND apsis_library_dirs "$private/pictures")
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
