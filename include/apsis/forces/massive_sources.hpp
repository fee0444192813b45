// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/core/execution.hpp>
#include <apsis/forces/request.hpp>

namespace apsis::forces {

/// The massive bodies of a run, gathered as sources. Example: five massive and a thousand massless
/// bodies are then five thousand interactions, not a million. Requests stay unchanged if all bodies
/// are massive, or if there are so many that sweeps over all bodies, with each pair evaluated once,
/// cost less.
template <class Stored>
class MassiveSources {
 public:
  /// Finds the massless bodies of all ranks in a column of masses, which must not change
  /// afterwards. Returns the number of massive bodies. O(N) on the host; fences.
  std::size_t detect(Context const& context, Column<Stored> const& mass);

  /// Whether a request can be evaluated with the massive sources only.
  bool can_serve(Request<Stored> const& request) const {
    if (!is_active_ || request.sources.mass.data() != all_masses_.data()) return false;
    // A potential excludes the body itself, which is identified by its row.
    return has_massive_first_ || !request.wanted.has(Wants::potential) || request.is_mutual();
  }
  /// Whether any request can be served.
  bool is_active() const { return is_active_; }
  /// Number of bodies of all ranks, if is_active().
  std::size_t bodies() const { return order_.extent(0); }
  bool empty() const { return massive_.extent(0) == 0; }
  /// Whether the massive bodies come first: row i of sources() is then body i.
  bool has_massive_first() const { return has_massive_first_; }

  /// Returns the massive sources of a request that can be served and has all bodies as sources.
  /// One launch unless has_massive_first(). Does not fence.
  Sources<Stored> sources(ExecutionSpace const& space, Request<Stored> const& request);
  /// Returns the request for the potentials of all bodies. It has rows of its own: the massive
  /// bodies, then the massless ones, shared among the ranks. After its evaluation
  /// scatter_potentials() copies them to the rows of `request`. Precondition: not
  /// has_massive_first(). Fences only if ranks share the bodies.
  Request<Stored> potential_request(Context const& context, Request<Stored> const& request);
  void scatter_potentials(Context const& context, Request<Stored> const& request);

 private:
  bool is_active_ = false;
  bool has_massive_first_ = false;
  Column<Stored> all_masses_;  ///< the column in which the massless bodies were found
  Column<Stored> massive_;     ///< masses of the massive bodies
  BodyList order_;             ///< rows of the massive bodies, then of the massless ones
  VectorColumns<Stored> position_, velocity_, acceleration_, position_low_;
  Column<double> potential_, potentials_;  ///< of this rank's share of the rows, and of all rows
};

}  // namespace apsis::forces
