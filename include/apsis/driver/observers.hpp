// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/driver/observer.hpp>
#include <apsis/driver/tolerance.hpp>

#include <memory>
#include <string>
#include <vector>

namespace apsis::driver {

/// All that observe a run, as one; an error in one of them is what its own policy says.
class Observers {
 public:
  /// `warn` must outlive it.
  explicit Observers(Warn const& warn) : warn_(&warn) {}

  /// Adds one that `make` makes, or none if that is what it makes.
  template <class Make>
  void add(std::string name, OnError on_error, Make const& make) {
    auto tolerance = std::make_unique<Tolerance>(std::move(name), on_error, *warn_);
    if (auto observer = make(*tolerance)) {
      all_.push_back({std::move(tolerance), std::move(observer)});
    }
  }

  bool due(Standing const& at, Occasion why) const;
  void see(Instant& now, Standing const& at, Occasion why);

  void pass(Instant const& now, Standing const& at) {
    each([&](Observer& one) { one.pass(now, at); });
  }
  void note(std::string const& line) {
    each([&](Observer& one) { one.note(line); });
  }
  void keep() {
    each([](Observer& one) { one.keep(); });
  }
  void forget() {
    each([](Observer& one) { one.forget(); });
  }
  void cut() {
    each([](Observer& one) { one.cut(); });
  }
  void settle() {
    each([](Observer& one) { one.settle(); });
  }
  void end(Instant const& now, Standing const& at) {
    each([&](Observer& one) { one.end(now, at); });
  }

  // What fails here fails the checkpoint, or the end of the run.
  void sync();
  void tell(RunRecord& record) const;
  void exchange(SavedState& state);
  void close();

 private:
  struct Watched {
    std::unique_ptr<Tolerance> tolerance;
    std::unique_ptr<Observer> observer;
  };

  template <class Work>
  void each(Work const& work) {
    for (auto& one : all_) {
      one.tolerance->attempt([&] { work(*one.observer); });
    }
  }

  Warn const* warn_;
  std::vector<Watched> all_;
};

}  // namespace apsis::driver
