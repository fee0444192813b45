// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/core/error.hpp>
#include <apsis/core/units.hpp>
#include <apsis/initial_conditions/model.hpp>
#include <apsis/io/deck.hpp>

#include <optional>
#include <string>
#include <vector>

namespace apsis::driver {

/// The units of a deck with the G it is run with, filled in where the deck leaves one of the two to
/// the other. A contradiction between them is added to `problems`. Nothing if what the deck says of
/// its units is wrong.
std::optional<Units> resolve_units(std::string const& source, io::Deck& deck,
                                   std::vector<Problem>& problems);

/// Adds a problem if a model makes its bodies in other units than the run has.
void check_units(initial_conditions::ModelEntry const& model, Units const& units,
                 std::string const& source, std::vector<Problem>& problems);

}  // namespace apsis::driver
