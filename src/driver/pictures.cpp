// SPDX-License-Identifier: Apache-2.0
#include <apsis/bodies/bodies.hpp>
#include <apsis/core/machine.hpp>
#include <apsis/core/saved_state.hpp>
#include <apsis/driver/observer.hpp>
#include <apsis/driver/simulation.hpp>
#include <apsis/driver/works.hpp>
#include <apsis/io/file.hpp>
#include <apsis/render/caption.hpp>
#include <apsis/render/photographer.hpp>

#include <algorithm>
#include <mutex>
#include <utility>

namespace apsis::driver {

namespace {

/// Number of threads that encode the PNGs of a series in parallel: a full-sized picture takes 0.1
/// s, in which a GPU may take many steps.
std::size_t encoders() {
  return static_cast<std::size_t>(std::clamp(available_threads() / 2, 2, 8));
}

class Pictures final : public Observer {
 public:
  Pictures(Surroundings const& of, PlannedPictures const& plan, Tolerance& tolerance)
      : of_(of),
        plan_(plan),
        photographer_(plan.shot),
        kept_photographer_(photographer_),
        works_(tolerance, encoders(), Works::Order::side_by_side) {}

  bool due(Standing const& at, Occasion why) const override {
    return (at.step % plan_.steps == 0) == (why == Occasion::scheduled) &&
           why != Occasion::interruption;
  }

  void see(Instant& now, Standing const& at, Occasion) override {
    render::Image taken{{0, 0}};
    ReaderBy sitting([&](auto const& context, auto const& bodies, auto const& species) {
      taken = photographer_.take(context, bodies, species, at.time);
    });
    now.show(sitting);
    render::Caption caption{of_.run.title, of_.deck,    of_.run.units,         at.time,
                            at.step,       now.count(), photographer_.camera()};
    auto path = of_.directory.picture(plan_.shot.name, count_++);
    works_.free_place();
    works_.start([this, path = std::move(path), image = std::move(taken),
                  caption = std::move(caption)]() mutable {
      auto const& shot = plan_.shot;
      if (shot.label) {
        std::lock_guard const alone(lettering_mutex_);
        render::write_caption(image, lettering_, caption);
      }
      of_.directory.make_pictures_directory();
      io::write_file(path, render::png_of(image, notes_of(caption, shot)));
    });
  }

  void keep() override {
    kept_ = count_;
    kept_photographer_ = photographer_;
  }
  void forget() override {
    count_ = kept_;
    photographer_ = kept_photographer_;
  }
  void cut() override { of_.directory.cut_back_pictures(plan_.shot.name, count_); }
  void settle() override { works_.settle(); }
  bool busy() const override { return works_.busy(); }

  void exchange(SavedState& state) override {
    auto const name = "pictures/" + plan_.shot.name;
    state.exchange(name + "/count", count_);
    state.exchange(name + "/kept", kept_);
    photographer_.exchange(ExecutionSpace(), state, name + "/now");
    kept_photographer_.exchange(ExecutionSpace(), state, name + "/mark");
    if (state.restores()) cut();
  }

 private:
  Surroundings of_;
  PlannedPictures const& plan_;
  render::Photographer photographer_;
  render::Photographer kept_photographer_;  ///< state at the last commit, for a roll-back
  render::Lettering lettering_;
  std::uint64_t count_ = 0;  ///< numbers used so far
  std::uint64_t kept_ = 0;   ///< count at the last commit
  std::mutex lettering_mutex_;
  Works works_;  ///< uses the other members, so it is destroyed first
};

}  // namespace

std::unique_ptr<Observer> pictures(Surroundings const& of, PlannedPictures const& plan,
                                   Tolerance& tolerance) {
  return std::make_unique<Pictures>(of, plan, tolerance);
}

}  // namespace apsis::driver
