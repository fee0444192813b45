# SPDX-License-Identifier: Apache-2.0
# apsis_embed(FILES NAME HEADER NAMESPACE OUT): generates a source with a function NAME, declared in
# HEADER, that returns the files as a span of Embedded (core/embedded.hpp). OUT becomes its path.
# Regenerated when a file changes.
function(apsis_embed files name header namespace out)
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
