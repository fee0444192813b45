// SPDX-License-Identifier: Apache-2.0
#include "formats/text_bodies.hpp"
#include "harness.hpp"
#include "same_bodies.hpp"

#include <string>
#include <string_view>
#include <vector>

using namespace apsis;

/// Bodies that were read must be written and read back to the same bits, with blanks and commas.
extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  std::string_view const text(reinterpret_cast<char const*>(data), size);
  formats::BodiesFile file;
  if (!fuzzing::accepted([&] { file = formats::read_text_bodies({text, "text"}); })) return 0;
  file.time = 0.0;  // a table does not state it
  for (bool const csv : {false, true}) {
    std::vector<std::string> lost;
    auto const written = formats::write_text_bodies(file, {csv, file.has_ids}, lost);
    auto const again = formats::read_text_bodies({written, "text"});
    fuzzing::require(lost.empty(), "a table can hold all data of a table");
    fuzzing::require(again.has_ids == file.has_ids && again.unused.empty(), "the same columns");
    fuzzing::require_same(again.bodies, file.bodies);
  }
  return 0;
}
