// SPDX-License-Identifier: Apache-2.0
#include <apsis/core/error.hpp>
#include <apsis/integrators/criterion.hpp>

#include <cmath>

namespace apsis::integrators {

std::vector<CriterionEntry> const& criteria() {
  static std::vector<CriterionEntry> const table{
      {"aarseth",
       "sqrt(eta (|a| |a''| + |a'|^2) / (|a'| |a'''| + |a''|^2)), eta inside the root (Aarseth "
       "1985)",
       0.02, true},
      {"nitadori_makino",
       "eta ((|a| |a''| + |a'|^2) / (|a'''| |a'''''| + |a''''|^2))^(1/6), eta outside the root "
       "(Nitadori & Makino 2008)",
       0.4, true},
      {"softened_acceleration",
       "sqrt(2 eta eps / |a|) of the largest acceleration, as GADGET and SWIFT have it", 0.025,
       false},
  };
  return table;
}

CriterionEntry const& criterion_named(std::string const& name) {
  for (auto const& entry : criteria()) {
    if (entry.name == name) return entry;
  }
  throw Error(ExitStatus::internal, Problem{"criterion", "unknown '" + name + "'", "", ""});
}

template <class Real>
double softened_acceleration_step(ExecutionSpace const& space, Bodies<Real> const& bodies,
                                  double eta, double softening) {
  auto const acceleration = bodies.acceleration;
  double largest = 0.0;
  Kokkos::parallel_reduce(
      "apsis::integrators::softened_acceleration_step",
      Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<std::size_t>>(space, 0, bodies.size()),
      KOKKOS_LAMBDA(std::size_t i, double& most) {
        double squared = 0.0;
        for (int axis = 0; axis < 3; ++axis) {
          double const a = acceleration(i, axis);
          squared += a * a;
        }
        if (squared > most) most = squared;
      },
      Kokkos::Max<double>(largest));
  if (!(largest > 0.0)) return std::numeric_limits<double>::infinity();
  return std::sqrt(2.0 * eta * softening / std::sqrt(largest));
}

template double softened_acceleration_step(ExecutionSpace const&, Bodies<float> const&, double,
                                           double);
template double softened_acceleration_step(ExecutionSpace const&, Bodies<double> const&, double,
                                           double);

}  // namespace apsis::integrators
