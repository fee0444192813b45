// SPDX-License-Identifier: Apache-2.0
#include <apsis/driver/observers.hpp>

#include <algorithm>

namespace apsis::driver {

bool Observers::due(Standing const& at, Occasion why) const {
  return std::any_of(all_.begin(), all_.end(),
                     [&](Watched const& one) { return one.observer->due(at, why); });
}

void Observers::see(Instant& now, Standing const& at, Occasion why) {
  for (auto& [tolerance, observer] : all_) {
    if (!observer->due(at, why)) continue;
    bool const seen = tolerance->attempt([&, &one = *observer] { one.see(now, at, why); });
    if (seen && !observer->busy()) tolerance->succeeded();
  }
}

void Observers::sync() {
  for (auto& one : all_) one.observer->sync();
}

void Observers::tell(RunRecord& record) const {
  for (auto const& one : all_) one.observer->tell(record);
}

void Observers::exchange(SavedState& state) {
  for (auto& one : all_) one.observer->exchange(state);
}

void Observers::close() {
  for (auto& one : all_) one.observer->close();
}

}  // namespace apsis::driver
