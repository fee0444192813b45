// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/deck/configuration.hpp>

namespace apsis::deck {

/// Returns a configured deck with bodies of the program instead of its own. Throws a bad-input
/// error that contains all problems of these bodies, and of the deck with them.
ConfiguredDeck with_bodies(ConfiguredDeck const& deck, HostBodies bodies);

}  // namespace apsis::deck
