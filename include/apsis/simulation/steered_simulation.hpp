// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/core/poll.hpp>
#include <apsis/deck/configuration.hpp>
#include <apsis/diagnostics/conservation.hpp>
#include <apsis/simulation/simulation.hpp>
#include <apsis/simulation/stop.hpp>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace apsis::simulation {

class Leader;

/// A simulation that a program steers: it lands on any time, takes other bodies between two steps,
/// and saves its state in memory. Writes no files; Kokkos must be initialised. With a deck of
/// set_leader() several ranks share it.
///
/// It obeys all sections of its deck that change the motion or end it: collisions, removal,
/// encounters, run.encounter_distance, run.escape_radius, and the limits of `conservation`. What
/// ends a run ends a call early, see stop(); a later call goes on. Limits are judged where a run
/// writes its log; without a run in the deck, at the end of each call. `output`, `diagnostics`,
/// run.max_wall_time and run.stop_file belong to runs and have no effect.
///
///     SteeredSimulation steered(deck::configure_simulation(deck, "deck", {}));
///     if (!steered.advance_to(1.0)) std::cout << name_of(steered.stop()->reason);
///     auto const energy = steered.now().measure().total();
class SteeredSimulation {
 public:
  explicit SteeredSimulation(deck::ConfiguredDeck deck);

  deck::ConfiguredDeck const& deck() const { return deck_; }
  /// The present state. Its time changes only through this class.
  Simulation& now() { return *simulation_; }

  /// Makes up to `steps` steps of the deck. Between steps `poll`, unless empty, is called at
  /// most 30 times per second; an exception that it throws leaves a synchronised state. So is
  /// `step_poll` within a step, where the state must not be read; after an exception the state is
  /// that of the beginning of the step. Returns the number of steps made: fewer if a body is no
  /// longer finite, see Simulation::not_finite(), or if the deck ends the run there, see stop().
  /// Throws integrators::Collision.
  std::uint64_t advance(std::uint64_t steps, Poll const& poll = {}, Poll const& step_poll = {});

  /// Advances to a time [time]: by whole steps and, unless the time is a whole number of steps away
  /// (to 1e-9 of a step), one shorter step at the end, after which the forces are evaluated anew.
  /// Returns whether the time was reached; otherwise as advance(). Throws a usage error for a time
  /// against the direction of the steps.
  bool advance_to(double time, Poll const& poll = {}, Poll const& step_poll = {});

  /// Events of the last call of advance() or advance_to(), in the order of their times.
  std::vector<Event> const& events() const { return events_; }

  /// Why the deck ended the last call of advance() or advance_to() early; nothing if it did not.
  std::optional<Stop> const& stop() const { return stop_; }
  /// Conserved quantities since the start, and since the bodies were last replaced, at the times
  /// that were judged; empty without limits in the deck.
  diagnostics::Conservation const& conservation() const { return conservation_; }

  /// Sets a function that is called after each step of the deck, after the shorter last step of
  /// advance_to() too, and at the beginning of the first call. It makes steps slower.
  void set_step_observer(std::function<void(Simulation&)> observer) {
    step_observer_ = std::move(observer);
  }

  /// Continues from the present time with other bodies; the integrator starts anew. Counters of
  /// steps, interactions and collisions begin at 0, and so do the judged quantities. Throws a
  /// bad-input error for bodies that a deck could not have, and a usage error if several ranks
  /// share the simulation; it then changes nothing.
  void set_bodies(HostBodies const& bodies);

  /// Returns a picture of the present state as the bytes of a PNG file. `look`: settings as a deck
  /// has them in output.render, without name and interval, as JSON: R"({"colour": "speed"})".
  /// Throws a bad-input error for wrong settings. O(N + pixels).
  std::string picture(std::string const& look);
  /// Writes a snapshot, which replaces an existing file. Throws an input/output error.
  void write_snapshot(std::filesystem::path const& path, deck::SnapshotContent const& content);

  /// Everything that affects the next step, in the format of checkpoints.
  std::string save();
  /// Restores a simulation that continues with the same bits, shared by the ranks of `leader`
  /// unless it is null. Throws a bad-input error if the bytes are damaged, or are not from save().
  static SteeredSimulation restore(std::string_view bytes,
                                   std::shared_ptr<Leader> const& leader = {});

 private:
  SteeredSimulation() = default;
  /// Clears what the last call has left; before the first step, measures the reference.
  void begin_call();
  /// Makes one step and collects its events. Returns false if an event ends the run before its end.
  bool make_step();
  /// Sets stop_ if a condition of the deck ends the run after the last step. Returns whether one
  /// does.
  bool has_ended(bool is_judged);
  /// Measures and compares with the limits of the deck, if there are any.
  void judge();
  /// Whether each step is followed by a check or by the observer.
  bool follows_steps() const;

  deck::ConfiguredDeck deck_;
  std::unique_ptr<Simulation> simulation_;
  std::vector<Event> events_;
  std::optional<Stop> stop_;
  EventCounts counts_;
  diagnostics::Conservation conservation_;
  std::function<void(Simulation&)> step_observer_;
};

}  // namespace apsis::simulation
