// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "render/image.hpp"
#include <apsis/bodies/bodies.hpp>
#include <apsis/core/execution.hpp>

#include <optional>

/// Measurements before a picture: each fences and costs O(N); the same for any number of threads.
namespace apsis::render {

/// Returns the position of the body with this id [length]; empty if there is none.
template <class Real>
std::optional<Vec3<double>> find_position(Context const& context, Bodies<Real> const& bodies,
                                          std::uint64_t body);

/// Selects the bodies that are drawn: all, or those of one species.
struct DrawnBodies {
  Column<std::uint8_t> species_column{};  ///< species of each body
  int species = -1;                       ///< < 0: all species

  APSIS_INLINE_FUNCTION bool operator()(std::size_t i) const {
    return species < 0 || species_column.extent(0) == 0 ||
           static_cast<int>(species_column(i)) == species;
  }
};

/// Returns half of the extent [length] that shows all bodies along parallel rays. With more than
/// 256 bodies one in thirty may be outside, because escapers of a cluster move far out. Rounded up
/// to 1/16 of a power of two; 0 if all bodies are at the centre.
template <class Real>
double half_extent(Context const& context, Bodies<Real> const& bodies, DrawnBodies const& drawn,
                   Projection const& camera, double width_over_height);

/// Mean mass [mass]; 0 if there are no bodies.
template <class Real>
double mean_mass(Context const& context, Bodies<Real> const& bodies);

/// Smallest mass above 0 and largest mass [mass]; both 0 if no body has mass.
struct MassRange {
  double least, most;
};
template <class Real>
MassRange mass_range(Context const& context, Bodies<Real> const& bodies);

/// Root mean square speed [length / time]; 0 if it is not finite.
template <class Real>
double rms_speed(Context const& context, Bodies<Real> const& bodies);

}  // namespace apsis::render
