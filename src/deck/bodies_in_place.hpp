// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/deck/configuration.hpp>

#include <memory>

namespace apsis::deck {

/// Returns the bodies as the content of a file if they can replace those of a deck by
/// configuration.bodies.file alone: the deck has bodies of the program already, as many, and with
/// names as these. Otherwise null: then with_bodies() configures the deck anew. Throws a bad-input
/// error that contains all problems of these bodies.
std::shared_ptr<formats::BodiesFile const> bodies_in_place(ConfiguredDeck const& deck,
                                                           HostBodies const& bodies);

}  // namespace apsis::deck
