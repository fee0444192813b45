// SPDX-License-Identifier: Apache-2.0
#include "background.hpp"

#include <apsis/simulation/measurements.hpp>

#include <utility>

namespace apsis::run {

void Background::submit(simulation::Instant& now, deck::SnapshotContent const& content, Task task) {
  auto& copies = copies_[tasks_.wait_for_slot()];
  copy_columns(now, copies, content);
  tasks_.start([task = std::move(task), &copies] { task(copies); });
}

}  // namespace apsis::run
