// SPDX-License-Identifier: Apache-2.0
#include <apsis/core/thread_binding.hpp>
#include <apsis/driver/works.hpp>

#include <algorithm>
#include <utility>

namespace apsis::driver {

Works::~Works() {
  for (auto& work : works_) {
    if (work.valid()) work.wait();
  }
}

std::size_t Works::free_place() {
  collect(works_[next_]);
  return next_;
}

void Works::start(std::function<void()> work) {
  std::shared_future<void> before;
  if (order_ == Order::one_after_the_other) {
    before = works_[(next_ + works_.size() - 1) % works_.size()];
  }
  works_[next_] = std::async(
      std::launch::async, [before = std::move(before), work = std::move(work)]() mutable {
        unbind_this_thread();
        if (before.valid()) before.wait();
        before = {};  // otherwise each task would keep all previous ones alive
        work();
      });
  next_ = (next_ + 1) % works_.size();
}

void Works::settle() {
  for (std::size_t k = 0; k < works_.size(); ++k) {
    collect(works_[(next_ + k) % works_.size()]);
  }
}

bool Works::busy() const {
  return std::any_of(works_.begin(), works_.end(), [](auto const& work) { return work.valid(); });
}

void Works::collect(std::shared_future<void>& work) {
  auto const done = std::exchange(work, {});
  if (done.valid() && tolerance_.attempt([&] { done.get(); })) tolerance_.succeeded();
}

}  // namespace apsis::driver
