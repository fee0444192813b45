// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/core/poll.hpp>
#include <apsis/deck/configuration.hpp>
#include <apsis/simulation/simulation.hpp>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace apsis::simulation {

class Leader;

/// A simulation that a program steers: it lands on any time, takes other bodies between two steps,
/// and saves its state in memory. Writes no files; Kokkos must be initialised. With a deck of
/// set_leader() several ranks share it.
///
///     SteeredSimulation steered(deck::configure_simulation(deck, "deck", {}));
///     steered.advance_to(1.0);
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
  /// longer finite, see Simulation::not_finite(), or if an event ends the run, see events(). Throws
  /// integrators::Collision.
  std::uint64_t advance(std::uint64_t steps, Poll const& poll = {}, Poll const& step_poll = {});

  /// Advances to a time [time]: by whole steps and, unless the time is a whole number of steps away
  /// (to 1e-9 of a step), one shorter step at the end, after which the forces are evaluated anew.
  /// Returns whether the time was reached; otherwise as advance(). Throws a usage error for a time
  /// against the direction of the steps.
  bool advance_to(double time, Poll const& poll = {}, Poll const& step_poll = {});

  /// Events of the last call of advance() or advance_to(), in the order of their times.
  std::vector<Event> const& events() const { return events_; }

  /// Continues from the present time with other bodies; the integrator starts anew. Counters of
  /// steps and interactions begin at 0. Throws a bad-input error for bodies that a deck could not
  /// have, and a usage error if several ranks share the simulation; it then changes nothing.
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
  /// Makes one step and collects its events. Returns false if an event ends the run.
  bool make_step();

  deck::ConfiguredDeck deck_;
  std::unique_ptr<Simulation> simulation_;
  std::vector<Event> events_;
};

}  // namespace apsis::simulation
