// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string_view>

namespace apsis::driver {

struct Embedded {
  std::string_view name;  ///< "cuda_sample_0.json"
  std::span<unsigned char const> bytes;
};

/// The decks of the demonstration, as they stand in inputs/, in the order in which they are shown.
std::span<Embedded const> preset_decks();

}  // namespace apsis::driver
