// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "compare.hpp"
#include "diagnostics/force_error_sample.hpp"
#include "forces/fmm_or_direct.hpp"
#include <apsis/bodies/transfer.hpp>
#include <apsis/forces/direct.hpp>

#include <algorithm>
#include <cmath>

namespace apsis::benchmark {

template <class Number>
class FmmForces {
 public:
  using Stored = typename Number::Stored;

  FmmForces(ExecutionSpace const& space, HostBodies const& host, double accuracy)
      : space_(space),
        bodies_(to_device<Stored>(space, host)),
        potential_(Kokkos::view_alloc(space, "apsis::benchmark::potential"), host.size()),
        solver_(gravity_, {accuracy}) {}

  Bodies<Stored>& bodies() { return bodies_; }
  forces::Solver<Stored>& solver() { return solver_; }

  /// Evaluates accelerations and potentials. Does not fence.
  void evaluate() { solver_.evaluate(space_, forces::accelerations_of(bodies_, &potential_)); }
  void evaluate_forces() { solver_.evaluate(space_, forces::accelerations_of(bodies_)); }

  struct Errors {
    diagnostics::ErrorPercentiles acceleration, potential;
  };
  /// Errors of the last evaluate(), for a sample of bodies. On the host, O(N) for each of them.
  Errors errors(std::size_t sample) const {
    // Bodies as stored, after rounding.
    auto const host = to_host(Context(space_), bodies_);
    auto const chosen = diagnostics::random_sample(1, 0, sample, host.size());
    auto const expected = diagnostics::reference_field(host, gravity_, chosen);
    auto const phi = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), potential_);
    std::vector<double> potential_errors;
    for (std::size_t k = 0; k < chosen.size(); ++k) {
      potential_errors.push_back(diagnostics::relative_error(
          std::abs(phi(chosen[k]) - expected.potential[k]), std::abs(expected.potential[k])));
    }
    return {acceleration_errors(chosen, expected.acceleration),
            diagnostics::percentiles(std::move(potential_errors))};
  }

  /// Errors of accelerations of a sample, against direct summation in double on the device.
  diagnostics::ErrorPercentiles errors_by_pairs(std::size_t sample) const {
    auto const host = to_host(space_, bodies_);
    auto const chosen = diagnostics::random_sample(1, 0, sample, host.size());
    auto const bodies = to_device<double>(space_, host);
    forces::BodyList const sample_list("apsis::benchmark::sample", chosen.size());
    auto const host_list = Kokkos::create_mirror_view(sample_list);
    std::copy(chosen.begin(), chosen.end(), host_list.data());
    Kokkos::deep_copy(space_, sample_list, host_list);
    VectorColumns<double> const expected("apsis::benchmark::expected", chosen.size());
    forces::Direct<forces::Double>(gravity_).evaluate(
        space_, forces::field_at(bodies, forces::BodyRows::listed(sample_list, chosen.size()),
                                 forces::Field<double>::accelerations(expected)));
    auto const accelerations = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), expected);
    std::vector<Vec3<double>> exact;
    for (std::size_t k = 0; k < chosen.size(); ++k) {
      exact.push_back({accelerations(k, 0), accelerations(k, 1), accelerations(k, 2)});
    }
    return acceleration_errors(chosen, exact);
  }

  /// Momentum error: |sum of m a| / sum of |m a|.
  double momentum_error() const {
    auto const a = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), bodies_.acceleration);
    auto const m = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), bodies_.mass);
    Vec3<double> sum{};
    double size = 0.0;
    for (std::size_t i = 0; i < m.extent(0); ++i) {
      auto const mass = static_cast<double>(m(i));
      Vec3<double> const force{mass * static_cast<double>(a(i, 0)),
                               mass * static_cast<double>(a(i, 1)),
                               mass * static_cast<double>(a(i, 2))};
      sum += force;
      size += norm(force);
    }
    return diagnostics::relative_error(norm(sum), size);
  }

 private:
  diagnostics::ErrorPercentiles acceleration_errors(
      std::vector<std::size_t> const& chosen, std::vector<Vec3<double>> const& expected) const {
    auto const a = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), bodies_.acceleration);
    std::vector<double> errors;
    for (std::size_t k = 0; k < chosen.size(); ++k) {
      std::size_t const i = chosen[k];
      Vec3<double> const acceleration{a(i, 0), a(i, 1), a(i, 2)};
      errors.push_back(
          diagnostics::relative_error(norm(acceleration - expected[k]), norm(expected[k])));
    }
    return diagnostics::percentiles(std::move(errors));
  }

  static constexpr forces::Gravity gravity_{1.0, 0.01};
  ExecutionSpace space_;
  Bodies<Stored> bodies_;
  Column<double> potential_;
  forces::FmmOrDirect<Number> solver_;
};

}  // namespace apsis::benchmark
