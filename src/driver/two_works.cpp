// SPDX-License-Identifier: Apache-2.0
#include <apsis/core/thread_binding.hpp>
#include <apsis/driver/two_works.hpp>

#include <utility>

namespace apsis::driver {

TwoWorks::~TwoWorks() {
  for (auto& work : works_) {
    if (work.valid()) work.wait();
  }
}

std::size_t TwoWorks::free_place() {
  collect(works_[next_]);
  return next_;
}

void TwoWorks::start(std::function<void()> work) {
  works_[next_] = std::async(std::launch::async,
                             [before = works_[1 - next_], work = std::move(work)]() mutable {
                               unbind_this_thread();
                               if (before.valid()) before.wait();
                               before = {};  // lest each work keeps all before it
                               work();
                             });
  next_ = 1 - next_;
}

void TwoWorks::settle() {
  collect(works_[next_]);
  collect(works_[1 - next_]);
}

void TwoWorks::collect(std::shared_future<void>& work) {
  auto const done = std::exchange(work, {});
  if (done.valid() && tolerance_.attempt([&] { done.get(); })) tolerance_.succeeded();
}

}  // namespace apsis::driver
