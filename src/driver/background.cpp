// SPDX-License-Identifier: Apache-2.0
#include <apsis/driver/background.hpp>
#include <apsis/driver/simulation.hpp>

#include <utility>

namespace apsis::driver {

void Background::hand(Instant& now, SnapshotContent const& content, Work work) {
  auto& copies = copies_[works_.free_place()];
  now.copy_to(copies, content);
  works_.start([work = std::move(work), &copies] { work(copies); });
}

}  // namespace apsis::driver
