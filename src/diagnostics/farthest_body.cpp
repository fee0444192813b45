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

template <class Real>
struct FirstMomentOfBody {
  Bodies<Real> bodies;

  KOKKOS_FUNCTION FirstMoment operator()(std::size_t i) const {
    double const m = bodies.mass(i);
    return {m, {m * bodies.position(i, 0), m * bodies.position(i, 1), m * bodies.position(i, 2)}};
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

template <class Real>
struct SquaredDistance {
  VectorColumns<Real> position;
  Vec3<double> origin;

  KOKKOS_FUNCTION Farthest operator()(std::size_t i) const {
    double const x = position(i, 0) - origin.x;
    double const y = position(i, 1) - origin.y;
    double const z = position(i, 2) - origin.z;
    return {x * x + y * y + z * z, i};
  }
};

}  // namespace

template <class Real>
std::optional<FarthestBody> farthest_body(Context const& context, Bodies<Real> const& bodies) {
  if (bodies.size() == 0) return std::nullopt;
  auto const label = "apsis::diagnostics::farthest_body";
  auto const sum =
      fixed_order_sum<FirstMoment>(context, label, bodies.size(), FirstMomentOfBody<Real>{bodies});
  auto const centre = sum.mass > 0.0 ? (1.0 / sum.mass) * sum.position : Vec3<double>{};
  auto const farthest = fixed_order_sum<Farthest>(context, label, bodies.size(),
                                                  SquaredDistance<Real>{bodies.position, centre});
  return FarthestBody{std::sqrt(farthest.squared), farthest.index};
}

template std::optional<FarthestBody> farthest_body(Context const&, Bodies<float> const&);
template std::optional<FarthestBody> farthest_body(Context const&, Bodies<double> const&);

}  // namespace apsis::diagnostics
