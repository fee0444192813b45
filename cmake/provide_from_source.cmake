# SPDX-License-Identifier: Apache-2.0
# Upstream's pinned releases through FetchContent. Every GPU build takes Kokkos this way, because
# only an own build has the right architecture.
include(FetchContent)

set(APSIS_UPSTREAM https://github.com CACHE STRING "Where upstream's repositories are (or a copy of them)")
mark_as_advanced(APSIS_UPSTREAM)

# One quick test of the network per configuration, so that a machine without network continues
# within seconds.
function(apsis_upstream_reachable repository tag out)
  get_property(answer GLOBAL PROPERTY apsis_upstream_answer)
  if("${answer}" STREQUAL "")
    find_package(Git QUIET)
    set(status 1)
    if(GIT_EXECUTABLE)
      execute_process(
        COMMAND "${CMAKE_COMMAND}" -E env GIT_TERMINAL_PROMPT=0
                "${GIT_EXECUTABLE}" ls-remote --exit-code "${APSIS_UPSTREAM}/${repository}" ${tag}
        TIMEOUT 8 OUTPUT_QUIET ERROR_QUIET RESULT_VARIABLE status)
    endif()
    if(status EQUAL 0)
      set(answer yes)
    else()
      set(answer no)
      message(STATUS "upstream (${APSIS_UPSTREAM}) cannot be reached from here")
    endif()
    set_property(GLOBAL PROPERTY apsis_upstream_answer ${answer})
  endif()
  set(${out} ${answer} PARENT_SCOPE)
endfunction()

# Downloads one release into the build tree; `problem` is empty on success. FetchContent would end
# the configuration if a download fails, and the next place would never be tried.
function(apsis_download name repository tag problem)
  cmake_parse_arguments(PARSE_ARGV 4 release "" "ARCHIVE;SHA256" "")
  set(${problem} "" PARENT_SCOPE)
  set(directory "${PROJECT_BINARY_DIR}/_upstream/${name}")
  if(EXISTS "${directory}.done")
    return()
  endif()
  file(REMOVE_RECURSE "${directory}")
  if(release_ARCHIVE)
    set(file "${directory}.archive")
    file(DOWNLOAD "${APSIS_UPSTREAM}/${repository}/${release_ARCHIVE}" "${file}"
      STATUS status INACTIVITY_TIMEOUT 20)
    list(GET status 0 code)
    if(NOT code EQUAL 0)
      list(GET status 1 reason)
      set(${problem} "download of ${repository} ${tag} failed: ${reason}" PARENT_SCOPE)
      return()
    endif()
    file(SHA256 "${file}" sha256)
    if(NOT sha256 STREQUAL release_SHA256)
      set(${problem} "${repository} ${tag} is not the pinned release (SHA-256 ${sha256})" PARENT_SCOPE)
      return()
    endif()
    file(ARCHIVE_EXTRACT INPUT "${file}" DESTINATION "${directory}.unpacked")
    file(GLOB top "${directory}.unpacked/*")
    file(RENAME "${top}" "${directory}")
  else()
    execute_process(
      COMMAND "${CMAKE_COMMAND}" -E env GIT_TERMINAL_PROMPT=0 "${GIT_EXECUTABLE}"
              -c advice.detachedHead=false clone --quiet --depth 1 --branch ${tag}
              "${APSIS_UPSTREAM}/${repository}" "${directory}"
      RESULT_VARIABLE status OUTPUT_QUIET ERROR_VARIABLE reason)
    if(NOT status EQUAL 0)
      string(STRIP "${reason}" reason)
      set(${problem} "clone of ${repository} ${tag} failed: ${reason}" PARENT_SCOPE)
      return()
    endif()
  endif()
  file(TOUCH "${directory}.done")
endfunction()

# Declares one release (ARCHIVE path SHA256 hash, or a clone of its tag without them); `origin`
# becomes a description, or empty if the release is unavailable.
function(apsis_declare_release name override repository tag origin)
  set(${origin} "" PARENT_SCOPE)
  if(FETCHCONTENT_SOURCE_DIR_${override})
    if(NOT EXISTS "${FETCHCONTENT_SOURCE_DIR_${override}}/CMakeLists.txt")
      message(FATAL_ERROR "FETCHCONTENT_SOURCE_DIR_${override} is "
        "'${FETCHCONTENT_SOURCE_DIR_${override}}', which holds no CMakeLists.txt")
    endif()
    FetchContent_Declare(${name} SYSTEM)
    set(${origin} "checkout ${FETCHCONTENT_SOURCE_DIR_${override}}" PARENT_SCOPE)
    return()
  endif()
  apsis_upstream_reachable(${repository} ${tag} reachable)
  if(NOT reachable)
    set(found_reason "upstream cannot be reached, and FETCHCONTENT_SOURCE_DIR_${override} is not set" PARENT_SCOPE)
    return()
  endif()
  get_property(missing GLOBAL PROPERTY apsis_missing)
  if(missing AND NOT EXISTS "${PROJECT_BINARY_DIR}/_upstream/${name}.done")
    set(found_reason available PARENT_SCOPE)
    return()
  endif()
  find_package(Git QUIET)
  apsis_download(${name} ${repository} ${tag} problem ${ARGN})
  if(problem)
    message(STATUS "${problem}")
    set(found_reason "${problem}" PARENT_SCOPE)
    return()
  endif()
  FetchContent_Declare(${name} SYSTEM SOURCE_DIR "${PROJECT_BINARY_DIR}/_upstream/${name}")
  set(${origin} "${repository} ${tag}" PARENT_SCOPE)
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
  # Kokkos Kernels: BLAS templates only, instantiated on use; no prebuilt instantiations and no
  # vendor libraries (they would add an hour of build time and nothing that Apsis calls).
  set(KokkosKernels_ENABLE_ALL_COMPONENTS OFF CACHE BOOL "Kokkos Kernels: everything")
  set(KokkosKernels_ENABLE_COMPONENT_BLAS ON CACHE BOOL "Kokkos Kernels: BLAS")
  set(KokkosKernels_ADD_DEFAULT_ETI OFF CACHE BOOL "Kokkos Kernels: instantiate ahead")
  foreach(tpl BLAS LAPACK CBLAS LAPACKE CUBLAS CUSPARSE CUSOLVER ROCBLAS ROCSPARSE ROCSOLVER MKL)
    set(KokkosKernels_ENABLE_TPL_${tpl} OFF CACHE BOOL "Kokkos Kernels: vendor library")
  endforeach()
endmacro()

function(apsis_kokkos_from_source found)
  set(${found} "" PARENT_SCOPE)
  apsis_declare_release(kokkos KOKKOS kokkos/kokkos 5.1.0 kokkos_origin
    ARCHIVE releases/download/5.1.0/kokkos-5.1.0.tar.gz
    SHA256 7bdbdfc88033ed7d940c7940ed8919e1f2b78a9656c69276beb76ad45c41ec4e)
  if(kokkos_origin)
    apsis_declare_release(kokkoskernels KOKKOSKERNELS kokkos/kokkos-kernels 5.1.0
      kernels_origin)
  endif()
  if(NOT kokkos_origin OR NOT kernels_origin)
    set(found_reason "${found_reason}" PARENT_SCOPE)
    return()
  endif()
  apsis_kokkos_options()
  set(CMAKE_MESSAGE_LOG_LEVEL WARNING)  # their own messages are long and irrelevant for Apsis
  FetchContent_MakeAvailable(kokkos kokkoskernels)
  set(${found} "${kokkos_origin}, with Kokkos Kernels: ${kernels_origin}" PARENT_SCOPE)
endfunction()

macro(apsis_header_library_from_source found name override repository tag)
  set(${found} "" PARENT_SCOPE)
  apsis_declare_release(${name} ${override} ${repository} ${tag} origin ${ARGN})
  if(origin)
    set(CMAKE_MESSAGE_LOG_LEVEL WARNING)
    FetchContent_MakeAvailable(${name})
    set(${found} "${origin}" PARENT_SCOPE)
  else()
    set(found_reason "${found_reason}" PARENT_SCOPE)
  endif()
endmacro()

function(apsis_cli11_from_source found)
  apsis_header_library_from_source(${found} cli11 CLI11 CLIUtils/CLI11 v2.6.1
    ARCHIVE archive/refs/tags/v2.6.1.tar.gz
    SHA256 377691f3fac2b340f12a2f79f523c780564578ba3d6eaf5238e9f35895d5ba95)
endfunction()

function(apsis_json_from_source found)
  set(JSON_Install OFF CACHE INTERNAL "")
  set(JSON_BuildTests OFF CACHE INTERNAL "")
  apsis_header_library_from_source(${found} nlohmann_json NLOHMANN_JSON nlohmann/json v3.12.0
    ARCHIVE releases/download/v3.12.0/json.tar.xz
    SHA256 42f6e95cad6ec532fd372391373363b62a14af6d771056dbfc86160e6dfff7aa)
endfunction()

function(apsis_doctest_from_source found)
  set(DOCTEST_WITH_TESTS OFF CACHE INTERNAL "")
  set(DOCTEST_NO_INSTALL ON CACHE INTERNAL "")
  apsis_header_library_from_source(${found} doctest DOCTEST doctest/doctest v2.4.12
    ARCHIVE archive/refs/tags/v2.4.12.tar.gz
    SHA256 73381c7aa4dee704bd935609668cf41880ea7f19fa0504a200e13b74999c2d70)
endfunction()

# Builds and installs a C project once, separately from this one, whose variables it would set and
# with which it would be installed; `problem` is empty on success.
function(apsis_build_apart label source prefix problem)
  set(${problem} "" PARENT_SCOPE)
  if(EXISTS "${prefix}.done")
    return()
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
    set(${problem} "${source} does not build, see ${prefix}.log" PARENT_SCOPE)
    return()
  endif()
  file(REMOVE_RECURSE "${prefix}.build")
  file(TOUCH "${prefix}.done")
endfunction()

# Path of a declared release.
function(apsis_source_of name override out)
  if(FETCHCONTENT_SOURCE_DIR_${override})
    set(${out} "${FETCHCONTENT_SOURCE_DIR_${override}}" PARENT_SCOPE)
  else()
    set(${out} "${PROJECT_BINARY_DIR}/_upstream/${name}" PARENT_SCOPE)
  endif()
endfunction()

function(apsis_hdf5_from_source found)
  set(${found} "" PARENT_SCOPE)
  apsis_declare_release(hdf5 HDF5 HDFGroup/hdf5 hdf5_1.14.6 origin
    ARCHIVE releases/download/hdf5_1.14.6/hdf5-1.14.6.tar.gz
    SHA256 e4defbac30f50d64e1556374aa49e574417c9e72c6b1de7a4ff88c4b1bea6e9b)
  if(NOT origin)
    set(found_reason "${found_reason}" PARENT_SCOPE)
    return()
  endif()
  apsis_source_of(hdf5 HDF5 source)
  set(prefix "${PROJECT_BINARY_DIR}/_hdf5")
  set(zlib OFF)
  set(more ${CMAKE_DL_LIBS} m)
  find_package(ZLIB QUIET)
  if(ZLIB_FOUND)
    set(zlib ON)
    list(PREPEND more ${ZLIB_LIBRARIES})
  endif()
  apsis_build_apart(HDF5 "${source}" "${prefix}" problem
    -DHDF5_BUILD_TOOLS=OFF -DHDF5_BUILD_EXAMPLES=OFF -DHDF5_BUILD_HL_LIB=OFF -DHDF5_BUILD_CPP_LIB=OFF
    -DHDF5_BUILD_FORTRAN=OFF -DHDF5_BUILD_JAVA=OFF -DHDF5_ENABLE_PARALLEL=OFF
    -DHDF5_ENABLE_SZIP_SUPPORT=OFF -DHDF5_ENABLE_Z_LIB_SUPPORT=${zlib}
    -DHDF5_ENABLE_ZLIB_SUPPORT=${zlib} -DHDF5_ENABLE_NONSTANDARD_FEATURE_FLOAT16=OFF)
  if(problem)
    set(found_reason "${problem}" PARENT_SCOPE)
    return()
  endif()
  apsis_use_hdf5("${prefix}/lib/libhdf5.a" "${more}" "${prefix}/include")
  if(hdf5_version)
    set(${found} "${hdf5_version}, ${origin}" PARENT_SCOPE)
  endif()
  set(found_reason "${found_reason}" PARENT_SCOPE)
endfunction()

# libpng and FreeType, static, with a zlib built here as well.
function(apsis_pictures_from_source found)
  set(${found} "" PARENT_SCOPE)
  apsis_declare_release(zlib ZLIB madler/zlib v1.3.1 zlib_origin)
  if(zlib_origin)
    apsis_declare_release(libpng LIBPNG pnggroup/libpng v1.6.44 png_origin)
  endif()
  if(png_origin)
    apsis_declare_release(freetype FREETYPE freetype/freetype VER-2-13-3 freetype_origin)
  endif()
  if(NOT freetype_origin)
    set(found_reason "${found_reason}" PARENT_SCOPE)
    return()
  endif()
  set(prefix "${PROJECT_BINARY_DIR}/_pictures")
  set(zlib_options -DZLIB_BUILD_EXAMPLES=OFF -DZLIB_BUILD_TESTING=OFF -DZLIB_BUILD_SHARED=OFF)
  set(libpng_options -DPNG_SHARED=OFF -DPNG_TESTS=OFF -DPNG_TOOLS=OFF -DPNG_EXECUTABLES=OFF
    "-DZLIB_ROOT=${prefix}_zlib" "-DZLIB_LIBRARY=${prefix}_zlib/lib/libz.a"
    "-DZLIB_INCLUDE_DIR=${prefix}_zlib/include")
  set(freetype_options -DFT_DISABLE_ZLIB=ON -DFT_DISABLE_BZIP2=ON -DFT_DISABLE_PNG=ON
    -DFT_DISABLE_HARFBUZZ=ON -DFT_DISABLE_BROTLI=ON)
  foreach(name zlib libpng freetype)
    string(TOUPPER ${name} override)
    apsis_source_of(${name} ${override} source)
    apsis_build_apart(${name} "${source}" "${prefix}_${name}" problem ${${name}_options})
    if(problem)
      set(found_reason "${problem}" PARENT_SCOPE)
      return()
    endif()
  endforeach()
  apsis_use_pictures(
    "${prefix}_libpng/lib/libpng.a;${prefix}_freetype/lib/libfreetype.a;${prefix}_zlib/lib/libz.a;m"
    "${prefix}_libpng/include;${prefix}_freetype/include/freetype2")
  if(pictures_version)
    set(${found} "${pictures_version}, ${png_origin}, ${freetype_origin}" PARENT_SCOPE)
  endif()
  set(found_reason "${found_reason}" PARENT_SCOPE)
endfunction()

# Boost's headers, from a release with one folder per library (libs/<name>/include) or with a common
# folder. They are used in place: nothing of Boost is built.
function(apsis_beast_from_source found)
  set(${found} "" PARENT_SCOPE)
  if(FETCHCONTENT_SOURCE_DIR_BOOST)
    set(source "${FETCHCONTENT_SOURCE_DIR_BOOST}")
    set(origin "checkout ${source}")
    file(GLOB includes "${source}/boost/beast/core.hpp" "${source}/libs/beast/include/boost/beast/core.hpp")
    if(NOT includes)
      message(FATAL_ERROR "FETCHCONTENT_SOURCE_DIR_BOOST is '${source}', which holds no boost/beast/core.hpp")
    endif()
  else()
    apsis_declare_release(boost BOOST boostorg/boost boost-1.86.0 origin
      ARCHIVE releases/download/boost-1.86.0/boost-1.86.0-cmake.tar.xz
      SHA256 2c5ec5edcdff47ff55e27ed9560b0a0b94b07bd07ed9928b476150e16b0efc57)
    if(NOT origin)
      set(found_reason "${found_reason}" PARENT_SCOPE)
      return()
    endif()
    apsis_source_of(boost BOOST source)
  endif()
  if(EXISTS "${source}/boost/beast/core.hpp")
    set(includes "${source}")
  else()
    file(GLOB includes "${source}/libs/*/include" "${source}/libs/numeric/*/include")
  endif()
  apsis_use_beast("${includes}")
  if(beast_version)
    set(${found} "${beast_version}, ${origin}" PARENT_SCOPE)
  endif()
  set(found_reason "${found_reason}" PARENT_SCOPE)
endfunction()
