// SPDX-License-Identifier: Apache-2.0
#include "shared_simulation.hpp"

#include "acts.hpp"
#include "members.hpp"
#include "told.hpp"
#include "torn.hpp"
#include <apsis/bodies/share.hpp>
#include <apsis/core/saved_state.hpp>
#include <apsis/driver/background.hpp>
#include <apsis/driver/configuration.hpp>
#include <apsis/integrators/collision.hpp>

#include <chrono>
#include <exception>
#include <functional>
#include <utility>

namespace apsis::driver {

namespace {

class SharedSimulation final : public Simulation {
  template <auto act, class... Given>
  Told told(Given const&... given) const {
    Told what{Call::act, number_, SharedActs::number<act>()};
    SharedActs::keep<act>(what.numbers, given...);
    return what;
  }

  /// Calls a method with the same arguments on all ranks.
  template <auto method, class... Given>
  decltype(auto) alike(Given const&... given) const {
    return together(told<method>(given...),
                    [&]() -> decltype(auto) { return std::invoke(method, *own_, given...); });
  }

  /// Broadcasts a call and runs the part of this rank.
  template <class Act>
  decltype(auto) together(Told const& what, Act const& act) const {
    if (is_alone_) return act();
    return told_and_done(what, act);
  }
  template <class Act>
  decltype(auto) told_and_done(Told const& what, Act const& act) const {
    if (torn_) {
      throw Error(ExitStatus::internal,
                  Problem{"processes", "cannot go on together",
                          "an error came to one in the middle of what they do together",
                          "see what was said before, and resume"});
    }
    tell(*others_, what);
    TornByException torn(torn_);
    try {
      return act();
    } catch (integrators::Collision const&) {
      torn.comes_to_all();
      throw;
    } catch (Interrupted const&) {
      // Only the leader rank computes here, after all communication: no other rank waits for it.
      torn.comes_to_all();
      throw;
    }
  }

 public:
  SharedSimulation(std::shared_ptr<Communicator const> others, std::uint64_t number, bool is_alone,
                   bool& torn)
      : others_(std::move(others)), number_(number), is_alone_(is_alone), torn_(torn) {}
  ~SharedSimulation() override {
    own_.reset();
    if (!torn_ && !is_alone_) tell(*others_, {Call::forget, number_});
  }

  /// `check_memory` throws on all ranks alike, and then no rank makes a simulation.
  void begin(Told const& what, std::string const& deck, std::function<void()> const& expect_memory,
             MakeOwn const& make) {
    if (is_alone_) {
      own_ = make(nullptr);
      return;
    }
    told_and_done(what, [&] { text_of_the_first(*others_, deck); });
    expect_memory();
    TornByException const torn(torn_);
    own_ = make(others_);
  }

  std::uint64_t step() const override { return own_->step(); }
  double time() const override { return own_->time(); }
  double G() const override { return own_->G(); }
  std::size_t count() const override { return own_->count(); }
  double time_step() const override { return own_->time_step(); }
  Massless massless() const override { return own_->massless(); }
  double interactions() const override { return own_->interactions(); }
  std::uint64_t integrator_steps() const override { return own_->integrator_steps(); }
  std::string kernel() const override { return own_->kernel(); }
  std::optional<forces::ForceErrors> force_accuracy() const override {
    return own_->force_accuracy();
  }
  bool falls_back() const override { return own_->falls_back(); }
  int threads() const override { return own_->threads(); }
  double bytes() const override { return own_->bytes(); }

  HostBodies const& bodies() override { return alike<&Simulation::bodies>(); }
  std::vector<double> const& potential() override { return alike<&Simulation::potential>(); }
  diagnostics::Measurement const& measure() override { return alike<&Simulation::measure>(); }
  std::optional<diagnostics::DensityCentre> const& density_centre() override {
    return alike<&Simulation::density_centre>();
  }
  std::optional<ClosestApproach> closest_approach() override {
    return alike<&Simulation::closest_approach>();
  }
  std::optional<diagnostics::PairDistances> pair_distances() override {
    return alike<&Simulation::pair_distances>();
  }
  std::optional<diagnostics::FarthestBody> farthest_body() override {
    return alike<&Simulation::farthest_body>();
  }
  diagnostics::ErrorPercentiles force_errors(std::uint64_t seed, std::size_t sample) override {
    return alike<&Simulation::force_errors>(seed, sample);
  }
  diagnostics::PotentialErrors potential_errors(std::uint64_t seed, std::size_t sample) override {
    return alike<&Simulation::potential_errors>(seed, sample);
  }
  void show(BodiesReader& to) override {
    std::exception_ptr failed;  // errors of the reader concern this rank only; no other rank waits
    ReaderBy careful([&](auto const&... what) {
      try {
        to.read(what...);
      } catch (...) {
        failed = std::current_exception();
      }
    });
    together(told<&show_share>(), [&] { own_->show(careful); });
    if (failed) std::rethrow_exception(failed);
  }
  void copy_to(HostColumns& copies, SnapshotContent const& content) override {
    together(told<&copy_share>(content.accelerations, content.potentials),
             [&] { own_->copy_to(copies, content); });
  }

  void advance(std::uint64_t steps, Ask at_the_end) override {
    if (is_alone_) {
      own_->advance(steps, at_the_end);
      // Other ranks are asked at most 50 times per second, since a step may take only a
      // microsecond.
      constexpr std::chrono::milliseconds interval{20};
      if (std::chrono::steady_clock::now() - heard_ > interval) hear_signals();
      return;
    }
    together(told<&Simulation::advance>(steps, at_the_end), [&] {
      own_->advance(steps, at_the_end);
      hear_of_signals(*others_);
    });
  }
  void hear_signals() override {
    told_and_done({Call::hear_signals}, [&] { hear_of_signals(*others_); });
    heard_ = std::chrono::steady_clock::now();
  }
  void set_time_step(double time_step) override { alike<&Simulation::set_time_step>(time_step); }
  void turn_back() override { alike<&Simulation::turn_back>(); }
  std::optional<CoarsestPassage> coarsest_passage() override {
    return alike<&Simulation::coarsest_passage>();
  }
  std::optional<NotFinite> not_finite() override { return alike<&Simulation::not_finite>(); }
  NotFinite not_finite_measurement() override {
    return alike<&Simulation::not_finite_measurement>();
  }
  void mark() override { alike<&Simulation::mark>(); }
  void go_back() override { alike<&Simulation::go_back>(); }
  void exchange(SavedState& state) override {
    APSIS_EXPECT(!state.restores(), "what is restored is made anew");
    together(told<&save_share>(), [&] { own_->exchange(state); });
  }
  void set_poll(Poll poll) override { own_->set_poll(std::move(poll)); }
  void set_step_poll(Poll) override {}
  void poll() override { own_->poll(); }
  MeasuredTimes time_measurements(unsigned measured) override {
    return alike<&Simulation::time_measurements>(measured);
  }
  double time_forces() override { return alike<&Simulation::time_forces>(); }
  BodiesIdentity identity() const override { return alike<&Simulation::identity>(); }

 private:
  std::shared_ptr<Communicator const> others_;
  std::uint64_t number_;
  bool is_alone_;  ///< all bodies are on the leader rank
  bool& torn_;
  std::chrono::steady_clock::time_point heard_{};  ///< last gathering of signals
  std::unique_ptr<Simulation> own_;
};

}  // namespace

std::unique_ptr<Simulation> shared_simulation(std::shared_ptr<Communicator const> const& others,
                                              std::vector<Member> const& members,
                                              std::uint64_t number, bool& torn,
                                              std::string const& deck, Configuration const& run,
                                              std::size_t bodies, bool restores,
                                              MakeOwn const& make) {
  auto shared = std::make_unique<SharedSimulation>(others, number, one_rank_has_all(bodies), torn);
  shared->begin(
      {restores ? Call::restore : Call::make, number, 0, {bodies, run.use_all_threads}}, deck,
      [&] {
        auto const count = share_of(bodies, others->rank(), others->size()).count;
        all_have_memory(others, members.front(), run, count, bodies);
      },
      make);
  return shared;
}

}  // namespace apsis::driver
