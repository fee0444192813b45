# SPDX-License-Identifier: Apache-2.0
# HDF5, libpng with FreeType, and Boost, which have no CMake package that serves all places: the targets apsis::<name>.
include(external)

# apsis_try(NAME LIBRARIES INCLUDES ORIGIN): defines apsis::NAME if a program compiles and links with these libraries and
# headers: sets `found` to the version and ORIGIN. Otherwise `reason` says why.
set(apsis_probe_hdf5 [[
#include <H5pubconf.h>
#include <H5public.h>
#pragma message("version=HDF5 " TEXT(H5_VERS_MAJOR) "." TEXT(H5_VERS_MINOR) "." TEXT(H5_VERS_RELEASE) ";")
#ifdef H5_HAVE_PARALLEL
#error it is built for MPI
#endif
#include <hdf5.h>
int main() { return H5open() < 0; }
]])
set(apsis_probe_pictures [[
#include <png.h>
#include <ft2build.h>
#include FT_FREETYPE_H
#pragma message("version=libpng " PNG_LIBPNG_VER_STRING " and FreeType " TEXT(FREETYPE_MAJOR) "." TEXT(FREETYPE_MINOR) "." TEXT(FREETYPE_PATCH) ";")
int main() {
  FT_Library library;
  return FT_Init_FreeType(&library) + (png_get_libpng_ver(nullptr) == nullptr);
}
]])
function(apsis_try name libraries includes origin)
  set(probe "${PROJECT_BINARY_DIR}/_probe_${name}")
  file(WRITE "${probe}.cpp" "#define TEXT(x) TEXT_(x)\n#define TEXT_(x) #x\n${apsis_probe_${name}}")
  list(GET libraries 0 first)
  cmake_path(GET first PARENT_PATH directory)
  try_compile(works "${probe}" "${probe}.cpp" CMAKE_FLAGS "-DINCLUDE_DIRECTORIES=${includes}"
    LINK_OPTIONS "LINKER:-rpath-link,${directory}" LINK_LIBRARIES ${libraries} OUTPUT_VARIABLE log)
  file(REMOVE_RECURSE "${probe}" "${probe}.cpp")
  set(version "of unknown version")
  if(log MATCHES "version=([^;\n]+)")
    set(version "${CMAKE_MATCH_1}")
  endif()
  string(REGEX MATCH "[0-9][0-9.]+" number "${version}")
  if(NOT works)
    string(REGEX MATCH "[^\n]*error[^\n]*" error "${log}")
    set(reason "${version} does not compile or link: ${error}")
  elseif(number VERSION_LESS minimum)
    set(reason "${version} is installed, ${minimum} or newer is needed")
  else()
    apsis_external(${name} "${libraries}" "${includes}")
    set(found "${version}${origin}")
  endif()
  return(PROPAGATE found reason)
endfunction()

# Builds and installs a C project in ${prefix} once, separately from this one, whose variables it would set and with
# which it would be installed; `reason` is empty on success.
function(apsis_build_apart source prefix)
  set(reason "")
  if(EXISTS "${prefix}.done")
    return(PROPAGATE reason)
  endif()
  message(STATUS "building ${source}")
  file(REMOVE_RECURSE "${prefix}" "${prefix}.build")
  execute_process(
    COMMAND "${CMAKE_COMMAND}" -S "${source}" -B "${prefix}.build" -G "${CMAKE_GENERATOR}"
            "-DCMAKE_C_COMPILER=${CMAKE_C_COMPILER}" "-DCMAKE_INSTALL_PREFIX=${prefix}" -DCMAKE_INSTALL_LIBDIR=lib
            -DCMAKE_BUILD_TYPE=Release -DCMAKE_POSITION_INDEPENDENT_CODE=ON -DBUILD_SHARED_LIBS=OFF
            -DBUILD_STATIC_LIBS=ON -DBUILD_TESTING=OFF ${ARGN}
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

function(apsis_HDF5_from_system)
  find_package(HDF5 QUIET COMPONENTS C)
  set(reason "no serial HDF5 ${minimum} or newer is installed")
  if(HDF5_FOUND)
    set(libraries "")
    foreach(library IN LISTS HDF5_C_LIBRARIES)
      if(TARGET ${library})
        get_target_property(library ${library} LOCATION)
      endif()
      list(APPEND libraries "${library}")
    endforeach()
    list(GET libraries 0 first)
    if(NOT first MATCHES "\\.a$")
      set(libraries "${first}")  # a shared library knows its own dependencies
    endif()
    apsis_try(hdf5 "${libraries}" "${HDF5_C_INCLUDE_DIRS}" ", ${first}")
  endif()
  return(PROPAGATE found reason)
endfunction()

function(apsis_HDF5_from_source)
  apsis_fetch(HDF5 CMakeLists.txt)
  if(NOT reason)
    set(prefix "${PROJECT_BINARY_DIR}/_hdf5")
    find_package(ZLIB QUIET)
    apsis_build_apart("${source}" "${prefix}"
      -DHDF5_BUILD_TOOLS=OFF -DHDF5_BUILD_EXAMPLES=OFF -DHDF5_BUILD_HL_LIB=OFF -DHDF5_BUILD_CPP_LIB=OFF
      -DHDF5_BUILD_FORTRAN=OFF -DHDF5_BUILD_JAVA=OFF -DHDF5_ENABLE_PARALLEL=OFF
      -DHDF5_ENABLE_SZIP_SUPPORT=OFF -DHDF5_ENABLE_Z_LIB_SUPPORT=${ZLIB_FOUND}
      -DHDF5_ENABLE_ZLIB_SUPPORT=${ZLIB_FOUND} -DHDF5_ENABLE_NONSTANDARD_FEATURE_FLOAT16=OFF)
  endif()
  if(NOT reason)
    apsis_try(hdf5 "${prefix}/lib/libhdf5.a;${ZLIB_LIBRARIES};${CMAKE_DL_LIBS};m" "${prefix}/include" ", ${origin}")
  endif()
  return(PROPAGATE found reason)
endfunction()

function(apsis_pictures_from_system)
  find_package(PNG QUIET)
  find_package(Freetype QUIET)
  set(reason "libpng ${minimum} or newer and FreeType are not both installed")
  if(PNG_FOUND AND FREETYPE_FOUND)
    list(GET PNG_LIBRARIES 0 first)
    apsis_try(pictures "${PNG_LIBRARIES};${FREETYPE_LIBRARIES}" "${PNG_INCLUDE_DIRS};${FREETYPE_INCLUDE_DIRS}" ", ${first}")
  endif()
  return(PROPAGATE found reason)
endfunction()

# libpng and FreeType, static, with a zlib built here as well.
function(apsis_pictures_from_source)
  set(prefix "${PROJECT_BINARY_DIR}/_pictures")
  set(zlib_options -DZLIB_BUILD_EXAMPLES=OFF -DZLIB_BUILD_TESTING=OFF -DZLIB_BUILD_SHARED=OFF)
  set(libpng_options -DPNG_SHARED=OFF -DPNG_TESTS=OFF -DPNG_TOOLS=OFF -DPNG_EXECUTABLES=OFF "-DZLIB_ROOT=${prefix}_zlib"
    "-DZLIB_LIBRARY=${prefix}_zlib/lib/libz.a" "-DZLIB_INCLUDE_DIR=${prefix}_zlib/include")
  set(freetype_options -DFT_DISABLE_ZLIB=ON -DFT_DISABLE_BZIP2=ON -DFT_DISABLE_PNG=ON -DFT_DISABLE_HARFBUZZ=ON
    -DFT_DISABLE_BROTLI=ON)
  set(origins "")
  foreach(name zlib libpng freetype)
    apsis_fetch(${name} CMakeLists.txt)
    if(reason)
      return(PROPAGATE reason)
    endif()
    list(APPEND origins "${origin}")
    set(${name}_source "${source}")
  endforeach()
  foreach(name zlib libpng freetype)
    apsis_build_apart("${${name}_source}" "${prefix}_${name}" ${${name}_options})
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

# Boost's headers, of which nothing is built. Their version is read, because they take seconds to compile.
function(apsis_use_boost origin)
  set(reason "no boost/beast/core.hpp and boost/version.hpp in ${ARGN}")
  find_file(version_file boost/version.hpp PATHS ${ARGN} NO_DEFAULT_PATH NO_CACHE)
  find_file(beast boost/beast/core.hpp PATHS ${ARGN} NO_DEFAULT_PATH NO_CACHE)
  if(version_file AND beast)
    file(STRINGS "${version_file}" line REGEX "define BOOST_LIB_VERSION")
    string(REGEX MATCH "[0-9_]+[0-9]" version "${line}")
    string(REPLACE "_" "." version "${version}")
    if(version VERSION_LESS minimum)
      set(reason "Boost ${version} is installed, ${minimum} or newer is needed")
    else()
      apsis_external(beast "" "${ARGN}")
      set(found "${version}${origin}")
    endif()
  endif()
  return(PROPAGATE found reason)
endfunction()

# (Boost's package would require files of one version, and CMake's module does not exist where policy CMP0167 is new.)
function(apsis_Boost_from_system)
  set(reason "no Boost ${minimum} or newer is installed")
  if(NOT CMAKE_DISABLE_FIND_PACKAGE_Boost)
    find_path(APSIS_BOOST_INCLUDE_DIR boost/beast/core.hpp
      HINTS "${Boost_ROOT}" "$ENV{Boost_ROOT}" "${BOOST_ROOT}" "$ENV{BOOST_ROOT}" PATH_SUFFIXES include
      DOC "Boost's headers")
    mark_as_advanced(APSIS_BOOST_INCLUDE_DIR)
    if(APSIS_BOOST_INCLUDE_DIR)
      apsis_use_boost(", ${APSIS_BOOST_INCLUDE_DIR}" "${APSIS_BOOST_INCLUDE_DIR}")
    endif()
  endif()
  return(PROPAGATE found reason)
endfunction()

# A release has one folder per library (libs/<name>/include) or a common folder.
function(apsis_Boost_from_source)
  apsis_fetch(Boost "*/beast")
  if(NOT reason)
    set(includes "${source}")
    if(NOT EXISTS "${source}/boost/beast/core.hpp")
      file(GLOB includes "${source}/libs/*/include" "${source}/libs/numeric/*/include")
    endif()
    apsis_use_boost(", ${origin}" ${includes})
  endif()
  return(PROPAGATE found reason)
endfunction()
