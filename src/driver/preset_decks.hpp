// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/core/embedded.hpp>

namespace apsis::driver {

/// The decks of the demonstration, as they stand in inputs/, in the order in which they are shown.
std::span<Embedded const> preset_decks();

}  // namespace apsis::driver
