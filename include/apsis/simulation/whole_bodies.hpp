// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/bodies/bodies.hpp>
#include <apsis/bodies/host_bodies.hpp>
#include <apsis/bodies/read_columns.hpp>
#include <apsis/core/execution.hpp>
#include <apsis/diagnostics/density_centre.hpp>
#include <apsis/diagnostics/pair_distances.hpp>
#include <apsis/forces/gravity.hpp>
#include <apsis/simulation/simulation.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace apsis::simulation {

/// All bodies of a run at one time, in the memory space and the precision in which they are stored.
/// If several ranks share the bodies, they are gathered on the leader rank, and the other ranks
/// have no rows. Measurements (measurements.hpp) cache their results here; they belong to this time
/// only.
struct WholeBodies {
  ExecutionSpace space;
  forces::Gravity gravity;
  std::variant<Bodies<float>, Bodies<double>> bodies;
  std::shared_ptr<std::vector<std::uint8_t> const> species;  ///< one per body, or none
  std::shared_ptr<std::vector<double> const> radius;         ///< one per body, or none [length]
  std::shared_ptr<std::vector<std::string> const> names;     ///< one per body, or none
  std::optional<Column<double>> potential{};                 ///< if requested [length^2 / time^2]

  // Cached results.
  std::optional<HostBodies> host_bodies{};
  std::optional<std::vector<double>> host_potential{};
  std::optional<std::optional<diagnostics::DensityCentre>> density_centre{};
  std::optional<std::optional<diagnostics::PairDistances>> pair_distances{};

  /// The bodies of either precision, read as double.
  ReadBodies read() const;
};

/// Calls function(context, bodies, species) with the bodies of either precision, for copies in the
/// precision in which they are stored. Measurements use WholeBodies::read().
template <class Function>
decltype(auto) on_whole(WholeBodies const& whole, Function const& function) {
  return std::visit(
      [&](auto const& bodies) -> decltype(auto) {
        return function(Context(whole.space), bodies, *whole.species);
      },
      whole.bodies);
}
template <class Function>
decltype(auto) on_whole(Instant& instant, Function const& function) {
  return on_whole(instant.whole(), function);
}

}  // namespace apsis::simulation
