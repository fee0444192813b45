# SPDX-License-Identifier: Apache-2.0
# Kokkos::kokkos and Kokkos::kokkoskernels from Debian packages unpacked in APSIS_DEBIAN_ROOT. Used by the build and,
# installed beside its files, by find_package(apsis). Debian's own CMake package names absolute paths and a library that
# it does not contain.
if(NOT TARGET Kokkos::kokkos)
  file(GLOB apsis_kokkoscore "${APSIS_DEBIAN_ROOT}/kokkos/usr/lib/*/libkokkoscore.so")
  get_filename_component(apsis_kokkos_lib "${apsis_kokkoscore}" DIRECTORY)

  add_library(Kokkos::kokkos INTERFACE IMPORTED GLOBAL)
  target_include_directories(Kokkos::kokkos INTERFACE "${APSIS_DEBIAN_ROOT}/kokkos/usr/include/kokkos")
  target_compile_features(Kokkos::kokkos INTERFACE cxx_std_20)
  target_compile_options(Kokkos::kokkos INTERFACE -fopenmp)
  target_link_libraries(Kokkos::kokkos INTERFACE "${apsis_kokkoscore}" ${CMAKE_DL_LIBS})
  target_link_options(Kokkos::kokkos INTERFACE -fopenmp "-Wl,-rpath,${apsis_kokkos_lib}")

  file(GLOB apsis_loader "${APSIS_DEBIAN_ROOT}/kokkos-runtime/usr/lib*/ld-linux*.so.*")
  if(apsis_loader)
    file(GLOB apsis_runtime_lib "${APSIS_DEBIAN_ROOT}/kokkos-runtime/usr/lib/*-linux-gnu*")
    target_link_options(Kokkos::kokkos INTERFACE
      "-Wl,--dynamic-linker=${apsis_loader}" "-Wl,-rpath,${apsis_runtime_lib}"
      -Wl,--allow-shlib-undefined)
  endif()
endif()

# The headers of Kokkos Kernels are needed to build Apsis, not to use it: they are not installed.
if(NOT TARGET Kokkos::kokkoskernels AND EXISTS "${APSIS_DEBIAN_ROOT}/kernels")
  add_library(Kokkos::kokkoskernels INTERFACE IMPORTED GLOBAL)
  target_include_directories(Kokkos::kokkoskernels INTERFACE
    "${APSIS_DEBIAN_ROOT}/kernels/usr/include/trilinos")
  target_link_libraries(Kokkos::kokkoskernels INTERFACE Kokkos::kokkos)
endif()
