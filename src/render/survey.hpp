// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/bodies/bodies.hpp>
#include <apsis/core/context.hpp>
#include <apsis/render/camera.hpp>

#include <optional>

/// What a photographer asks of the bodies before a picture. Each fences and costs O(N); none
/// depends on the number of threads.
namespace apsis::render {

/// Where the body with this id is [length]; nothing if there is none.
template <class Real>
std::optional<Vec3<double>> place_of(Context const& context, Bodies<Real> const& bodies,
                                     std::uint64_t body);

/// Which bodies are drawn: all, or those of one species.
struct Drawn {
  Column<std::uint8_t> kinds{};  ///< of each body
  int species = -1;              ///< < 0: all

  APSIS_INLINE_FUNCTION bool operator()(std::size_t i) const {
    return species < 0 || kinds.extent(0) == 0 || static_cast<int>(kinds(i)) == species;
  }
};

/// Half of what must be seen [length], along parallel rays, so that all bodies are, or all but one
/// in thirty where they are many: those of a cluster fly far. In steps of 1/16 of a power of two; 0
/// if all are in the middle.
template <class Real>
double half_extent(Context const& context, Bodies<Real> const& bodies, Drawn const& drawn,
                   Projection const& camera, double width_over_height);

/// [mass]; 0 if there are no bodies.
template <class Real>
double mean_mass(Context const& context, Bodies<Real> const& bodies);

/// The smallest above 0 and the largest [mass]; both 0 if no body has mass.
struct MassRange {
  double least, most;
};
template <class Real>
MassRange mass_range(Context const& context, Bodies<Real> const& bodies);

/// Root of the mean square [length / time]; 0 if it is not finite.
template <class Real>
double rms_speed(Context const& context, Bodies<Real> const& bodies);

}  // namespace apsis::render
