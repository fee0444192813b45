// SPDX-License-Identifier: Apache-2.0
#include "fmm_run.hpp"
#include "support/suites.hpp"
#include <apsis/core/backend.hpp>
#include <apsis/forces/solver_entry.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>

using namespace apsis;
using namespace apsis::testing;

namespace {

/// Memory that solvers have allocated, and its maximum [bytes].
struct Ledger {
  std::map<void const*, std::uint64_t> sizes;
  std::uint64_t current = 0, peak = 0;
};

Ledger& ledger() {
  static Ledger instance;
  return instance;
}

void allocated(Kokkos::Tools::SpaceHandle, char const* name, void const* address,
               std::uint64_t size) {
  if (std::string(name).rfind("apsis::forces::", 0) != 0) return;
  auto& record = ledger();
  record.sizes[address] = size;
  record.current += size;
  record.peak = std::max(record.peak, record.current);
}
void freed(Kokkos::Tools::SpaceHandle, char const*, void const* address, std::uint64_t) {
  auto& record = ledger();
  auto const entry = record.sizes.find(address);
  if (entry == record.sizes.end()) return;
  record.current -= entry->second;
  record.sizes.erase(entry);
}

/// Peak memory of evaluations of these bodies, relative to the estimate.
template <class Number>
double used_over_estimated(HostBodies const& bodies, Values const& values) {
  using namespace Kokkos::Tools::Experimental;
  auto const& entry = forces::solvers().get("fmm");
  forces::Gravity const gravity{1.0, 0.01};
  auto const precision = forces::precision_for<Number>;
  forces::Demand const demand{gravity, precision, values, 0, true};
  REQUIRE(entry.check(demand).empty());
  Run<Number> run(bodies, gravity);
  ledger() = {};
  set_allocate_data_callback(allocated);
  set_deallocate_data_callback(freed);
  {
    auto const solver = entry.make<typename Number::Stored>(demand);
    for (int round = 0; round < 3; ++round) {
      solver->evaluate(run.space, forces::potentials_of(run.bodies, run.potential));
      solver->evaluate(run.space, forces::accelerations_of(run.bodies, &run.potential));
      auto subset = forces::accelerations_of(run.bodies);
      subset.targets.select(forces::BodyRows::range(0, bodies.size() / 2), bodies.size() / 2);
      solver->evaluate(run.space, subset);
    }
    run.space.fence();
  }
  set_allocate_data_callback(nullptr);
  set_deallocate_data_callback(nullptr);
  return static_cast<double>(ledger().peak) / entry.workspace_bytes(demand, bodies.size());
}

Values parameter(std::string const& name, double number) {
  Values values;
  values.set(name, number);
  return values;
}

}  // namespace

TEST_CASE("fmm needs no more memory than estimated" * expensive) {
  // Fixed buffers of a GPU are large beside those of few bodies.
  auto const bodies = plummer(bodies_on_host ? 8000 : 20000);
  for (double const ratio :
       {used_over_estimated<forces::Single>(bodies, parameter("accuracy", 3e-3)),
        used_over_estimated<forces::Single>(bodies, parameter("accuracy", 1e-3)),
        used_over_estimated<forces::Mixed>(bodies, parameter("accuracy", 1e-4)),
        used_over_estimated<forces::Double>(bodies, parameter("accuracy", 1e-5)),
        used_over_estimated<forces::Double>(bodies, parameter("accuracy", 3e-7)),
        used_over_estimated<forces::Single>(bodies, parameter("opening_angle", 0.7)),
        used_over_estimated<forces::Single>(bodies, parameter("opening_angle", 0.35)),
        used_over_estimated<forces::Double>(bodies, parameter("opening_error", 1e-5))}) {
    CHECK(ratio < 1.0);
    // The estimate is of the right order.
    CHECK(ratio > 0.1);
  }
}

TEST_CASE("a hundred million bodies need at most 200 bytes each, in addition to their own") {
  auto const& entry = forces::solvers().get("fmm");
  forces::Demand const demand{{1.0, 0.01}, forces::Precision::single_precision, {}};
  double const bodies = 1e8;
  double const each = entry.workspace_bytes(demand, static_cast<std::uint64_t>(bodies)) / bodies;
  CHECK(each > 100.0);
  CHECK(each < 200.0);
}
