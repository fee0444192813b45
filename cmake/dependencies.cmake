# SPDX-License-Identifier: Apache-2.0
# Provides the targets Kokkos::kokkos, Kokkos::kokkoskernels, apsis::hdf5, apsis::pictures, apsis::beast, CLI11::CLI11,
# nlohmann_json::nlohmann_json and doctest::doctest. A minimum is a version that was built and tested.
set(APSIS_UPSTREAM https://github.com CACHE STRING "Where upstream's repositories are (or a copy of them)")
mark_as_advanced(APSIS_UPSTREAM)
foreach(choice "APSIS_BACKEND;serial;openmp;cuda;hip" "APSIS_DEPENDENCIES;auto;system;source;debian")
  list(POP_FRONT choice variable)
  if(NOT ${variable} IN_LIST choice)
    message(FATAL_ERROR "${variable} is '${${variable}}'; it must be one of ${choice}")
  endif()
endforeach()
include(provide)
include(libraries)
include(debian/provide)

apsis_declare(Kokkos kokkos/kokkos 5.1.0 MINIMUM 4.6 ARCHIVE releases/download/5.1.0/kokkos-5.1.0.tar.gz
  SHA256 7bdbdfc88033ed7d940c7940ed8919e1f2b78a9656c69276beb76ad45c41ec4e CHECKOUTS KOKKOS KOKKOSKERNELS
  ROOTS Kokkos_ROOT KokkosKernels_ROOT)
apsis_declare(KokkosKernels kokkos/kokkos-kernels 5.1.0)
apsis_declare(HDF5 HDFGroup/hdf5 hdf5_1.14.6 MINIMUM 1.10.8 ARCHIVE releases/download/hdf5_1.14.6/hdf5-1.14.6.tar.gz
  SHA256 e4defbac30f50d64e1556374aa49e574417c9e72c6b1de7a4ff88c4b1bea6e9b PACKAGE libhdf5-dev)
apsis_declare(zlib madler/zlib v1.3.1)
apsis_declare(libpng pnggroup/libpng v1.6.44)
apsis_declare(freetype freetype/freetype VER-2-13-3)
apsis_declare(pictures pnggroup/libpng v1.6.44 MINIMUM 1.6.39 LABEL "libpng and FreeType" CHECKOUTS ZLIB LIBPNG FREETYPE
  ROOTS PNG_ROOT Freetype_ROOT PACKAGE "libpng-dev and libfreetype-dev")
apsis_declare(Boost boostorg/boost boost-1.86.0 MINIMUM 1.74
  ARCHIVE releases/download/boost-1.86.0/boost-1.86.0-cmake.tar.xz
  SHA256 2c5ec5edcdff47ff55e27ed9560b0a0b94b07bd07ed9928b476150e16b0efc57 PACKAGE libboost-dev)
apsis_declare(CLI11 CLIUtils/CLI11 v2.6.1 MINIMUM 2.4.1 PACKAGE libcli11-dev
  SHA256 377691f3fac2b340f12a2f79f523c780564578ba3d6eaf5238e9f35895d5ba95)
apsis_declare(nlohmann_json nlohmann/json v3.12.0 MINIMUM 3.11.2 ARCHIVE releases/download/v3.12.0/json.tar.xz
  SHA256 42f6e95cad6ec532fd372391373363b62a14af6d771056dbfc86160e6dfff7aa PACKAGE nlohmann-json3-dev)
apsis_declare(doctest doctest/doctest v2.4.12 MINIMUM 2.4.9 PACKAGE doctest-dev
  SHA256 73381c7aa4dee704bd935609668cf41880ea7f19fa0504a200e13b74999c2d70)

# Options of Kokkos from source.
string(TOUPPER ${APSIS_BACKEND} apsis_backend_upper)
set(Kokkos_ENABLE_SERIAL ON CACHE BOOL "Kokkos: host backend")
set(Kokkos_ENABLE_${apsis_backend_upper} ON CACHE BOOL "Kokkos: the backend of this build")
if(APSIS_NATIVE AND APSIS_BACKEND MATCHES "serial|openmp")
  set(Kokkos_ARCH_NATIVE ON CACHE BOOL "Kokkos: this machine's instruction set")
endif()
if(APSIS_DEBUG_CHECKS)
  set(Kokkos_ENABLE_DEBUG_BOUNDS_CHECK ON CACHE BOOL "Kokkos: check View indices")
endif()
if(APSIS_BACKEND STREQUAL hip)
  set(Kokkos_ENABLE_ROCTHRUST OFF CACHE BOOL "Kokkos: sorting through rocThrust (unused here)")
endif()
# Kokkos Kernels: BLAS templates only, instantiated on use. (Prebuilt ones would add an hour of build time.)
set(KokkosKernels_ENABLE_ALL_COMPONENTS OFF CACHE BOOL "Kokkos Kernels: everything")
set(KokkosKernels_ENABLE_COMPONENT_BLAS ON CACHE BOOL "Kokkos Kernels: BLAS")
set(KokkosKernels_ADD_DEFAULT_ETI OFF CACHE BOOL "Kokkos Kernels: instantiate ahead")
foreach(tpl BLAS LAPACK CBLAS LAPACKE CUBLAS CUSPARSE CUSOLVER ROCBLAS ROCSPARSE ROCSOLVER MKL)
  set(KokkosKernels_ENABLE_TPL_${tpl} OFF CACHE BOOL "Kokkos Kernels: vendor library")
endforeach()
foreach(option JSON_Install JSON_BuildTests DOCTEST_WITH_TESTS)
  set(${option} OFF CACHE INTERNAL "")
endforeach()
set(DOCTEST_NO_INSTALL ON CACHE INTERNAL "")

if(TARGET Kokkos::kokkos AND TARGET Kokkos::kokkoskernels)
  message(STATUS "Kokkos: the enclosing project's targets")
endif()
apsis_require(Kokkos Kokkos::kokkos)
if(TARGET Kokkos::kokkos)
  apsis_require(KokkosKernels Kokkos::kokkoskernels)
endif()
get_property(apsis_kokkos_place GLOBAL PROPERTY apsis_Kokkos_place)
apsis_provide("" HDF5)
apsis_provide("" pictures)
get_property(apsis_HDF5_place GLOBAL PROPERTY apsis_HDF5_place)
get_property(apsis_pictures_place GLOBAL PROPERTY apsis_pictures_place)
if(apsis_HDF5_place STREQUAL debian AND apsis_pictures_place STREQUAL system)
  # The system's libpng brings the system's zlib. Another one beside HDF5 would make the order of directories decide.
  file(GLOB apsis_second_zlib "${apsis_debian_dir}/hdf5/usr/lib/*/libz.so*")
  if(apsis_second_zlib)
    file(REMOVE ${apsis_second_zlib})
  endif()
endif()
if(APSIS_ENABLE_VIEW)
  apsis_provide("" Boost)
  find_package(Threads REQUIRED)
  if(TARGET apsis::beast)
    # clang 21 reports that Asio's concepts depend on themselves (Boost 1.92).
    target_compile_definitions(apsis::beast INTERFACE BOOST_ASIO_DISABLE_CONCEPTS)
    target_link_libraries(apsis::beast INTERFACE Threads::Threads)
  endif()
endif()
apsis_require(CLI11 CLI11::CLI11)
apsis_require(nlohmann_json nlohmann_json::nlohmann_json)
if(APSIS_BUILD_TESTS)
  apsis_require(doctest doctest::doctest)
endif()
if(APSIS_ENABLE_PYTHON)
  include(python)
endif()

# Ends the configuration with the list of everything that is missing.
get_property(apsis_missing GLOBAL PROPERTY apsis_missing)
if(apsis_missing)
  message(FATAL_ERROR "${apsis_missing}CONTRIBUTING.md says how to build without a network.")
endif()
apsis_debian_clean()
