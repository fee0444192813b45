# SPDX-License-Identifier: Apache-2.0
# Provides the targets Kokkos::kokkos, Kokkos::kokkoskernels, apsis::hdf5, apsis::pictures, apsis::beast, CLI11::CLI11,
# nlohmann_json::nlohmann_json and doctest::doctest, each from the first of three places that has it:
#   system  an installed package, if it satisfies the backend
#   source  upstream's pinned release (or a checkout given by FETCHCONTENT_SOURCE_DIR_<NAME>)
#   debian  Debian's packages, unpacked into this build tree (Kokkos: OpenMP backend only)
# APSIS_DEPENDENCIES forces one of them. (A forced `source` applies to Kokkos: other libraries that upstream cannot
# provide still come from the other places, so that two checkouts are enough.)
include(try_external)
include(provide_from_system)
include(provide_from_source)
include(debian/provide)

foreach(choice "APSIS_BACKEND;serial;openmp;cuda;hip" "APSIS_DEPENDENCIES;auto;system;source;debian")
  list(POP_FRONT choice variable)
  if(NOT ${variable} IN_LIST choice)
    message(FATAL_ERROR "${variable} is '${${variable}}'; it must be one of ${choice}")
  endif()
endforeach()

# apsis_provide(LABEL NAME [MINIMUM version] CHECKOUTS ... ROOTS ... PACKAGES ... [RELEASE ...]): tries the places in
# order. Each apsis_<name>_from_<place>() sets `found` to a one-line description, or to nothing and `reason` to the
# reason: the version that exists, and the minimum. Missing libraries are collected, so that one configuration reports
# all of them. As soon as one is missing (property apsis_missing), places only report that a library is `available`, and
# nothing is downloaded in vain.
#   CHECKOUTS  FETCHCONTENT_SOURCE_DIR_<...> of its sources
#   ROOTS      variables that name an installation
#   PACKAGES   Debian's names, with the required versions
#   RELEASE    repository, tag, archive and its SHA-256: headers with a CMake package LABEL, by apsis_headers_from_<place>()
function(apsis_provide label name)
  cmake_parse_arguments(PARSE_ARGV 2 way "" "MINIMUM;PACKAGES" "CHECKOUTS;ROOTS;RELEASE")
  list(TRANSFORM way_CHECKOUTS PREPEND FETCHCONTENT_SOURCE_DIR_)
  set(kind ${name})
  if(way_RELEASE)
    set(kind headers)
  endif()
  if(APSIS_DEPENDENCIES STREQUAL auto)
    set(places system source debian)
    if(name STREQUAL kokkos AND APSIS_BACKEND MATCHES "cuda|hip")
      set(places source)  # only an own build certainly has the preset's architecture
    endif()
    # A checkout given by the user takes precedence over installed packages.
    foreach(checkout IN LISTS way_CHECKOUTS)
      if(${checkout})
        set(places source)
      endif()
    endforeach()
  else()
    set(places ${APSIS_DEPENDENCIES})
    if(APSIS_DEPENDENCIES STREQUAL source AND NOT name STREQUAL kokkos)
      list(APPEND places system debian)
    endif()
  endif()
  set(reasons "")
  foreach(place IN LISTS places)
    set(found "")
    cmake_language(CALL apsis_${kind}_from_${place})
    if(found)
      message(STATUS "${label}: ${found} [${place}]")
      set(apsis_${name}_place ${place} PARENT_SCOPE)
      return()
    elseif(reason STREQUAL available)
      message(STATUS "${label}: available [${place}]")
      return()
    endif()
    string(APPEND reasons "\n  ${place}: ${reason}")
  endforeach()
  message(STATUS "${label}: missing")
  # Advice, only on places that this configuration tries.
  set(ways "")
  if("system" IN_LIST places)
    if(way_PACKAGES)
      list(APPEND ways "install ${way_PACKAGES}")
    endif()
    list(JOIN way_ROOTS " and " roots)
    list(APPEND ways "name an installation with -D ${roots}")
  endif()
  if("source" IN_LIST places OR APSIS_DEPENDENCIES STREQUAL auto)
    list(JOIN way_CHECKOUTS " and -D " checkouts)
    list(APPEND ways "name a checkout with -D ${checkouts}")
  endif()
  if(NOT ways)
    list(APPEND ways "choose another APSIS_DEPENDENCIES than '${APSIS_DEPENDENCIES}'")
  endif()
  list(JOIN ways ", or " ways)
  set_property(GLOBAL APPEND_STRING PROPERTY apsis_missing
    "${label} cannot be provided for the ${APSIS_BACKEND} backend:${reasons}\n  To do: ${ways}\n")
endfunction()
# The same for headers that upstream publishes as one archive.
function(apsis_provide_headers label name minimum package repository tag archive sha256)
  string(TOUPPER "${label}" upper)
  apsis_provide(${label} ${name} MINIMUM ${minimum} CHECKOUTS ${upper} ROOTS ${label}_ROOT
    PACKAGES "${package} (${minimum} or newer)"
    RELEASE ${package} ${repository} ${tag} ARCHIVE ${archive} SHA256 ${sha256})
endfunction()

apsis_provide(Kokkos kokkos MINIMUM 4.6 CHECKOUTS KOKKOS KOKKOSKERNELS ROOTS Kokkos_ROOT KokkosKernels_ROOT)
apsis_provide(HDF5 hdf5 CHECKOUTS HDF5 ROOTS HDF5_ROOT PACKAGES libhdf5-dev)
apsis_provide("libpng and FreeType" pictures CHECKOUTS ZLIB LIBPNG FREETYPE ROOTS PNG_ROOT Freetype_ROOT
  PACKAGES "libpng-dev and libfreetype-dev")
if(apsis_hdf5_place STREQUAL debian AND apsis_pictures_place STREQUAL system)
  # The system's libpng brings the system's zlib. Another one beside HDF5 would make the order of directories decide.
  file(GLOB apsis_second_zlib "${apsis_debian_dir}/hdf5/usr/lib/*/libz.so*")
  if(apsis_second_zlib)
    file(REMOVE ${apsis_second_zlib})
  endif()
endif()
if(APSIS_ENABLE_VIEW)
  apsis_provide(Boost beast CHECKOUTS BOOST ROOTS Boost_ROOT PACKAGES libboost-dev)
  find_package(Threads REQUIRED)
  if(TARGET apsis::beast)
    target_compile_definitions(apsis::beast INTERFACE BOOST_ASIO_DISABLE_CONCEPTS)
    target_link_libraries(apsis::beast INTERFACE Threads::Threads)
  endif()
endif()
apsis_provide_headers(CLI11 cli11 2.4.1 libcli11-dev CLIUtils/CLI11 v2.6.1 archive/refs/tags/v2.6.1.tar.gz
  377691f3fac2b340f12a2f79f523c780564578ba3d6eaf5238e9f35895d5ba95)
set(JSON_Install OFF CACHE INTERNAL "")
set(JSON_BuildTests OFF CACHE INTERNAL "")
apsis_provide_headers(nlohmann_json json 3.11 nlohmann-json3-dev nlohmann/json v3.12.0
  releases/download/v3.12.0/json.tar.xz 42f6e95cad6ec532fd372391373363b62a14af6d771056dbfc86160e6dfff7aa)
if(APSIS_BUILD_TESTS)
  set(DOCTEST_WITH_TESTS OFF CACHE INTERNAL "")
  set(DOCTEST_NO_INSTALL ON CACHE INTERNAL "")
  # (Older ones cannot print every pointer.)
  apsis_provide_headers(doctest doctest 2.4.12 doctest-dev doctest/doctest v2.4.12 archive/refs/tags/v2.4.12.tar.gz
    73381c7aa4dee704bd935609668cf41880ea7f19fa0504a200e13b74999c2d70)
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
