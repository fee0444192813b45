// SPDX-License-Identifier: Apache-2.0
#include "support/contains.hpp"
#include "support/decks.hpp"
#include "support/scratch.hpp"
#include <apsis/forces/direct.hpp>
#include <apsis/forces/solver_entry.hpp>
#include <apsis/run/loop.hpp>
#include <apsis/run/run_directory.hpp>
#include <apsis/simulation/simulation.hpp>

#include <doctest/doctest.h>

#include <sstream>

using namespace apsis;
using apsis::testing::contains;

namespace {

/// Solver that cannot use its own method for evaluations 4 to 7.
class FallbackSolver final : public forces::Solver<double> {
 public:
  explicit FallbackSolver(forces::Gravity const& gravity) : Solver(gravity), direct_(gravity) {}

  bool has_exact_potential(std::size_t bodies) const override {
    return direct_.has_exact_potential(bodies);
  }
  bool falls_back() const override { return evaluations_ >= 4 && evaluations_ < 8; }
  std::string describe(std::size_t bodies, int derivatives, bool each_pair_once) const override {
    return falls_back() ? direct_.describe(bodies, derivatives, each_pair_once) : "cells";
  }

 private:
  double do_evaluate(Context const& context, forces::Request<double> const& request) override {
    if (request.counted && request.wanted.has(forces::Wants::acceleration))
      ++evaluations_;  // timing evaluations are not counted
    direct_.evaluate(context, request);
    return 1.0;
  }

  forces::Direct<forces::Double> direct_;
  int evaluations_ = 0;
};

}  // namespace

TEST_CASE("a fallback of the solver to all pairs is shown to the user, and so is its end") {
  auto entry = forces::solvers().get("direct");
  entry.name = "giving_up";
  entry.make_any = [](forces::Demand const& demand) -> forces::AnySolver {
    return std::make_unique<FallbackSolver>(demand.gravity);
  };
  auto run = testing::configured(testing::sphere_deck, {"run.end_time=0.1"});
  run.gravity.solver = &entry;
  testing::Scratch const scratch;
  run::RunDirectory directory(scratch / "run", run::Existing::replace);
  directory.prepare();
  std::ostringstream out;
  run::RunOutput output(run, directory, "{}", {run::ProgressStyle::lines, &out});
  run::simulate(run, simulation::make_bodies(run), output);
  CHECK(contains(out.str(), "note: the solver 'giving_up' sums all pairs ("));
  CHECK(contains(out.str(), ", O(N^2)) after step "));
  CHECK(contains(out.str(), "note: the solver 'giving_up' uses its cells again after step "));
}
