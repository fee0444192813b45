// SPDX-License-Identifier: Apache-2.0
#include "additions.hpp"
#include <apsis/diagnostics/farthest_body.hpp>
#include <apsis/run/observer.hpp>
#include <apsis/simulation/measurements.hpp>

#include <cstdio>

namespace {

using namespace apsis;

/// Prints the largest distance from the centre of mass every `interval` steps.
class Extent final : public run::Observer {
 public:
  Extent(std::uint64_t interval, double& largest) : interval_(interval), largest_(largest) {}

  bool is_due(run::RunStatus const& status, run::Occasion occasion) const override {
    return occasion == run::Occasion::scheduled && status.step % interval_ == 0;
  }
  std::uint64_t next_step(std::uint64_t step) const override {
    return run::next_multiple(step, interval_);
  }
  void observe(simulation::Instant& now, run::RunStatus const& status, run::Occasion) override {
    auto const farthest = simulation::farthest_body(now);
    largest_ = farthest->distance;
    std::printf("step %g: %g\n", static_cast<double>(status.step), largest_);
  }

 private:
  std::uint64_t interval_;
  double& largest_;
};

}  // namespace

std::unique_ptr<run::Observer> make_extent(std::uint64_t interval, double& largest) {
  return std::make_unique<Extent>(interval, largest);
}
