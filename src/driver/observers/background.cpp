// SPDX-License-Identifier: Apache-2.0
#include "background.hpp"

#include <apsis/driver/measurements.hpp>

#include <utility>

namespace apsis::driver {

void Background::submit(Instant& now, deck::SnapshotContent const& content, Task task) {
  auto& copies = copies_[tasks_.wait_for_slot()];
  copy_columns(now, copies, content);
  tasks_.start([task = std::move(task), &copies] { task(copies); });
}

}  // namespace apsis::driver
