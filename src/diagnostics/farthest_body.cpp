// SPDX-License-Identifier: Apache-2.0
#include "apsis/diagnostics/farthest_body.hpp"

#include <apsis/core/reductions.hpp>
#include <apsis/core/vec3.hpp>

#include <cmath>

namespace apsis::diagnostics {

namespace {

/// Mass and first moment of mass; a term of the sums for the centre of mass.
struct FirstMoment {
  double mass{};
  Vec3<double> position{};

  KOKKOS_FUNCTION FirstMoment& operator+=(FirstMoment const& b) {
    mass += b.mass;
    position += b.position;
    return *this;
  }
};

struct FirstMomentOfBody {
  ReadBodies bodies;

  KOKKOS_FUNCTION FirstMoment operator()(std::size_t i) const {
    double const m = bodies.mass(i);
    return {m, m * row(bodies.position, i)};
  }
};

/// Body with the largest squared distance; operator += is a maximum, so that it can be reduced as a
/// sum.
struct Farthest {
  double squared = -1.0;
  std::size_t index = 0;

  KOKKOS_FUNCTION Farthest& operator+=(Farthest const& b) {
    if (b.squared > squared) *this = b;
    return *this;
  }
};

struct SquaredDistance {
  ReadColumns position;
  Vec3<double> origin;

  KOKKOS_FUNCTION Farthest operator()(std::size_t i) const {
    auto const r = row(position, i) - origin;
    return {dot(r, r), i};
  }
};

}  // namespace

std::optional<FarthestBody> farthest_body(Context const& context, ReadBodies const& bodies) {
  if (bodies.size() == 0) return std::nullopt;
  auto const label = "apsis::diagnostics::farthest_body";
  auto const sum =
      fixed_order_sum<FirstMoment>(context, label, bodies.size(), FirstMomentOfBody{bodies});
  auto const centre = sum.mass > 0.0 ? (1.0 / sum.mass) * sum.position : Vec3<double>{};
  auto const farthest = fixed_order_sum<Farthest>(context, label, bodies.size(),
                                                  SquaredDistance{bodies.position, centre});
  return FarthestBody{std::sqrt(farthest.squared), farthest.index};
}

}  // namespace apsis::diagnostics
