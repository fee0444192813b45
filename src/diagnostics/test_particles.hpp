// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/bodies/read_columns.hpp>
#include <apsis/core/execution.hpp>
#include <apsis/core/saved_state.hpp>

#include <cstddef>
#include <vector>

namespace apsis::diagnostics {

/// Massless bodies about one massive body, or without one. The massive body is not accelerated, so
/// in its frame the field is constant and the specific energy e = v^2 / 2 + phi of each massless
/// body is conserved.
class TestParticles {
 public:
  /// Precondition: the masses of the bodies do not change afterwards. O(N) on the host; fences.
  TestParticles(ExecutionSpace const& space, ReadBodies const& bodies);

  /// Returns the largest relative error of e of all massless bodies: the change of e over the
  /// energy_scale() of the body. The first call sets the initial e and the scale of each body.
  /// `potential` as for measure(). NaN counts as infinite. Collective; fences. O(N).
  double energy_error(Context const& context, ReadBodies const& bodies,
                      Column<double> const& potential);

  /// Forgets the initial energies of some bodies, which an event has changed; the next call of
  /// energy_error() sets them again. O(N) on the host; fences.
  void forget(ExecutionSpace const& space, std::vector<std::size_t> const& rows);

  void exchange(ExecutionSpace const& space, SavedState& state);

 private:
  std::ptrdiff_t massive_ = -1;  ///< row of the massive body; -1 if this rank does not have it
  bool known_ = false;           ///< whether the initial energies were ever set
  bool has_forgotten_ = false;   ///< whether the energy of a body may be forgotten
  Column<double> first_;         ///< initial specific energy of each body
  Column<double> scale_;         ///< energy scale of each body; below 0 if it is forgotten
};

}  // namespace apsis::diagnostics
