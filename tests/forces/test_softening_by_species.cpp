// SPDX-License-Identifier: Apache-2.0
#include "diagnostics/force_error_sample.hpp"
#include "forces/requests.hpp"
#include "support/contains.hpp"
#include "support/decks.hpp"
#include "support/relative.hpp"
#include "support/suites.hpp"
#include <apsis/forces/solver.hpp>
#include <apsis/simulation/simulation.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>

using namespace apsis;
using namespace apsis::testing;

namespace {

constexpr forces::SpeciesSoftening lengths{0.25, 0.125, 0.03125, 0.03125, 0.25, 0.5};

/// Bodies of all species but `other`. The first ones are massless.
HostBodies bodies_of_species(std::size_t bodies) {
  auto host = sample_bodies(bodies);
  for (std::size_t i = 0; i < bodies; ++i) {
    host.species.push_back(static_cast<std::uint8_t>(i % 5));
    if (i < bodies / 10) host.mass[i] = 0.0;
  }
  return host;
}

forces::Gravity law_of(forces::SofteningKernel kernel) {
  return {1.75, 0.0, kernel, lengths};
}

template <class Stored>
std::unique_ptr<forces::Solver<Stored>> make_solver(char const* name, forces::Precision precision,
                                                    forces::Gravity const& law,
                                                    HostBodies const& host, int derivatives = 0) {
  forces::Demand demand{law, precision};
  demand.derivatives = derivatives;
  auto solver = forces::solvers().get(name).make<Stored>(demand);
  solver->set_species(Context(), {host.species, 0, host.size(), host.size()});
  return solver;
}

using Wide = long double;
struct Motion {
  Vec3<double> acceleration, jerk;
  double potential;
};

/// Plain loop over all pairs with Plummer softening in extended precision.
Motion plain_loop(HostBodies const& host, std::size_t i, double G) {
  Wide a[3] = {}, jerk[3] = {}, depth = 0;
  for (std::size_t j = 0; j < host.size(); ++j) {
    if (j == i) continue;
    Wide const eps = std::max(lengths[host.species[i]], lengths[host.species[j]]);
    auto const dx = host.position[j] - host.position[i], dv = host.velocity[j] - host.velocity[i];
    Wide const r[3] = {dx.x, dx.y, dx.z}, v[3] = {dv.x, dv.y, dv.z};
    Wide const square = r[0] * r[0] + r[1] * r[1] + r[2] * r[2] + eps * eps;
    Wide const m = G * host.mass[j], f = m / (square * std::sqrt(square));
    Wide const p = -3 * (r[0] * v[0] + r[1] * v[1] + r[2] * v[2]) / square;
    for (int k = 0; k < 3; ++k) {
      a[k] += f * r[k];
      jerk[k] += f * (v[k] + p * r[k]);
    }
    depth += m / std::sqrt(square);
  }
  auto const rounded = [](Wide const(&x)[3]) {
    return Vec3<double>{static_cast<double>(x[0]), static_cast<double>(x[1]),
                        static_cast<double>(x[2])};
  };
  return {rounded(a), rounded(jerk), -static_cast<double>(depth)};
}

template <class Stored>
double difference(VectorColumns<Stored> const& columns, std::size_t row,
                  Vec3<double> const& expected) {
  auto const host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), columns);
  return norm(Vec3<double>{host(row, 0), host(row, 1), host(row, 2)} - expected) / norm(expected);
}

std::string const halo_and_disk = R"({
  "bodies": {"generator": "plummer", "count": 40, "seed": 1},
  "gravity": {"softening_by_species": {"gas": 0.3, "dark": 0.1, "disk": 0.02, "bulge": 0.02,
    "stars": 0.3}},
  "integrator": {"name": "leapfrog_kdk", "time_step": 0.0009765625},
  "run": {"steps": 10}})";

}  // namespace

TEST_CASE_TEMPLATE("softening by species: the larger length of a pair applies, in every result" *
                       testing::thread_counts,
                   Number, forces::Single, forces::Double, forces::Mixed) {
  using Stored = typename Number::Stored;
  bool const wide = sizeof(typename Number::Real) == 8;
  auto const precision = std::is_same_v<Number, forces::Single>
                             ? forces::Precision::single_precision
                         : wide ? forces::Precision::double_precision
                                : forces::Precision::mixed;
  ExecutionSpace const space;
  for (std::size_t const bodies : {std::size_t{40}, count}) {
    for (bool const excludes_massless : {false, true}) {
      CAPTURE(bodies);
      CAPTURE(excludes_massless);
      auto const host = as_stored<Stored>(bodies_of_species(bodies));
      auto const law = law_of(forces::SofteningKernel::plummer);
      auto const solver = make_solver<Stored>("direct", precision, law, host, 1);
      auto const on_device = moving<Stored>(host);
      if (excludes_massless) {
        CHECK(solver->exclude_massless_sources(space, on_device.mass) == bodies - bodies / 10);
      }
      std::vector<std::size_t> all_rows(bodies), scattered;
      std::iota(all_rows.begin(), all_rows.end(), std::size_t{0});
      for (std::size_t k = 0; k < bodies / 3; ++k) scattered.push_back(3 * k + k % 2);
      auto const check = [&](forces::Request<Stored> const& request,
                             std::vector<std::size_t> const& rows) {
        solver->evaluate(space, request);
        space.fence();
        auto const& field = request.wanted;
        auto const phi = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), field.potential);
        double worst = 0.0, worst_jerk = 0.0, worst_potential = 0.0;
        for (std::size_t k = 0; k < rows.size(); k += 7) {
          auto const expected = plain_loop(host, rows[k], law.G);
          if (field.has(forces::Wants::acceleration)) {
            worst = std::max(worst, difference(field.acceleration, k, expected.acceleration));
          }
          if (field.has(forces::Wants::jerk)) {
            worst_jerk = std::max(worst_jerk, difference(field.jerk, k, expected.jerk));
          }
          if (field.has(forces::Wants::potential)) {
            worst_potential =
                std::max(worst_potential, std::abs(phi(k) / expected.potential - 1.0));
          }
        }
        CHECK(worst < (wide ? 1e-13 : 2e-5));
        CHECK(worst_jerk < (wide ? 1e-12 : 1e-4));
        CHECK(worst_potential < 1e-5);
        if (field.wants == forces::Wants::potential) CHECK(worst_potential < 3e-15);
      };
      for (unsigned const wants : {1u, 3u, 8u, 9u}) {
        CAPTURE(wants);
        check(forces::field_of(on_device, make_field<Stored>(wants, bodies)), all_rows);
        check(forces::field_at(on_device,
                               forces::BodyRows::listed(list_of(scattered), scattered.size()),
                               make_field<Stored>(wants, scattered.size())),
              scattered);
      }
    }
  }
}

TEST_CASE("softening by species: kernels of finite size, and the fast multipole method" *
          testing::thread_counts) {
  ExecutionSpace const space;
  auto const host = bodies_of_species(6000);
  auto const bodies = to_device<double>(space, host);
  auto const sample = diagnostics::random_sample(1, 1, 200, host.size());
  for (auto const kernel : {forces::SofteningKernel::plummer, forces::SofteningKernel::spline,
                            forces::SofteningKernel::wendland_c2}) {
    auto const law = law_of(kernel);
    for (auto const* name : {"direct", "fmm"}) {
      CAPTURE(name);
      auto const solver = make_solver<double>(name, forces::Precision::double_precision, law, host);
      bool const is_exact = solver->accuracy() == 0.0;
      solver->exclude_massless_sources(space, bodies.mass);
      Column<double> const potential("apsis::tests::potential", host.size());
      for (int repetition = 0; repetition < 2; ++repetition) {
        solver->evaluate(space, forces::accelerations_of(bodies));
      }
      auto const errors = diagnostics::force_errors(space, bodies, law, sample, {}, host.species);
      CHECK(errors.maximum > 0.0);
      CHECK(errors.p99 < (is_exact ? 1e-13 : 2e-3));
      solver->evaluate(space, forces::potentials_of(bodies, potential));
      auto const phi = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), potential);
      auto const expected = diagnostics::reference_field(host, law, sample).potential;
      double worst = 0.0;
      for (std::size_t k = 0; k < sample.size(); ++k) {
        worst = std::max(worst, std::abs(phi(sample[k]) / expected[k] - 1.0));
      }
      CHECK(worst < (is_exact ? 1e-14 : 1e-3));
    }
  }
}

TEST_CASE("softening by species: equal lengths are one length, with the same bits" *
          testing::thread_counts) {
  ExecutionSpace const space;
  auto const host = bodies_of_species(300);
  auto const evaluate = [&](forces::Gravity const& law) {
    auto const bodies = to_device<double>(space, host);
    auto const solver =
        make_solver<double>("direct", forces::Precision::double_precision, law, host);
    solver->evaluate(space, forces::accelerations_of(bodies));
    auto const a = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), bodies.acceleration);
    return std::vector<double>(a.data(), a.data() + a.size());
  };
  forces::Gravity const one{1.0, 0.1};
  forces::Gravity by_species = one;
  by_species.softening_by_species.emplace().fill(0.1);
  CHECK(evaluate(by_species) == evaluate(one));
}

TEST_CASE("softening by species: energy, momentum and angular momentum are conserved") {
  auto host = bodies_of_species(40);
  for (auto const* name : {"leapfrog_kdk", "hermite4", "yoshida6"}) {
    CAPTURE(name);
    auto const run = configured(halo_and_disk, {std::string("integrator.name=") + name});
    auto const simulation = simulation::make_simulation(run, host);
    auto const before = simulation->measure();
    simulation->advance(200);
    auto const after = simulation->measure();
    CHECK(std::abs(after.total() / before.total() - 1.0) < 2e-7);
    CHECK(norm(after.momentum - before.momentum) < 1e-14);
    CHECK(norm(after.angular_momentum - before.angular_momentum) < 1e-13);
  }
}

TEST_CASE("softening by species: what has one length refuses it") {
  auto const problems = [](std::vector<std::string> const& overrides) {
    return problems_of(halo_and_disk, overrides);
  };
  CHECK(problems({}) == "");
  CHECK(contains(problems({"integrator.name=gauss_radau15"}),
                 "gravity.softening_by_species: contradicts integrator.name"));
  CHECK(contains(problems({"integrator.name=wisdom_holman"}),
                 "gravity.softening_by_species: contradicts integrator.name"));
  CHECK(contains(problems({"gravity.softening_kernel=none"}),
                 "gravity.softening_by_species.gas: contradicts gravity.softening_kernel"));
  CHECK(contains(problems({"removal={\"beyond\": 100}"}),
                 "gravity.softening_by_species: contradicts removal"));
  CHECK(contains(problems({"diagnostics.megno={}"}),
                 "diagnostics.megno: contradicts gravity.softening_by_species"));
  CHECK(contains(problems({"gravity.softening_by_species.gas=-1"}),
                 "gravity.softening_by_species.gas"));
  CHECK(contains(problems({"gravity.softening_by_species.halo=1"}), "halo"));
  CHECK(contains(problems({"gravity.softening_by_species.disk=1e-200"}),
                 "gravity.softening_by_species.disk: too small"));
  CHECK(problems({R"(integrator.stepping={"mode": "block", "eta": 0.01})"}) == "");
}
