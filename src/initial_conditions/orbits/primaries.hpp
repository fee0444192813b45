// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "initial_conditions/orbit.hpp"
#include <apsis/bodies/host_bodies.hpp>
#include <apsis/core/error.hpp>
#include <apsis/core/parameter.hpp>

namespace apsis::initial_conditions {

/// The centres of the orbits of a list, and an order in which its bodies can be placed. Bodies are
/// numbered through: those before the list, then those of the list, as their ids in the run.
///
///     list: A and B with positions, C about "A, B", M about C       centres: C: {0, 1}, M: {2}
///
class Primaries {
 public:
  /// Resolves the references of a list that follows `before.size()` bodies with the names of
  /// `before`. O(N log N), plus the sizes of the centres.
  Primaries(Values const& list, HostBodies const& before);

  /// Wrong references; the other members are unusable if there are any.
  std::vector<Problem> const& problems() const { return problems_; }
  /// Indices within the list, each after those that it orbits.
  std::vector<std::size_t> const& order() const { return order_; }
  /// Bodies whose centre of mass a body of the list orbits; those from `first` to `last` - 1, or
  /// the members if there are any.
  struct Centre {
    std::size_t first = 0, last = 0;
    std::vector<std::size_t> members{};
  };
  Centre const& centre(std::size_t index) const { return centres_[index]; }

 private:
  class Names;
  void resolve(std::size_t index, std::string const& text, Names const& names);
  void find_order();

  std::size_t before_;
  std::vector<Values> const& bodies_;
  std::vector<Centre> centres_;
  std::vector<std::size_t> order_;
  std::vector<Problem> problems_;
};

/// The primary of a body in the deck: its own key, or that of its list; "" if it has none.
std::string primary_of(Values const& list, Values const& body);

/// Whether orbits of the list refer to bodies before it.
bool refers_outside(Values const& list);

/// Keys of one body of a list that describe its orbit.
std::vector<Parameter> orbit_parameters();

/// Returns the state of a body relative to the centre of its orbit, for `gravity` = G times the sum
/// of both masses. Precondition: has_orbit(body), and find_orbit_problem() finds nothing.
OrbitalState listed_state(Values const& body, double gravity);

/// Returns the first problem with the keys of a body that describe an orbit, or its position
/// without an orbit; nothing if they are valid. `where`: place of the body.
std::optional<Problem> find_orbit_problem(Values const& body, std::string const& where);

}  // namespace apsis::initial_conditions
