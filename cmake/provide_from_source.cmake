# SPDX-License-Identifier: Apache-2.0
# Upstream's pinned releases through FetchContent. Every GPU build takes Kokkos this way, because only an own build has
# the right architecture.
include(FetchContent)

set(APSIS_UPSTREAM https://github.com CACHE STRING "Where upstream's repositories are (or a copy of them)")
mark_as_advanced(APSIS_UPSTREAM)

# One quick test of the network per configuration, so that a machine without network continues within seconds.
function(apsis_is_upstream_reachable repository tag)
  get_property(reachable GLOBAL PROPERTY apsis_upstream_answer)
  if("${reachable}" STREQUAL "")
    find_package(Git QUIET)
    set(status 1)
    if(GIT_EXECUTABLE)
      execute_process(
        COMMAND "${CMAKE_COMMAND}" -E env GIT_TERMINAL_PROMPT=0
                "${GIT_EXECUTABLE}" ls-remote --exit-code "${APSIS_UPSTREAM}/${repository}" ${tag}
        TIMEOUT 8 OUTPUT_QUIET ERROR_QUIET RESULT_VARIABLE status)
    endif()
    set(reachable yes)
    if(NOT status EQUAL 0)
      set(reachable no)
      message(STATUS "upstream (${APSIS_UPSTREAM}) cannot be reached from here")
    endif()
    set_property(GLOBAL PROPERTY apsis_upstream_answer ${reachable})
  endif()
  return(PROPAGATE reachable)
endfunction()

# Downloads one release into `source`; `reason` is empty on success. FetchContent would end the configuration if a
# download fails, and the next place would never be tried.
function(apsis_download repository tag)
  cmake_parse_arguments(PARSE_ARGV 2 release "" "ARCHIVE;SHA256" "")
  set(reason "")
  if(EXISTS "${source}.done")
    return(PROPAGATE reason)
  endif()
  file(REMOVE_RECURSE "${source}")
  if(release_ARCHIVE)
    set(file "${source}.archive")
    file(DOWNLOAD "${APSIS_UPSTREAM}/${repository}/${release_ARCHIVE}" "${file}" STATUS status INACTIVITY_TIMEOUT 20)
    list(POP_FRONT status code)
    if(NOT code EQUAL 0)
      set(reason "download of ${repository} ${tag} failed: ${status}")
      return(PROPAGATE reason)
    endif()
    file(SHA256 "${file}" sha256)
    if(NOT sha256 STREQUAL release_SHA256)
      set(reason "${repository} ${tag} is not the pinned release (SHA-256 ${sha256})")
      return(PROPAGATE reason)
    endif()
    file(ARCHIVE_EXTRACT INPUT "${file}" DESTINATION "${source}.unpacked")
    file(GLOB top "${source}.unpacked/*")
    file(RENAME "${top}" "${source}")
  else()
    execute_process(
      COMMAND "${CMAKE_COMMAND}" -E env GIT_TERMINAL_PROMPT=0 "${GIT_EXECUTABLE}"
              -c advice.detachedHead=false clone --quiet --depth 1 --branch ${tag}
              "${APSIS_UPSTREAM}/${repository}" "${source}"
      RESULT_VARIABLE status OUTPUT_QUIET ERROR_VARIABLE log)
    if(NOT status EQUAL 0)
      string(STRIP "clone of ${repository} ${tag} failed: ${log}" reason)
      return(PROPAGATE reason)
    endif()
  endif()
  file(TOUCH "${source}.done")
  return(PROPAGATE reason)
endfunction()

# Declares one release (ARCHIVE path SHA256 hash, or a clone of its tag without them); `origin` becomes a description
# and `source` its folder. `origin` is empty if the release is unavailable. MARKERS: files of which a checkout has one.
function(apsis_declare_release name repository tag)
  cmake_parse_arguments(PARSE_ARGV 3 release "" "" "MARKERS")
  if(NOT release_MARKERS)
    set(release_MARKERS CMakeLists.txt)
  endif()
  list(GET release_MARKERS 0 marker)
  set(origin "")
  string(TOUPPER FETCHCONTENT_SOURCE_DIR_${name} checkout)
  if(${checkout})
    set(source "${${checkout}}")
    list(TRANSFORM release_MARKERS PREPEND "${source}/")
    file(GLOB markers ${release_MARKERS})
    if(NOT markers)
      message(FATAL_ERROR "${checkout} is '${source}', which holds no ${marker}")
    endif()
    FetchContent_Declare(${name} SYSTEM)
    set(origin "checkout ${source}")
    return(PROPAGATE origin source)
  endif()
  apsis_is_upstream_reachable(${repository} ${tag})
  set(source "${PROJECT_BINARY_DIR}/_upstream/${name}")
  get_property(missing GLOBAL PROPERTY apsis_missing)
  if(NOT reachable)
    set(reason "upstream cannot be reached, and ${checkout} is not set")
  elseif(missing AND NOT EXISTS "${source}.done")
    set(reason available)
  else()
    find_package(Git QUIET)
    apsis_download(${repository} ${tag} ${release_UNPARSED_ARGUMENTS})
    if(reason)
      message(STATUS "${reason}")
    else()
      FetchContent_Declare(${name} SYSTEM SOURCE_DIR "${source}")
      set(origin "${repository} ${tag}")
    endif()
  endif()
  return(PROPAGATE origin source reason)
endfunction()

# A macro, so that Kokkos' own variables reach the whole project.
macro(apsis_kokkos_options)
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
  # Kokkos Kernels: BLAS templates only, instantiated on use; no prebuilt instantiations and no vendor libraries (they
  # would add an hour of build time and nothing that Apsis calls).
  set(KokkosKernels_ENABLE_ALL_COMPONENTS OFF CACHE BOOL "Kokkos Kernels: everything")
  set(KokkosKernels_ENABLE_COMPONENT_BLAS ON CACHE BOOL "Kokkos Kernels: BLAS")
  set(KokkosKernels_ADD_DEFAULT_ETI OFF CACHE BOOL "Kokkos Kernels: instantiate ahead")
  foreach(tpl BLAS LAPACK CBLAS LAPACKE CUBLAS CUSPARSE CUSOLVER ROCBLAS ROCSPARSE ROCSOLVER MKL)
    set(KokkosKernels_ENABLE_TPL_${tpl} OFF CACHE BOOL "Kokkos Kernels: vendor library")
  endforeach()
endmacro()

function(apsis_kokkos_from_source)
  apsis_declare_release(kokkos kokkos/kokkos 5.1.0 ARCHIVE releases/download/5.1.0/kokkos-5.1.0.tar.gz
    SHA256 7bdbdfc88033ed7d940c7940ed8919e1f2b78a9656c69276beb76ad45c41ec4e)
  if(origin)
    set(kokkos_origin "${origin}")
    apsis_declare_release(kokkoskernels kokkos/kokkos-kernels 5.1.0)
  endif()
  if(origin)
    apsis_kokkos_options()
    set(CMAKE_MESSAGE_LOG_LEVEL WARNING)  # their own messages are long and irrelevant for Apsis
    set(BUILD_SHARED_LIBS OFF)  # libapsis.so contains Kokkos
    FetchContent_MakeAvailable(kokkos kokkoskernels)
    set(found "${kokkos_origin}, with Kokkos Kernels: ${origin}")
  endif()
  return(PROPAGATE found reason)
endfunction()

function(apsis_headers_from_source)
  list(POP_FRONT way_RELEASE _)
  string(TOLOWER ${label} content)
  apsis_declare_release(${content} ${way_RELEASE})
  if(origin)
    set(CMAKE_MESSAGE_LOG_LEVEL WARNING)
    FetchContent_MakeAvailable(${content})
    set(found "${origin}")
  endif()
  return(PROPAGATE found reason)
endfunction()

# Builds and installs a C project in ${prefix} once, separately from this one, whose variables it would set and with
# which it would be installed; `reason` is empty on success.
function(apsis_build_apart label source prefix)
  set(reason "")
  if(EXISTS "${prefix}.done")
    return(PROPAGATE reason)
  endif()
  message(STATUS "${label}: building ${source}")
  file(REMOVE_RECURSE "${prefix}" "${prefix}.build")
  set(compiler "")
  if(CMAKE_C_COMPILER)
    set(compiler "-DCMAKE_C_COMPILER=${CMAKE_C_COMPILER}")
  endif()
  execute_process(
    COMMAND "${CMAKE_COMMAND}" -S "${source}" -B "${prefix}.build" -G "${CMAKE_GENERATOR}" ${compiler}
            "-DCMAKE_INSTALL_PREFIX=${prefix}" -DCMAKE_INSTALL_LIBDIR=lib -DCMAKE_BUILD_TYPE=Release
            -DCMAKE_POSITION_INDEPENDENT_CODE=ON -DBUILD_SHARED_LIBS=OFF -DBUILD_STATIC_LIBS=ON
            -DBUILD_TESTING=OFF ${ARGN}
    COMMAND_ECHO NONE OUTPUT_VARIABLE log ERROR_VARIABLE log RESULT_VARIABLE status)
  if(status EQUAL 0)
    execute_process(
      COMMAND "${CMAKE_COMMAND}" --build "${prefix}.build" --parallel --target install
      OUTPUT_VARIABLE log ERROR_VARIABLE log RESULT_VARIABLE status)
  endif()
  if(NOT status EQUAL 0)
    file(WRITE "${prefix}.log" "${log}")
    set(reason "${source} does not build, see ${prefix}.log")
  else()
    file(REMOVE_RECURSE "${prefix}.build")
    file(TOUCH "${prefix}.done")
  endif()
  return(PROPAGATE reason)
endfunction()

function(apsis_hdf5_from_source)
  apsis_declare_release(hdf5 HDFGroup/hdf5 hdf5_1.14.6 ARCHIVE releases/download/hdf5_1.14.6/hdf5-1.14.6.tar.gz
    SHA256 e4defbac30f50d64e1556374aa49e574417c9e72c6b1de7a4ff88c4b1bea6e9b)
  if(origin)
    set(prefix "${PROJECT_BINARY_DIR}/_hdf5")
    find_package(ZLIB QUIET)
    apsis_build_apart(HDF5 "${source}" "${prefix}"
      -DHDF5_BUILD_TOOLS=OFF -DHDF5_BUILD_EXAMPLES=OFF -DHDF5_BUILD_HL_LIB=OFF -DHDF5_BUILD_CPP_LIB=OFF
      -DHDF5_BUILD_FORTRAN=OFF -DHDF5_BUILD_JAVA=OFF -DHDF5_ENABLE_PARALLEL=OFF
      -DHDF5_ENABLE_SZIP_SUPPORT=OFF -DHDF5_ENABLE_Z_LIB_SUPPORT=${ZLIB_FOUND}
      -DHDF5_ENABLE_ZLIB_SUPPORT=${ZLIB_FOUND} -DHDF5_ENABLE_NONSTANDARD_FEATURE_FLOAT16=OFF)
    if(NOT reason)
      apsis_try(hdf5 "${prefix}/lib/libhdf5.a;${ZLIB_LIBRARIES};${CMAKE_DL_LIBS};m" "${prefix}/include" ", ${origin}")
    endif()
  endif()
  return(PROPAGATE found reason)
endfunction()

# libpng and FreeType, static, with a zlib built here as well.
function(apsis_pictures_from_source)
  set(prefix "${PROJECT_BINARY_DIR}/_pictures")
  set(zlib_options madler/zlib v1.3.1 -DZLIB_BUILD_EXAMPLES=OFF -DZLIB_BUILD_TESTING=OFF -DZLIB_BUILD_SHARED=OFF)
  set(libpng_options pnggroup/libpng v1.6.44 -DPNG_SHARED=OFF -DPNG_TESTS=OFF -DPNG_TOOLS=OFF -DPNG_EXECUTABLES=OFF
    "-DZLIB_ROOT=${prefix}_zlib" "-DZLIB_LIBRARY=${prefix}_zlib/lib/libz.a"
    "-DZLIB_INCLUDE_DIR=${prefix}_zlib/include")
  set(freetype_options freetype/freetype VER-2-13-3 -DFT_DISABLE_ZLIB=ON -DFT_DISABLE_BZIP2=ON -DFT_DISABLE_PNG=ON
    -DFT_DISABLE_HARFBUZZ=ON -DFT_DISABLE_BROTLI=ON)
  set(origins "")
  foreach(name zlib libpng freetype)
    list(POP_FRONT ${name}_options repository tag)
    apsis_declare_release(${name} ${repository} ${tag})
    if(NOT origin)
      return(PROPAGATE reason)
    endif()
    list(APPEND origins "${origin}")
    set(${name}_source "${source}")
  endforeach()
  foreach(name zlib libpng freetype)
    apsis_build_apart(${name} "${${name}_source}" "${prefix}_${name}" ${${name}_options})
    if(reason)
      return(PROPAGATE reason)
    endif()
  endforeach()
  list(JOIN origins ", " origins)
  apsis_try(pictures
    "${prefix}_libpng/lib/libpng.a;${prefix}_freetype/lib/libfreetype.a;${prefix}_zlib/lib/libz.a;m"
    "${prefix}_libpng/include;${prefix}_freetype/include/freetype2" ", ${origins}")
  return(PROPAGATE found reason)
endfunction()

# Boost's headers, from a release with one folder per library (libs/<name>/include) or with a common folder. They are
# used in place: nothing of Boost is built.
function(apsis_beast_from_source)
  apsis_declare_release(boost boostorg/boost boost-1.86.0 ARCHIVE releases/download/boost-1.86.0/boost-1.86.0-cmake.tar.xz
    SHA256 2c5ec5edcdff47ff55e27ed9560b0a0b94b07bd07ed9928b476150e16b0efc57
    MARKERS boost/beast/core.hpp libs/beast/include/boost/beast/core.hpp)
  if(origin)
    set(includes "${source}")
    if(NOT EXISTS "${source}/boost/beast/core.hpp")
      file(GLOB includes "${source}/libs/*/include" "${source}/libs/numeric/*/include")
    endif()
    apsis_try(beast "" "${includes}" ", ${origin}")
  endif()
  return(PROPAGATE found reason)
endfunction()
