# SPDX-License-Identifier: Apache-2.0
# Provides the targets Kokkos::kokkos, Kokkos::kokkoskernels, apsis::hdf5, apsis::pictures, apsis::beast,
# CLI11::CLI11, nlohmann_json::nlohmann_json and doctest::doctest, each from the first of three places that has it:
#   system  an installed package, if it satisfies the backend
#   source  upstream's pinned release (or a checkout named by FETCHCONTENT_SOURCE_DIR_<NAME>)
#   debian  Debian's packages, unpacked into this build tree (Kokkos: OpenMP backend only)
# APSIS_DEPENDENCIES forces one of them. (A forced `source` is about Kokkos: other libraries that
# upstream cannot give still come from the other places, so that two checkouts are enough.)
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

# Tries the places in order. Each apsis_<name>_from_<place>(found) sets `found` to a one-line
# description, or to nothing and `found_reason` to why not.
function(apsis_provide label name)
  if(APSIS_DEPENDENCIES STREQUAL auto)
    set(places system source debian)
    if(name STREQUAL kokkos AND APSIS_BACKEND MATCHES "cuda|hip")
      set(places source)  # only a build of its own is sure to be for the preset's architecture
    endif()
  else()
    set(places ${APSIS_DEPENDENCIES})
    if(APSIS_DEPENDENCIES STREQUAL source AND NOT name STREQUAL kokkos)
      list(APPEND places system debian)
    endif()
  endif()
  # A checkout that the user named is a choice: it goes before whatever happens to be installed.
  if(APSIS_DEPENDENCIES STREQUAL auto AND FETCHCONTENT_SOURCE_DIR_${ARGV2})
    set(places source)
  endif()
  set(reasons "")
  foreach(place IN LISTS places)
    cmake_language(CALL apsis_${name}_from_${place} found)
    if(found)
      message(STATUS "${label}: ${found} [${place}]")
      set(apsis_${name}_place ${place} PARENT_SCOPE)
      return()
    endif()
    string(APPEND reasons "\n  ${place}: ${found_reason}")
  endforeach()
  message(FATAL_ERROR "${label} cannot be provided for the ${APSIS_BACKEND} backend:${reasons}\n"
    "Install it and set ${label}_ROOT, or name a checkout with FETCHCONTENT_SOURCE_DIR_${ARGV2}.")
endfunction()

apsis_provide(Kokkos kokkos KOKKOS)
apsis_provide(HDF5 hdf5 HDF5)
get_target_property(apsis_hdf5_library apsis::hdf5 IMPORTED_LOCATION)
get_target_property(apsis_hdf5_more apsis::hdf5 INTERFACE_LINK_LIBRARIES)
get_filename_component(apsis_hdf5_dir "${apsis_hdf5_library}" DIRECTORY)
get_filename_component(apsis_hdf5_name "${apsis_hdf5_library}" NAME)
apsis_provide("libpng and FreeType" pictures LIBPNG)
get_property(apsis_picture_libraries GLOBAL PROPERTY apsis_picture_libraries)
if(APSIS_ENABLE_VIEW)
  apsis_provide(Boost beast BOOST)
endif()
apsis_provide(CLI11 cli11 CLI11)
apsis_provide(nlohmann_json json NLOHMANN_JSON)
if(APSIS_BUILD_TESTS)
  apsis_provide(doctest doctest DOCTEST)
endif()
