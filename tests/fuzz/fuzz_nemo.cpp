// SPDX-License-Identifier: Apache-2.0
#include "formats/nemo/nemo_items.hpp"
#include "harness.hpp"

#include <cmath>
#include <string_view>

using namespace apsis;

/// Any bytes are refused, or give finite bodies.
extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  std::string_view const bytes(reinterpret_cast<char const*>(data), size);
  formats::BodiesFile file;
  if (!fuzzing::accepted([&] { file = formats::read_nemo({bytes, "nemo"}); })) return 0;
  fuzzing::require(std::isfinite(file.time), "a finite time");
  fuzzing::require(file.bodies.id.size() == file.bodies.size(), "an id for each body");
  for (std::size_t i = 0; i < file.bodies.size(); ++i) {
    for (auto const& vector : {file.bodies.position[i], file.bodies.velocity[i]}) {
      fuzzing::require(
          std::isfinite(vector.x) && std::isfinite(vector.y) && std::isfinite(vector.z),
          "finite coordinates");
    }
  }
  return 0;
}
