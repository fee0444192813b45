// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/core/context.hpp>
#include <apsis/forces/request.hpp>

namespace apsis::forces {

/// The bodies of a run that have mass, gathered as sources: five masses and a thousand massless
/// bodies are then five thousand pairs. Where all bodies have mass, or so many that meeting each
/// pair once costs less, requests stay what they are.
template <class Stored>
class MassiveSources {
 public:
  /// Looks for the bodies without mass in a column of masses, which must not change afterwards, of
  /// all processes. Returns how many have mass. O(N) on the host; fences.
  std::size_t find(Context const& context, Column<Stored> const& mass);

  /// Whether a request can do with fewer sources.
  bool serve(Request<Stored> const& request) const {
    if (!fewer_ || request.sources.mass.data() != all_.data()) return false;
    // A potential leaves out the body itself, which is known by its row.
    return in_front_ || !request.wanted.has_potential() || request.is_mutual();
  }
  /// Whether there are requests that it serves.
  bool fewer() const { return fewer_; }
  /// All bodies, of all processes, where there are.
  std::size_t bodies() const { return order_.extent(0); }
  bool empty() const { return massive_.extent(0) == 0; }
  /// Whether the rows of sources() are those of the same bodies among all.
  bool in_front() const { return in_front_; }

  /// The massive sources of a request that it serves and whose sources are all bodies. One launch
  /// unless they are in_front(). Does not fence.
  Sources<Stored> sources(ExecutionSpace const& space, Request<Stored> const& request);
  /// The request for the potential of all bodies alone, which has rows of its own: the massive
  /// bodies and then the others, of which each process has its share; after the evaluation put()
  /// takes them to their place. Only where the massive bodies are not in_front(). Do not fence but
  /// where processes share.
  Request<Stored> potentials(Context const& context, Request<Stored> const& request);
  void put(Context const& context, Request<Stored> const& request);

 private:
  bool fewer_ = false;
  bool in_front_ = false;
  Column<Stored> all_, massive_;  ///< masses
  BodyList order_;                ///< the rows with mass, then the others
  VectorColumns<Stored> position_, velocity_, acceleration_;
  Column<double> potential_, potentials_;  ///< of a share of the rows, and of all
};

}  // namespace apsis::forces
