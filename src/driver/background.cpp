// SPDX-License-Identifier: Apache-2.0
#include <apsis/core/thread_binding.hpp>
#include <apsis/driver/background.hpp>
#include <apsis/driver/simulation.hpp>

#include <utility>

namespace apsis::driver {

Background::~Background() {
  for (auto& desk : desks_) {
    if (desk.working.valid()) desk.working.wait();
  }
}

void Background::hand(Instant& now, SnapshotContent const& content, Work work) {
  auto& desk = desks_[next_];
  auto before = desks_[1 - next_].working;
  collect(desk);
  now.copy_to(desk.copies, content);
  desk.working = std::async(std::launch::async,
                            [before = std::move(before), work = std::move(work), &desk]() mutable {
                              unbind_this_thread();
                              if (before.valid()) before.wait();
                              before = {};  // lest each work keeps all before it
                              work(desk.copies);
                            });
  next_ = 1 - next_;
}

void Background::settle() {
  collect(desks_[next_]);
  collect(desks_[1 - next_]);
}

void Background::collect(Desk& desk) {
  auto const done = std::exchange(desk.working, {});
  if (done.valid() && tolerance_.attempt([&] { done.get(); })) tolerance_.succeeded();
}

}  // namespace apsis::driver
