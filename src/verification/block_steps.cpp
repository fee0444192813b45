// SPDX-License-Identifier: Apache-2.0
#include "experiment.hpp"
#include "problems.hpp"

namespace apsis::verification {

namespace {

constexpr int steps = 4;

void verify(Extent extent, Tell const& tell) {
  bool const quick = extent == Extent::quick;
  std::string const count = quick ? "512" : "4096";
  auto const run = [&](std::string const& mode) {
    Experiment sphere(R"({"bodies": {"generator": "plummer", "count": 512, "seed": 1},
                                 "integrator": {"name": "hermite4", "time_step": 0.015625},
                                 "run": {"steps": 1}})",
                      {"bodies.count=" + count,
                       "integrator.stepping={\"mode\": \"" + mode + "\", \"eta\": 0.01}"});
    auto const before = sphere.interactions();
    sphere.advance(steps);
    return std::pair(sphere.relative_energy_error(),
                     static_cast<double>(sphere.interactions() - before));
  };
  auto const [shared_error, shared_work] = run("adaptive");
  auto const [block_error, block_work] = run("block");
  auto const name = "Plummer sphere of " + count + ", block against shared steps: ";
  // Both are far below what matters; that of shared steps may by chance be next to nothing.
  tell({name + "energy error", "hermite4 block", block_error, std::nullopt,
        std::max(2.0 * shared_error, 1e-9)});
  tell({name + "share of the interactions", "hermite4 block", block_work / shared_work,
        std::nullopt, 0.1});
}

}  // namespace

KnownAnswer block_steps() {
  return {"block_steps",
          "block time steps keep the energy of shared steps with a fraction of the interactions "
          "(Makino 1991)",
          verify};
}

}  // namespace apsis::verification
