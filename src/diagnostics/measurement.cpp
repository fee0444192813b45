// SPDX-License-Identifier: Apache-2.0
#include <apsis/bodies/transfer.hpp>
#include <apsis/core/reductions.hpp>
#include <apsis/diagnostics/measurement.hpp>

#include <cmath>
#include <limits>

namespace apsis::diagnostics {

namespace {

/// Sums over bodies; instead of the centre of mass, that times the mass.
struct Moments : Measurement {
  KOKKOS_FUNCTION Moments& operator+=(Moments const& b) {
    mass += b.mass;
    center_of_mass += b.center_of_mass;
    kinetic += b.kinetic;
    potential += b.potential;
    momentum += b.momentum;
    angular_momentum += b.angular_momentum;
    return *this;
  }
};

template <class Real>
struct MomentsOfBody {
  Bodies<Real> bodies;
  Column<double> specific_potential;

  KOKKOS_FUNCTION Moments operator()(std::size_t i) const {
    Vec3<double> const x{bodies.position(i, 0), bodies.position(i, 1), bodies.position(i, 2)};
    Vec3<double> const v{bodies.velocity(i, 0), bodies.velocity(i, 1), bodies.velocity(i, 2)};
    double const m = bodies.mass(i);
    Moments of;
    of.mass = m;
    of.kinetic = 0.5 * m * dot(v, v);
    // Each pair is seen from both sides. A massless body has no energy even where phi is infinite.
    of.potential = m > 0.0 ? 0.5 * m * specific_potential(i) : 0.0;
    of.center_of_mass = m * x;
    of.momentum = m * v;
    of.angular_momentum = m * cross(x, v);
    return of;
  }
};

/// m |v - V|^2 / 2 of a body.
template <class Real>
struct InternalKineticOfBody {
  Bodies<Real> bodies;
  Vec3<double> mean_velocity;  ///< V

  KOKKOS_FUNCTION double operator()(std::size_t i) const {
    Vec3<double> const own{bodies.velocity(i, 0), bodies.velocity(i, 1), bodies.velocity(i, 2)};
    auto const v = own - mean_velocity;
    return 0.5 * static_cast<double>(bodies.mass(i)) * dot(v, v);
  }
};

/// A second pass over the bodies: P^2 / 2M subtracted from K would cancel the digits that count.
template <class Real>
double internal_kinetic(Context const& context, Bodies<Real> const& bodies,
                        Measurement const& sums) {
  if (!(sums.mass > 0.0)) return 0.0;
  double const internal = fixed_order_sum<double>(
      context, "apsis::diagnostics::internal_kinetic", bodies.size(),
      InternalKineticOfBody<Real>{bodies, (1.0 / sums.mass) * sums.momentum});
  // V has a relative error of a few epsilon, which bodies at rest among each other seem to move by.
  constexpr double rounding = 8.0 * std::numeric_limits<double>::epsilon();
  return internal <= rounding * rounding * sums.kinetic ? 0.0 : internal;
}

}  // namespace

bool Measurement::finite() const {
  auto const is_finite = [](Vec3<double> const& v) {
    return std::isfinite(v.x) && std::isfinite(v.y) && std::isfinite(v.z);
  };
  return std::isfinite(kinetic) && std::isfinite(potential) && std::isfinite(mass) &&
         std::isfinite(internal_kinetic) && is_finite(momentum) && is_finite(angular_momentum) &&
         is_finite(center_of_mass);
}

double Measurement::virial_ratio() const {
  return potential != 0.0 ? internal_kinetic / std::abs(potential) : 0.0;
}

template <class Real>
Measurement measure(Context const& context, Bodies<Real> const& bodies,
                    Column<double> const& potential) {
  Measurement of = fixed_order_sum<Moments>(context, "apsis::diagnostics::measure", bodies.size(),
                                            MomentsOfBody<Real>{bodies, potential});
  of.center_of_mass = of.mass > 0.0 ? (1.0 / of.mass) * of.center_of_mass : Vec3<double>{};
  of.internal_kinetic = internal_kinetic(context, bodies, of);
  return of;
}

template <class Real>
std::size_t first_not_finite(ExecutionSpace const& space, Bodies<Real> const& bodies,
                             Column<double> const& potential) {
  auto const host = to_host(space, bodies);
  auto const phi = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), potential);
  std::size_t i = 0;
  for (; i + 1 < host.size(); ++i) {
    auto const l = cross(host.position[i], host.velocity[i]);
    double const specific = host.mass[i] > 0.0 ? phi(i) : 0.0;  // as in measure()
    double const energy = 0.5 * dot(host.velocity[i], host.velocity[i]) + specific;
    double const all = energy + std::abs(l.x) + std::abs(l.y) + std::abs(l.z);
    if (!std::isfinite(host.mass[i] * all)) break;
  }
  return i;
}

template std::size_t first_not_finite(ExecutionSpace const&, Bodies<float> const&,
                                      Column<double> const&);
template std::size_t first_not_finite(ExecutionSpace const&, Bodies<double> const&,
                                      Column<double> const&);
template Measurement measure(Context const&, Bodies<float> const&, Column<double> const&);
template Measurement measure(Context const&, Bodies<double> const&, Column<double> const&);

}  // namespace apsis::diagnostics
