// SPDX-License-Identifier: Apache-2.0
#include "formats/gadget.hpp"
#include "harness.hpp"
#include "same_bodies.hpp"

#include <string>
#include <string_view>
#include <vector>

using namespace apsis;

/// Bodies that were read must be written and read back to the same bits, in every variant.
extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  std::string_view const bytes(reinterpret_cast<char const*>(data), size);
  formats::BodiesFile file;
  if (!fuzzing::accepted([&] { file = formats::read_gadget_image(bytes, "gadget"); })) return 0;
  for (int const format : {1, 2}) {
    for (bool const big : {false, true}) {
      std::vector<std::string> lost;
      auto const text = formats::write_gadget(file, {format, big, false}, "gadget", lost);
      auto const again = formats::read_gadget_image(text, "gadget");
      fuzzing::require(lost.empty(), "nothing is lost");
      fuzzing::require_same(again.bodies, file.bodies);
      fuzzing::require(fuzzing::same_bits(again.bodies.species, file.bodies.species),
                       "the same species");
      fuzzing::require(again.time == file.time, "the same time");
    }
  }
  return 0;
}
