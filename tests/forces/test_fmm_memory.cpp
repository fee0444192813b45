// SPDX-License-Identifier: Apache-2.0
#include "fmm_run.hpp"
#include "support/expensive.hpp"
#include <apsis/forces/solver_entry.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>

using namespace apsis;
using namespace apsis::testing;

namespace {

/// What solvers have allocated, and the most that they ever had [bytes].
struct Ledger {
  std::map<void const*, std::uint64_t> of;
  std::uint64_t now = 0, most = 0;
};

Ledger& ledger() {
  static Ledger all;
  return all;
}

void allocated(Kokkos::Tools::SpaceHandle, char const* name, void const* at, std::uint64_t size) {
  if (std::string(name).rfind("apsis::forces::", 0) != 0) return;
  auto& all = ledger();
  all.of[at] = size;
  all.now += size;
  all.most = std::max(all.most, all.now);
}
void freed(Kokkos::Tools::SpaceHandle, char const*, void const* at, std::uint64_t) {
  auto& all = ledger();
  auto const found = all.of.find(at);
  if (found == all.of.end()) return;
  all.now -= found->second;
  all.of.erase(found);
}

/// What evaluations of these bodies took at the most, over what was said before.
template <class Number>
double used_of_said(HostBodies const& bodies, Values const& values) {
  using namespace Kokkos::Tools::Experimental;
  auto const& entry = forces::solvers().at("fmm");
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
    for (int turn = 0; turn < 3; ++turn) {
      solver->evaluate(run.space, forces::potentials_of(run.bodies, run.potential));
      solver->evaluate(run.space, forces::accelerations_of(run.bodies, run.potential));
      auto some = forces::accelerations_of(run.bodies);
      some.targets.range.count = bodies.size() / 2;
      some.targets.total = some.targets.range.count;
      solver->evaluate(run.space, some);
    }
    run.space.fence();
  }
  set_allocate_data_callback(nullptr);
  set_deallocate_data_callback(nullptr);
  return static_cast<double>(ledger().most) / entry.workspace_bytes(demand, bodies.size());
}

Values of(std::string const& name, double number) {
  Values values;
  values.set(name, number);
  return values;
}

}  // namespace

TEST_CASE("fmm takes no more memory than it says before" * expensive) {
  auto const bodies = plummer(20000);
  for (double const part : {used_of_said<forces::Single>(bodies, of("accuracy", 3e-3)),
                            used_of_said<forces::Single>(bodies, of("accuracy", 1e-3)),
                            used_of_said<forces::Mixed>(bodies, of("accuracy", 1e-4)),
                            used_of_said<forces::Double>(bodies, of("accuracy", 1e-5)),
                            used_of_said<forces::Double>(bodies, of("accuracy", 3e-7)),
                            used_of_said<forces::Single>(bodies, of("opening_angle", 0.7)),
                            used_of_said<forces::Single>(bodies, of("opening_angle", 0.35)),
                            used_of_said<forces::Double>(bodies, of("opening_error", 1e-5))}) {
    CHECK(part < 1.0);
    // Nor is what it says out of proportion.
    CHECK(part > 0.1);
  }
}

TEST_CASE("a hundred million bodies take at most 200 bytes each, beside themselves") {
  auto const& entry = forces::solvers().at("fmm");
  forces::Demand const demand{{1.0, 0.01}, forces::Precision::single_precision, {}};
  double const bodies = 1e8;
  double const each = entry.workspace_bytes(demand, static_cast<std::uint64_t>(bodies)) / bodies;
  CHECK(each > 100.0);
  CHECK(each < 200.0);
}
