# SPDX-License-Identifier: Apache-2.0
# Provides the targets Kokkos::kokkos, Kokkos::kokkoskernels, apsis::hdf5, apsis::pictures,
# apsis::beast, CLI11::CLI11, nlohmann_json::nlohmann_json and doctest::doctest, each from the first
# of three places that has it:
#   system  an installed package, if it satisfies the backend
#   source  upstream's pinned release (or a checkout given by FETCHCONTENT_SOURCE_DIR_<NAME>)
#   debian  Debian's packages, unpacked into this build tree (Kokkos: OpenMP backend only)
# APSIS_DEPENDENCIES forces one of them. (A forced `source` applies to Kokkos: other libraries that
# upstream cannot provide still come from the other places, so that two checkouts are enough.)
include(provide_from_system)
include(provide_from_source)
include(debian/provide)
include(use_hdf5)
include(use_pictures)
include(use_beast)

set(apsis_known_backends serial openmp cuda hip)
if(NOT APSIS_BACKEND IN_LIST apsis_known_backends)
  message(FATAL_ERROR "APSIS_BACKEND is '${APSIS_BACKEND}'; it must be one of ${apsis_known_backends}")
endif()
set(apsis_known_places auto system source debian)
if(NOT APSIS_DEPENDENCIES IN_LIST apsis_known_places)
  message(FATAL_ERROR
    "APSIS_DEPENDENCIES is '${APSIS_DEPENDENCIES}'; it must be one of ${apsis_known_places}")
endif()

# apsis_provide(LABEL NAME CHECKOUTS ... ROOTS ... PACKAGES ...): tries the places in order. Each
# apsis_<name>_from_<place>(found) sets `found` to a one-line description, or to nothing and
# `found_reason` to the reason: the version that exists, and the minimum. Missing libraries are
# collected, so that one configuration reports all of them. As soon as one is missing (property
# apsis_missing), places only report that a library is `available`, and nothing is downloaded in
# vain.
#   CHECKOUTS  FETCHCONTENT_SOURCE_DIR_<...> of its sources
#   ROOTS      variables that name an installation
#   PACKAGES   Debian's names, with the required versions
function(apsis_provide label name)
  cmake_parse_arguments(PARSE_ARGV 2 way "" "PACKAGES" "CHECKOUTS;ROOTS")
  list(TRANSFORM way_CHECKOUTS PREPEND FETCHCONTENT_SOURCE_DIR_)
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
    cmake_language(CALL apsis_${name}_from_${place} found)
    if(found)
      message(STATUS "${label}: ${found} [${place}]")
      set(apsis_${name}_place ${place} PARENT_SCOPE)
      return()
    elseif(found_reason STREQUAL available)
      message(STATUS "${label}: available [${place}]")
      return()
    endif()
    string(APPEND reasons "\n  ${place}: ${found_reason}")
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

# Ends the configuration with the list of everything that is missing.
function(apsis_refuse_missing)
  get_property(missing GLOBAL PROPERTY apsis_missing)
  if(missing)
    message(FATAL_ERROR "${missing}CONTRIBUTING.md says how to build without a network.")
  endif()
endfunction()

apsis_provide(Kokkos kokkos CHECKOUTS KOKKOS KOKKOSKERNELS ROOTS Kokkos_ROOT KokkosKernels_ROOT)
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
endif()
apsis_provide(CLI11 cli11 CHECKOUTS CLI11 ROOTS CLI11_ROOT PACKAGES "libcli11-dev (${apsis_cli11_minimum} or newer)")
apsis_provide(nlohmann_json json CHECKOUTS NLOHMANN_JSON ROOTS nlohmann_json_ROOT
  PACKAGES "nlohmann-json3-dev (${apsis_json_minimum} or newer)")
if(APSIS_BUILD_TESTS)
  apsis_provide(doctest doctest CHECKOUTS DOCTEST ROOTS doctest_ROOT
    PACKAGES "doctest-dev (${apsis_doctest_minimum} or newer)")
endif()
apsis_refuse_missing()
apsis_debian_clean()
get_target_property(apsis_hdf5_library apsis::hdf5 IMPORTED_LOCATION)
get_target_property(apsis_hdf5_more apsis::hdf5 INTERFACE_LINK_LIBRARIES)
get_filename_component(apsis_hdf5_dir "${apsis_hdf5_library}" DIRECTORY)
get_filename_component(apsis_hdf5_name "${apsis_hdf5_library}" NAME)
get_property(apsis_picture_libraries GLOBAL PROPERTY apsis_picture_libraries)
