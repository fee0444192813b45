// SPDX-License-Identifier: Apache-2.0
#include "harness.hpp"
#include "same_bodies.hpp"
#include <apsis/io/tipsy.hpp>

#include <string>
#include <string_view>
#include <vector>

using namespace apsis;

/// Bodies that were read must be written and read back to the same bits, in every variant.
extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  std::string_view const bytes(reinterpret_cast<char const*>(data), size);
  for (auto const ids : {io::TipsyIds::automatic, io::TipsyIds::integers, io::TipsyIds::none}) {
    io::BodiesFile file;
    if (!fuzzing::accepted([&] { file = io::read_tipsy(bytes, "tipsy", ids); })) continue;
    for (bool const little : {false, true}) {
      for (bool const pad : {false, true}) {
        std::vector<std::string> lost;
        auto const text = io::write_tipsy(file, {little, pad, file.has_ids, 0.0}, "tipsy", lost);
        auto const kind = file.has_ids ? io::TipsyIds::integers : io::TipsyIds::none;
        auto const again = io::read_tipsy(text, "tipsy", kind);
        // Only the species are left out.
        fuzzing::require(lost.size() == (file.bodies.species.empty() ? 0 : 1),
                         "32-bit numbers are written without loss");
        fuzzing::require_same(again.bodies, file.bodies);
        fuzzing::require(again.time == file.time, "same time");
      }
    }
  }
  return 0;
}
