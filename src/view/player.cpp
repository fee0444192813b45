// SPDX-License-Identifier: Apache-2.0
#include "sampler.hpp"
#include "shows.hpp"
#include <apsis/bodies/transfer.hpp>
#include <apsis/core/execution.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <future>
#include <thread>
#include <utility>

namespace apsis::view {

namespace {

using Status = view::State::Status;

constexpr double snapshots_per_second = 4.0;
constexpr std::chrono::milliseconds nap{5};

struct LoadedSnapshot {
  PlayedSnapshot snapshot;
  Bodies<double> bodies;
};

class Player {
 public:
  Player(SnapshotSequence const& sequence, ViewerFeed& viewers)
      : sequence_(sequence), viewers_(viewers) {
    go_to(0.0);
  }

  void run(std::function<bool()> const& stopped) {
    auto last = Clock::now();
    while (!stopped() && !stopped_) {
      process_commands();
      auto const now = Clock::now();
      double const elapsed = std::chrono::duration<double>(now - last).count();
      last = now;
      if (playing_) go_to(position_ + speed_ * snapshots_per_second * elapsed);
      if (viewers_.is_frame_due() || std::exchange(changed_, false)) show();
      viewers_.send_state(viewed_state(), status());
      std::this_thread::sleep_for(nap);
    }
  }

 private:
  using Clock = std::chrono::steady_clock;

  double last_position() const { return static_cast<double>(sequence_.count - 1); }
  bool is_at_end() const { return position_ >= last_position(); }
  Status status() const {
    return playing_ ? Status::running : is_at_end() ? Status::finished : Status::paused;
  }

  void process_commands() {
    while (auto const command = viewers_.take()) {
      changed_ = true;
      using Kind = view::Command::Kind;
      switch (command->kind) {
        case Kind::pause:
          playing_ = false;
          break;
        case Kind::go_on:
          if (is_at_end()) go_to(0.0);
          playing_ = true;
          break;
        case Kind::single_step:
          playing_ = false;
          go_to(std::floor(position_) + 1.0);
          break;
        case Kind::restart:
          go_to(0.0);
          playing_ = true;
          break;
        case Kind::seek:
          go_to(std::clamp(command->value, 0.0, 1.0) * last_position());
          break;
        case Kind::speed:
          speed_ = std::clamp(command->value, 1.0 / 64.0, 64.0);
          break;
        case Kind::stop:
          stopped_ = true;
          break;
        default:  // commands for a demonstration
          break;
      }
    }
  }

  /// Moves to a position in units of snapshots, usually between two of them.
  void go_to(double position) {
    position_ = std::clamp(position, 0.0, last_position());
    if (position_ >= last_position()) playing_ = false;
    auto const index = static_cast<std::size_t>(position_);
    if (index != index_) {
      previous_ = index == index_ + 1 && next_ ? std::move(next_) : load(index);
      next_.reset();
      index_ = index;
    }
    if (!next_ && index + 1 < sequence_.count) next_ = load(index + 1);
  }

  std::shared_ptr<LoadedSnapshot const> load(std::size_t index) {
    bool const is_prefetched = prefetched_.valid() && prefetched_index_ == index;
    auto snapshot = is_prefetched ? prefetched_.get() : sequence_.load(index);
    // The next snapshot is read while this one is shown.
    if (index + 1 < sequence_.count) {
      if (prefetched_.valid()) prefetched_.wait();
      prefetched_index_ = index + 1;
      prefetched_ = std::async(std::launch::async, sequence_.load, prefetched_index_);
    }
    auto loaded_snapshot = std::make_shared<LoadedSnapshot>();
    loaded_snapshot->bodies = to_device<double>(space_, snapshot.bodies);
    loaded_snapshot->snapshot = std::move(snapshot);
    return loaded_snapshot;
  }

  bool has_same_bodies() const {
    return previous_->snapshot.bodies.id == next_->snapshot.bodies.id;
  }

  ViewedState viewed_state() const {
    auto const& snapshot = previous_->snapshot;
    double const s = position_ - static_cast<double>(index_);
    double const dt = next_ ? next_->snapshot.time - snapshot.time : 0.0;
    return {index_, sequence_.count - 1, snapshot.time + s * dt, 0.0};
  }

  void show() {
    double const s = position_ - static_cast<double>(index_);
    double const dt = next_ ? next_->snapshot.time - previous_->snapshot.time : 0.0;
    auto const& species = previous_->snapshot.bodies.species;
    if (!(s > 0.0) || !(dt > 0.0) || !has_same_bodies()) {
      viewers_.show(space_, previous_->bodies, species, viewed_state());
      return;
    }
    if (interpolated_.size() != previous_->bodies.size()) {
      interpolated_ = allocate_bodies<double>(space_, previous_->bodies.size());
    }
    view::interpolate_bodies(space_, previous_->bodies, next_->bodies, dt, s, interpolated_);
    viewers_.show(space_, interpolated_, species, viewed_state());
  }

  SnapshotSequence const& sequence_;
  ViewerFeed& viewers_;
  ExecutionSpace space_;
  double position_ = 0.0;  ///< in units of snapshots
  double speed_ = 1.0;
  bool playing_ = true;
  bool stopped_ = false;
  bool changed_ = false;  ///< a command changed what a frame shows
  std::size_t index_ = ~std::size_t{0};
  std::shared_ptr<LoadedSnapshot const> previous_, next_;
  std::size_t prefetched_index_ = 0;
  std::future<PlayedSnapshot> prefetched_;
  Bodies<double> interpolated_;
};

}  // namespace

void play(SnapshotSequence const& sequence, ViewerFeed& viewers,
          std::function<bool()> const& stopped) {
  Player(sequence, viewers).run(stopped);
}

}  // namespace apsis::view
