// SPDX-License-Identifier: Apache-2.0
#include "additions.hpp"
#include <apsis/diagnostics/farthest_body.hpp>
#include <apsis/driver/measurements.hpp>
#include <apsis/driver/observer.hpp>

#include <cstdio>

namespace {

using namespace apsis;

/// Prints the largest distance from the centre of mass every `interval` steps.
class Extent final : public driver::Observer {
 public:
  Extent(std::uint64_t interval, double& largest) : interval_(interval), largest_(largest) {}

  bool is_due(driver::RunStatus const& status, driver::Occasion occasion) const override {
    return occasion == driver::Occasion::scheduled && status.step % interval_ == 0;
  }
  std::uint64_t next_step(std::uint64_t step) const override {
    return driver::next_multiple(step, interval_);
  }
  void observe(driver::Instant& now, driver::RunStatus const& status, driver::Occasion) override {
    auto const farthest = driver::farthest_body(now);
    largest_ = farthest->distance;
    std::printf("step %g: %g\n", static_cast<double>(status.step), largest_);
  }

 private:
  std::uint64_t interval_;
  double& largest_;
};

}  // namespace

std::unique_ptr<driver::Observer> make_extent(std::uint64_t interval, double& largest) {
  return std::make_unique<Extent>(interval, largest);
}
