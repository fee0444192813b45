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
