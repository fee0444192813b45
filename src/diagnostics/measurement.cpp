// SPDX-License-Identifier: Apache-2.0
#include "diagnostics/measurement.hpp"

#include <apsis/bodies/transfer.hpp>
#include <apsis/core/reductions.hpp>

#include <cmath>
#include <limits>

namespace apsis::diagnostics {

namespace {

/// Sums over bodies; center_of_mass holds the centre of mass times the mass.
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

struct MomentsOfBody {
  ReadBodies bodies;
  Column<double> specific_potential;

  KOKKOS_FUNCTION Moments operator()(std::size_t i) const {
    auto const x = row(bodies.position, i), v = row(bodies.velocity, i);
    double const m = bodies.mass(i);
    Moments result;
    result.mass = m;
    result.kinetic = 0.5 * m * dot(v, v);
    // Each pair is counted twice. A massless body has no energy even if phi is infinite.
    result.potential = m > 0.0 ? 0.5 * m * specific_potential(i) : 0.0;
    result.center_of_mass = m * x;
    result.momentum = m * v;
    result.angular_momentum = m * cross(x, v);
    return result;
  }
};

/// Internal kinetic energy m |v - V|^2 / 2 of a body.
struct InternalKineticOfBody {
  ReadBodies bodies;
  Vec3<double> mean_velocity;  ///< V

  KOKKOS_FUNCTION double operator()(std::size_t i) const {
    auto const v = row(bodies.velocity, i) - mean_velocity;
    return 0.5 * bodies.mass(i) * dot(v, v);
  }
};

/// Sums the internal kinetic energy in a second pass over the bodies: subtracting P^2 / 2M from K
/// would cancel significant digits.
double internal_kinetic(Context const& context, ReadBodies const& bodies, Measurement const& sums) {
  if (!(sums.mass > 0.0)) return 0.0;
  double const internal =
      fixed_order_sum<double>(context, "apsis::diagnostics::internal_kinetic", bodies.size(),
                              InternalKineticOfBody{bodies, (1.0 / sums.mass) * sums.momentum});
  // V has a relative error of a few epsilon. Bodies without relative motion would get an internal
  // kinetic energy from it.
  constexpr double rounding = 8.0 * std::numeric_limits<double>::epsilon();
  return internal <= rounding * rounding * sums.kinetic ? 0.0 : internal;
}

}  // namespace

bool Measurement::is_finite() const {
  auto const has_finite_components = [](Vec3<double> const& v) {
    return std::isfinite(v.x) && std::isfinite(v.y) && std::isfinite(v.z);
  };
  return std::isfinite(kinetic) && std::isfinite(potential) && std::isfinite(mass) &&
         std::isfinite(internal_kinetic) && has_finite_components(momentum) &&
         has_finite_components(angular_momentum) && has_finite_components(center_of_mass);
}

double Measurement::virial_ratio() const {
  return potential != 0.0 ? internal_kinetic / std::abs(potential) : 0.0;
}

Measurement measure(Context const& context, ReadBodies const& bodies,
                    Column<double> const& potential) {
  Measurement result = fixed_order_sum<Moments>(context, "apsis::diagnostics::measure",
                                                bodies.size(), MomentsOfBody{bodies, potential});
  result.center_of_mass =
      result.mass > 0.0 ? (1.0 / result.mass) * result.center_of_mass : Vec3<double>{};
  result.internal_kinetic = internal_kinetic(context, bodies, result);
  return result;
}

std::size_t first_not_finite(ExecutionSpace const& space, ReadBodies const& bodies,
                             Column<double> const& potential) {
  auto const host = to_host(space, bodies);
  auto const phi = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), potential);
  std::size_t i = 0;
  for (; i + 1 < host.size(); ++i) {
    auto const l = cross(host.position[i], host.velocity[i]);
    double const specific = host.mass[i] > 0.0 ? phi(i) : 0.0;  // as in measure()
    double const energy = 0.5 * dot(host.velocity[i], host.velocity[i]) + specific;
    double const sum = energy + std::abs(l.x) + std::abs(l.y) + std::abs(l.z);
    if (!std::isfinite(host.mass[i] * sum)) break;
  }
  return i;
}

}  // namespace apsis::diagnostics
