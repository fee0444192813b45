// SPDX-License-Identifier: Apache-2.0
#include <apsis/bodies/transfer.hpp>
#include <apsis/core/context.hpp>
#include <apsis/driver/player.hpp>
#include <apsis/view/between.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <future>
#include <thread>
#include <utility>

namespace apsis::driver {

namespace {

using Status = view::State::Status;

constexpr double stills_per_second = 4.0;
constexpr std::chrono::milliseconds nap{5};

/// A snapshot in the memory space of the kernels.
struct Loaded {
  Still still;
  Bodies<double> bodies;
};

class Player {
 public:
  Player(Reel const& reel, Broadcast& to) : reel_(reel), to_(to) { go_to(0.0); }

  void run(std::function<bool()> const& stopped) {
    auto last = Clock::now();
    while (!stopped() && !over_) {
      heed();
      auto const now = Clock::now();
      double const passed = std::chrono::duration<double>(now - last).count();
      last = now;
      if (playing_) go_to(place_ + speed_ * stills_per_second * passed);
      if (to_.wants_frame() || std::exchange(asked_, false)) show();
      if (to_.has_to_tell(status())) to_.tell(moment(), status());
      std::this_thread::sleep_for(nap);
    }
  }

 private:
  using Clock = std::chrono::steady_clock;

  double end() const { return static_cast<double>(reel_.count - 1); }
  bool at_the_end() const { return place_ >= end(); }
  Status status() const {
    return playing_ ? Status::running : at_the_end() ? Status::finished : Status::paused;
  }

  void heed() {
    while (auto const command = to_.take()) {
      asked_ = true;
      using Kind = view::Command::Kind;
      switch (command->kind) {
        case Kind::pause:
          playing_ = false;
          break;
        case Kind::go_on:
          if (at_the_end()) go_to(0.0);
          playing_ = true;
          break;
        case Kind::single_step:
          playing_ = false;
          go_to(std::floor(place_) + 1.0);
          break;
        case Kind::restart:
          go_to(0.0);
          playing_ = true;
          break;
        case Kind::seek:
          go_to(std::clamp(command->value, 0.0, 1.0) * end());
          break;
        case Kind::speed:
          speed_ = std::clamp(command->value, 1.0 / 64.0, 64.0);
          break;
        case Kind::stop:
          over_ = true;
          break;
        case Kind::next:
          break;
      }
    }
  }

  /// Moves to a position in units of snapshots, usually between two of them.
  void go_to(double place) {
    place_ = std::clamp(place, 0.0, end());
    if (place_ >= end()) playing_ = false;
    auto const index = static_cast<std::size_t>(place_);
    if (index != index_) {
      before_ = index == index_ + 1 && after_ ? std::move(after_) : loaded(index);
      after_.reset();
      index_ = index;
    }
    if (!after_ && index + 1 < reel_.count) after_ = loaded(index + 1);
  }

  std::shared_ptr<Loaded const> loaded(std::size_t index) {
    bool const awaited = coming_.valid() && coming_index_ == index;
    auto still = awaited ? coming_.get() : reel_.load(index);
    // The next snapshot is read while this one is shown.
    if (index + 1 < reel_.count) {
      if (coming_.valid()) coming_.wait();
      coming_index_ = index + 1;
      coming_ = std::async(std::launch::async, reel_.load, coming_index_);
    }
    auto made = std::make_shared<Loaded>();
    made->bodies = to_device<double>(space_, still.bodies);
    made->still = std::move(still);
    return made;
  }

  bool same_bodies() const { return before_->still.bodies.id == after_->still.bodies.id; }

  Moment moment() const {
    auto const& still = before_->still;
    double const s = place_ - static_cast<double>(index_);
    double const dt = after_ ? after_->still.time - still.time : 0.0;
    return {index_, reel_.count - 1, still.time + s * dt, 0.0};
  }

  void show() {
    double const s = place_ - static_cast<double>(index_);
    double const dt = after_ ? after_->still.time - before_->still.time : 0.0;
    auto const& species = before_->still.bodies.species;
    if (!(s > 0.0) || !(dt > 0.0) || !same_bodies()) {
      to_.show(space_, before_->bodies, species, moment());
      return;
    }
    if (between_.size() != before_->bodies.size()) {
      between_ = allocate_bodies<double>(space_, before_->bodies.size());
    }
    view::put_between(space_, before_->bodies, after_->bodies, dt, s, between_);
    to_.show(space_, between_, species, moment());
  }

  Reel const& reel_;
  Broadcast& to_;
  ExecutionSpace space_;
  double place_ = 0.0;
  double speed_ = 1.0;
  bool playing_ = true;
  bool over_ = false;
  bool asked_ = false;  ///< a command changed what a frame shows
  std::size_t index_ = ~std::size_t{0};
  std::shared_ptr<Loaded const> before_, after_;
  std::size_t coming_index_ = 0;
  std::future<Still> coming_;
  Bodies<double> between_;
};

}  // namespace

void play(Reel const& reel, Broadcast& to, std::function<bool()> const& stopped) {
  Player(reel, to).run(stopped);
}

}  // namespace apsis::driver
