# SPDX-License-Identifier: Apache-2.0
# apsis_embed(FILE NAME HEADER NAMESPACE OUT): a source in which a function NAME of the HEADER gives
# the bytes of a file; OUT becomes its path. Made anew when the file changes.
function(apsis_embed file name header namespace out)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${file}")
  file(READ "${file}" bytes HEX)
  string(REGEX REPLACE "(..)" "0x\\1," bytes "${bytes}")
  set(source "${PROJECT_BINARY_DIR}/generated/embedded_${name}.cpp")
  file(CONFIGURE OUTPUT "${source}" @ONLY CONTENT [[
#include "@header@"

namespace @namespace@ {
namespace {
constexpr unsigned char bytes[] = {@bytes@};
}
std::span<unsigned char const> @name@() {
  return bytes;
}
}  // namespace @namespace@
]])
  set(${out} "${source}" PARENT_SCOPE)
endfunction()

# apsis_embed_files(FILES NAME HEADER NAMESPACE OUT): the same of several files, which NAME gives as a span
# of the HEADER's struct Embedded {name, bytes}.
function(apsis_embed_files files name header namespace out)
  set(arrays "")
  set(entries "")
  set(number 0)
  foreach(file IN LISTS files)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${file}")
    get_filename_component(base "${file}" NAME)
    file(READ "${file}" bytes HEX)
    string(REGEX REPLACE "(..)" "0x\\1," bytes "${bytes}")
    string(APPEND arrays "constexpr unsigned char bytes_${number}[] = {${bytes}};\n")
    string(APPEND entries "    {\"${base}\", bytes_${number}},\n")
    math(EXPR number "${number} + 1")
  endforeach()
  set(source "${PROJECT_BINARY_DIR}/generated/embedded_${name}.cpp")
  file(CONFIGURE OUTPUT "${source}" @ONLY CONTENT [[
#include "@header@"

namespace @namespace@ {
namespace {
@arrays@constexpr Embedded embedded[] = {
@entries@};
}
std::span<Embedded const> @name@() {
  return embedded;
}
}  // namespace @namespace@
]])
  set(${out} "${source}" PARENT_SCOPE)
endfunction()
