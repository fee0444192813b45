// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "render/caption.hpp"
#include <apsis/bodies/bodies.hpp>
#include <apsis/render/shot.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace apsis::render {

/// Greatest number of bodies that a legend lists one by one.
inline constexpr std::size_t most_listed_bodies = 12;

/// Returns the legend of a picture that is coloured by species or id, an empty one otherwise.
/// - By species: the species of the drawn bodies.
/// - By id: the name of each drawn body, or its id; with more than `most_listed_bodies` bodies the
///   remainders of the ids by the number of colours.
/// `species` and `names` have one entry for each body or are empty. Copies the ids of few bodies to
/// the host. O(N) for species.
Legend make_legend(ExecutionSpace const& space, Shot const& shot, Column<std::uint64_t> const& ids,
                   std::vector<std::uint8_t> const& species, std::vector<std::string> const& names);

}  // namespace apsis::render
