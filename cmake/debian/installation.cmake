# SPDX-License-Identifier: Apache-2.0
# Kokkos from Debian packages is in the build tree, so the files for running and compiling are installed as well. Adds
# its libraries to apsis_own_libraries and names their loader, if they need one, in apsis_loader.
install(FILES cmake/debian/targets.cmake DESTINATION "${apsis_package_dir}" RENAME debian_targets.cmake)
install(DIRECTORY "${apsis_debian_dir}/kokkos" DESTINATION "${apsis_private_dir}/debian" COMPONENT program
  PATTERN share EXCLUDE)
file(GLOB apsis_library_dirs RELATIVE "${apsis_debian_dir}" "${apsis_debian_dir}/kokkos/usr/lib/*-linux-gnu*")
if(EXISTS "${apsis_debian_dir}/kokkos-runtime")
  install(DIRECTORY "${apsis_debian_dir}/kokkos-runtime" DESTINATION "${apsis_private_dir}/debian" COMPONENT program
    USE_SOURCE_PERMISSIONS PATTERN share EXCLUDE PATTERN gconv EXCLUDE)
  file(GLOB apsis_loader RELATIVE "${apsis_debian_dir}"
    "${apsis_debian_dir}/kokkos-runtime/usr/lib*/ld-linux*.so.*")
  string(PREPEND apsis_loader "debian/")
  file(GLOB apsis_runtime_dirs RELATIVE "${apsis_debian_dir}"
    "${apsis_debian_dir}/kokkos-runtime/usr/lib/*-linux-gnu*")
  list(APPEND apsis_library_dirs ${apsis_runtime_dirs})
endif()
list(TRANSFORM apsis_library_dirs PREPEND "debian/")
list(PREPEND apsis_own_libraries ${apsis_library_dirs})
