// SPDX-License-Identifier: Apache-2.0
#include "formats/tipsy.hpp"
#include "harness.hpp"
#include "same_bodies.hpp"

#include <string>
#include <string_view>
#include <vector>

using namespace apsis;

/// Bodies that were read must be written and read back to the same bits, in every variant.
extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  std::string_view const bytes(reinterpret_cast<char const*>(data), size);
  for (auto const ids :
       {formats::TipsyIds::automatic, formats::TipsyIds::integers, formats::TipsyIds::none}) {
    formats::BodiesFile file;
    if (!fuzzing::accepted([&] { file = formats::read_tipsy({bytes, "tipsy"}, ids); })) continue;
    for (bool const little : {false, true}) {
      for (bool const pad : {false, true}) {
        for (bool const wide : {false, true}) {
          std::vector<std::string> lost;
          std::string text;
          formats::TipsyOptions const options{little, pad, file.has_ids, 0.0, wide, wide};
          bool const is_written =
              fuzzing::accepted([&] { text = formats::write_tipsy(file, options, "tipsy", lost); });
          fuzzing::require(!wide || (is_written && lost.empty()),
                           "64-bit numbers are written without loss");
          if (!is_written || !lost.empty()) continue;  // 64-bit numbers rounded to 32 bits
          auto const kind = file.has_ids ? formats::TipsyIds::integers : formats::TipsyIds::none;
          auto const again = formats::read_tipsy({text, "tipsy"}, kind);
          fuzzing::require_same(again.bodies, file.bodies);
          fuzzing::require(fuzzing::same_bits(again.bodies.species, file.bodies.species),
                           "the same species");
          fuzzing::require(again.time == file.time, "same time");
        }
      }
    }
  }
  return 0;
}
