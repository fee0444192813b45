// SPDX-License-Identifier: Apache-2.0
#include "experiment.hpp"
#include "problems.hpp"

namespace apsis::verification {

namespace {

/// How well a sphere's energy was kept, and for how much.
struct Cost {
  double error, interactions;
};

Cost cost_of(std::string const& count, std::string const& mode, double eta) {
  auto const sphere =
      experiment(R"({"bodies": {"generator": "plummer", "count": 512, "seed": 1},
                        "integrator": {"name": "hermite4", "time_step": 0.03125},
                        "run": {"steps": 1}})",
                 {"bodies.count=" + count, override_with("integrator.stepping.eta", eta),
                  "integrator.stepping.mode=" + mode});
  sphere->advance(0);
  double const start_energy = sphere->measure().total();
  auto const before = sphere->interactions();
  double worst = 0.0;
  for (int step = 0; step < 4; ++step) {
    sphere->advance();
    worst = worse(worst, relative_energy_error(*sphere, start_energy));
  }
  return {worst, sphere->interactions() - before};
}

void verify(Extent extent, Tell const& tell) {
  std::string const count = extent == Extent::quick ? "512" : "4096";
  // With one step for all most bodies step far more often than they need to, and err far less: for
  // the same error of the whole, bodies with steps of their own need a smaller eta. Both errors are
  // sums over encounters that differ from machine to machine.
  auto const shared = cost_of(count, "adaptive", 0.01);
  auto const block = cost_of(count, "block", 0.002);
  auto const name = "Plummer sphere of " + count + ": ";
  tell({name + "energy error", "hermite4 shared", shared.error, std::nullopt, 2e-9});
  tell({name + "energy error", "hermite4 block", block.error, std::nullopt, 2e-9});
  tell({name + "interactions, block over shared", "hermite4",
        block.interactions / shared.interactions, std::nullopt,
        extent == Extent::quick ? 0.2 : 0.1});
}

}  // namespace

KnownAnswer block_steps() {
  return {"block_steps",
          "block time steps keep the energy of shared steps with a fraction of the interactions "
          "(Makino 1991)",
          verify};
}

}  // namespace apsis::verification
