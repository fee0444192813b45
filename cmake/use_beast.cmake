# SPDX-License-Identifier: Apache-2.0
# Selects one set of Boost headers if Beast compiles in the way the server uses it: defines
# apsis::beast and sets `beast_version`. Otherwise that is empty and `found_reason` holds the
# reason. A macro: both variables are the caller's.
set(apsis_boost_minimum 1.74)
macro(apsis_use_beast includes)
  apsis_check_beast("${includes}" beast_version found_reason)
  if(beast_version)
    find_package(Threads REQUIRED)
    add_library(apsis::beast INTERFACE IMPORTED GLOBAL)
    target_include_directories(apsis::beast SYSTEM INTERFACE ${includes})
    target_compile_definitions(apsis::beast INTERFACE BOOST_ASIO_DISABLE_CONCEPTS)
    target_link_libraries(apsis::beast INTERFACE Threads::Threads)
  endif()
endmacro()

function(apsis_check_beast includes version reason)
  set(${version} "" PARENT_SCOPE)
  set(${reason} "" PARENT_SCOPE)
  set(probe "${PROJECT_BINARY_DIR}/_probe_beast")
  # Boost 1.74 is BOOST_VERSION 107400.
  string(REGEX REPLACE "^([0-9]+)\\.([0-9]+)$" "\\1 * 100000 + \\2 * 100" minimum "${apsis_boost_minimum}")
  file(CONFIGURE OUTPUT "${probe}.cpp" @ONLY CONTENT [[
#include <boost/version.hpp>
#if BOOST_VERSION < @minimum@
#error Boost is older than @apsis_boost_minimum@
#endif
#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/core.hpp>
int main() {
  boost::asio::io_context context;
  boost::beast::tcp_stream const stream(context);
}
]])
  # Headers only: nothing is linked, so that no Boost library is required.
  set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)
  try_compile(works "${probe}" "${probe}.cpp"
    CMAKE_FLAGS "-DINCLUDE_DIRECTORIES=${includes}"
    # clang 21 reports that Asio's concepts depend on themselves (Boost 1.92).
    COMPILE_DEFINITIONS -DBOOST_ASIO_DISABLE_CONCEPTS
    CXX_STANDARD 20 CXX_STANDARD_REQUIRED ON
    OUTPUT_VARIABLE log)
  file(REMOVE_RECURSE "${probe}" "${probe}.cpp")
  if(NOT works)
    string(REGEX MATCH "[^\n]*error[^\n]*" first "${log}")
    set(${reason} "Boost's headers do not compile: ${first}" PARENT_SCOPE)
    return()
  endif()
  set(number "of unknown version")
  foreach(directory IN LISTS includes)
    if(EXISTS "${directory}/boost/version.hpp")
      file(STRINGS "${directory}/boost/version.hpp" line REGEX "define BOOST_LIB_VERSION ")
      string(REGEX MATCH "[0-9]+(_[0-9]+)+" number "${line}")
      string(REPLACE "_" "." number "${number}")
    endif()
  endforeach()
  set(${version} "Boost ${number}" PARENT_SCOPE)
endfunction()
