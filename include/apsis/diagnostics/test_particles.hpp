// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/bodies/bodies.hpp>
#include <apsis/core/context.hpp>
#include <apsis/core/saved_state.hpp>
#include <apsis/core/vec3.hpp>

namespace apsis::diagnostics {

/// Massless bodies about one massive body, or about none. Nothing pulls that one, so the field is
/// fixed where it is, and each other body's energy against it, v^2 / 2 + phi, is conserved.
template <class Real>
class TestParticles {
 public:
  /// The bodies' masses must not change afterwards. O(N) on the host; fences.
  TestParticles(ExecutionSpace const& space, Bodies<Real> const& bodies);

  /// The largest relative error of e of all: its change over the energy_scale() of that body. The
  /// first call sets both. `potential` as of measure(). NaN counts as infinite. Fences. Cost O(N).
  double energy_error(Context const& context, Bodies<Real> const& bodies,
                      Column<double> const& potential);

  void exchange(ExecutionSpace const& space, SavedState& state);

 private:
  /// Velocity of the massive body, on whichever process it is; none if there is no such body.
  Vec3<double> reference(Context const& context, Bodies<Real> const& bodies) const;

  std::ptrdiff_t massive_ = -1;  ///< its row; -1 if it is not here
  bool known_ = false;           ///< whether e0 is
  Column<double> first_;         ///< e0 of each body
  Column<double> scale_;         ///< what its change is divided by
};

}  // namespace apsis::diagnostics
