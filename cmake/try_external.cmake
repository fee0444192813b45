# SPDX-License-Identifier: Apache-2.0
# apsis_try(NAME LIBRARIES INCLUDES ORIGIN): defines apsis::NAME from these libraries and headers if a program compiles
# and links with them: sets `found` to the version and ORIGIN. Otherwise `reason` says why. The program tells its version
# by `#pragma message`.
include(external)
set(apsis_hdf5_minimum 1.10.5)  # first version with all calls that snapshots need
set(apsis_boost_minimum 1.74)
set(apsis_probe_hdf5 [[
#include <H5pubconf.h>
#include <H5public.h>
#pragma message("version=HDF5 " APSIS_TEXT(H5_VERS_MAJOR) "." APSIS_TEXT(H5_VERS_MINOR) "." APSIS_TEXT(H5_VERS_RELEASE) ";")
#ifdef H5_HAVE_PARALLEL
#error it is built for MPI
#elif !H5_VERSION_GE(1, 10, 5)
#error it is older than 1.10.5
#endif
#include <hdf5.h>
int main() { return H5open() < 0; }
]])
set(apsis_probe_pictures [[
#include <cstdio>
#include <png.h>
#include <ft2build.h>
#include FT_FREETYPE_H
#pragma message("version=libpng " PNG_LIBPNG_VER_STRING " and FreeType " APSIS_TEXT(FREETYPE_MAJOR) "." APSIS_TEXT(FREETYPE_MINOR) "." APSIS_TEXT(FREETYPE_PATCH) ";")
#if PNG_LIBPNG_VER < 10600
#error libpng is older than 1.6
#endif
int main() {
  FT_Library library;
  int const failed = FT_Init_FreeType(&library);
  std::printf("%s", png_get_libpng_ver(nullptr));
  return failed;
}
]])
# BOOST_ASIO_DISABLE_CONCEPTS: clang 21 reports that Asio's concepts depend on themselves (Boost 1.92).
set(apsis_probe_beast [[
#define BOOST_ASIO_DISABLE_CONCEPTS
#include <boost/version.hpp>
#pragma message("version=Boost " BOOST_LIB_VERSION ";")
#if BOOST_VERSION < 107400
#error it is older than 1.74
#endif
#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/core.hpp>
int main() {
  boost::asio::io_context context;
  boost::beast::tcp_stream const stream(context);
}
]])

function(apsis_try name libraries includes origin)
  set(probe "${PROJECT_BINARY_DIR}/_probe_${name}_link")
  file(WRITE "${probe}.cpp" "#define APSIS_TEXT(x) APSIS_TEXT_(x)\n#define APSIS_TEXT_(x) #x\n${apsis_probe_${name}}")
  set(link "")
  if(libraries)
    list(GET libraries 0 first)
    cmake_path(GET first PARENT_PATH directory)
    set(link LINK_OPTIONS "LINKER:-rpath-link,${directory}" LINK_LIBRARIES ${libraries})
  else()
    set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)  # headers only
  endif()
  try_compile(works "${probe}" "${probe}.cpp" CMAKE_FLAGS "-DINCLUDE_DIRECTORIES=${includes}" ${link}
    CXX_STANDARD 20 CXX_STANDARD_REQUIRED ON OUTPUT_VARIABLE log)
  file(REMOVE_RECURSE "${probe}" "${probe}.cpp")
  set(version "of unknown version")
  if(log MATCHES "version=([^;\n]+)")
    string(REPLACE "_" "." version "${CMAKE_MATCH_1}")
  endif()
  if(works)
    apsis_external(${name} "${libraries}" "${includes}")
    set(found "${version}${origin}")
  else()
    string(REGEX MATCH "[^\n]*error[^\n]*" error "${log}")
    set(reason "${version} does not compile or link: ${error}")
  endif()
  return(PROPAGATE found reason)
endfunction()
