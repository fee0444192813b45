// SPDX-License-Identifier: Apache-2.0
#include "background.hpp"
#include "files/file.hpp"
#include "render/caption.hpp"
#include "render/photographer.hpp"
#include <apsis/bodies/bodies.hpp>
#include <apsis/core/machine.hpp>
#include <apsis/core/saved_state.hpp>
#include <apsis/run/observer.hpp>
#include <apsis/run/run_directory.hpp>
#include <apsis/simulation/whole_bodies.hpp>

#include <mutex>
#include <utility>

namespace apsis::run {

namespace {

/// Number of threads that encode the PNGs of a series in parallel. A full-sized picture takes 0.1
/// s; in this time a GPU may take many steps.
std::size_t encoder_threads() {
  return static_cast<std::size_t>(std::clamp(available_threads() / 2, 2, 8));
}

class Pictures final : public Observer {
 public:
  Pictures(ObserverContext const& context, deck::PlannedPictures const& plan,
           ErrorPolicy& error_policy)
      : context_(context),
        plan_(plan),
        steps_of_states_(steps_of_states(plan, context.run.bodies.count())),
        photographer_(plan.shot),
        committed_photographer_(photographer_),
        tasks_(error_policy, encoder_threads(), TaskQueue::Order::concurrent) {}

  bool is_due(RunStatus const& status, Occasion occasion) const override {
    if (occasion == Occasion::scheduled) {
      return has_picture(status.step) || status.step % steps_of_states_ == 0;
    }
    // The last state of a complete run has a picture in any case, as in Table::is_due().
    return occasion == Occasion::end && !has_picture(status.step);
  }

  std::uint64_t next_step(std::uint64_t step) const override {
    return std::min(next_multiple(step, plan_.steps), next_multiple(step, steps_of_states_));
  }

  void observe(simulation::Instant& now, RunStatus const& status, Occasion occasion) override {
    if (occasion == Occasion::scheduled && !has_picture(status.step)) {
      on_whole(now, [&](Context const& context, auto const& bodies, auto const& /*species*/) {
        photographer_.record(context, bodies, status.time);
      });
      return;
    }
    auto image =
        on_whole(now, [&](Context const& context, auto const& bodies, auto const& species) {
          return photographer_.take(context, bodies, species, status.time, *now.whole().names);
        });
    render::Caption caption{context_.run.title,
                            context_.deck,
                            context_.run.units,
                            status.time,
                            status.step,
                            now.count(),
                            photographer_.camera(),
                            photographer_.colour_range(),
                            plan_.shot.palette,
                            photographer_.legend()};
    auto path = context_.directory.picture(plan_.shot.name, count_++);
    tasks_.wait_for_slot();
    tasks_.start([this, path = std::move(path), image = std::move(image),
                  caption = std::move(caption)]() mutable {
      auto const& shot = plan_.shot;
      if (shot.label) {
        std::lock_guard const lock(lettering_mutex_);
        render::write_caption(image, lettering_, caption);
      }
      context_.directory.make_pictures_directory();
      files::write_file(path, render::png_of(image, notes_of(caption, shot)));
    });
  }

  void commit() override {
    committed_count_ = count_;
    committed_photographer_ = photographer_;
  }
  void discard() override {
    count_ = committed_count_;
    photographer_ = committed_photographer_;
  }
  void truncate() override { context_.directory.cut_back_pictures(plan_.shot.name, count_); }
  void wait() override { tasks_.wait(); }
  bool is_busy() const override { return tasks_.is_busy(); }

  void exchange(SavedState& state) override {
    // The keys belong to the format of checkpoints.
    auto const name = "pictures/" + plan_.shot.name;
    state.exchange(name + "/count", count_);
    state.exchange(name + "/kept", committed_count_);
    photographer_.exchange(ExecutionSpace(), state, name + "/now");
    committed_photographer_.exchange(ExecutionSpace(), state, name + "/mark");
    if (state.restores()) truncate();
  }

 private:
  /// Steps between states of trails, so that trails follow paths between pictures.
  static std::uint64_t steps_of_states(deck::PlannedPictures const& plan, std::uint64_t bodies) {
    auto const states = static_cast<std::uint64_t>(render::states_per_picture(plan.shot, bodies));
    return (plan.steps + states - 1) / states;
  }

  bool has_picture(std::uint64_t step) const { return step % plan_.steps == 0; }

  ObserverContext context_;
  deck::PlannedPictures const& plan_;
  std::uint64_t steps_of_states_;
  render::Photographer photographer_;
  render::Photographer committed_photographer_;  ///< state at the last commit, for a roll-back
  render::Lettering lettering_;
  std::uint64_t count_ = 0;            ///< numbers used so far
  std::uint64_t committed_count_ = 0;  ///< count at the last commit
  std::mutex lettering_mutex_;
  TaskQueue tasks_;  ///< uses the other members, so it is destroyed first
};

}  // namespace

std::unique_ptr<Observer> pictures(ObserverContext const& context,
                                   deck::PlannedPictures const& plan, ErrorPolicy& error_policy) {
  return std::make_unique<Pictures>(context, plan, error_policy);
}

}  // namespace apsis::run
