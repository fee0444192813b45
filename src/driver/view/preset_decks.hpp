// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/embedded.hpp"

namespace apsis::driver {

/// Returns the decks of the demonstration, as in inputs/, in the order in which they are shown.
std::span<Embedded const> preset_decks();

}  // namespace apsis::driver
