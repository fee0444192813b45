// SPDX-License-Identifier: Apache-2.0
#include "demonstration.hpp"

#include "core/embedded.hpp"
#include <apsis/driver/simulation.hpp>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <thread>

namespace apsis::driver {

/// Returns the decks of the demonstration, as in inputs/, in the order in which they are shown.
std::span<Embedded const> preset_decks();

namespace {

using Clock = std::chrono::steady_clock;
using Status = view::State::Status;

/// Names of the decks on the page: what one sees, and for the CUDA sample's presets their number.
/// (Its preset 3 equals preset 2.)
constexpr std::array names{"Two spiral galaxies collide",
                           "A rotating shell flattens to a ring (CUDA sample, preset 0)",
                           "A shell becomes a cluster that sheds bodies (CUDA sample, preset 1)",
                           "A rotating shell swells to a soft ring (CUDA sample, presets 2 and 3)",
                           "A rotating shell widens and holds (CUDA sample, preset 4)",
                           "A rotating shell breaks into clumps (CUDA sample, preset 5)",
                           "A shell at rest collapses and rebounds (CUDA sample, preset 6)",
                           "A cloud expands around a dense core (CUDA sample at its start)"};
/// Preset whose force evaluation decides the number of bodies: all pairs of one sphere.
constexpr std::size_t timed_preset = 1;

constexpr double steps_per_second = 60.0;
constexpr std::uint64_t steps_between_measurements = 60;
constexpr std::uint64_t steps_between_checks = 16;
constexpr std::chrono::milliseconds nap{10};

/// Returns the deck of a preset with this number of bodies.
deck::ConfiguredDeck deck_of(std::size_t preset, std::uint64_t bodies) {
  auto const [file, text] = preset_decks()[preset];
  auto deck = nlohmann::json::parse(text.begin(), text.end());
  auto& bodies_section = deck["bodies"];
  if (bodies_section.contains("parts")) {
    for (auto& part : bodies_section["parts"]) {
      part["bodies"]["count"] = bodies / bodies_section["parts"].size();
      // Most bodies are in the disks, which one sees.
      part["bodies"]["disk_fraction"] = 0.6;
    }
  } else {
    bodies_section["count"] = bodies;
  }
  return deck::configure(deck.dump(), std::string(file), {});
}

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

/// Returns the number of bodies for which a force evaluation takes 1/60 s on this machine, a
/// multiple of 1024.
std::uint64_t fluent_bodies() {
  std::uint64_t bodies = 8192;
  // Few bodies do not fill a GPU, so the second measurement uses the number from the first one.
  for (int attempt = 0; attempt < 2; ++attempt) {
    auto const deck = deck_of(timed_preset, bodies);
    auto const simulation = make_simulation(deck.configuration, make_bodies(deck.configuration));
    double const factor = std::sqrt(1.0 / steps_per_second / simulation->time_forces());
    auto const count = static_cast<std::uint64_t>(static_cast<double>(bodies) * factor);
    bodies = std::clamp<std::uint64_t>(count / 1024 * 1024, 1024, 262144);
  }
  return bodies;
}

/// Shows one preset from its start.
class PresetShow {
 public:
  PresetShow(DemonstrationOptions const& options, std::uint64_t bodies, std::size_t preset,
             ViewerFeed& viewers)
      : options_(options), viewers_(viewers), deck_(deck_of(preset, bodies)) {
    auto const& run = deck_.configuration;
    simulation_ = make_simulation(run, make_bodies(run));
    simulation_->advance(0);
    auto hello = make_hello(run, names[preset]);
    hello.mode = view::Mode::demo;
    hello.control = true;
    hello.end_time.reset();
    hello.energy_limit.reset();
    hello.momentum_limit.reset();
    hello.presets = presets();
    hello.preset = preset;
    viewers_.begin(hello,
                   forces::field_flops(run.gravity.precision, run.integrator.entry->derivatives));
    measure();
    viewers_.show(*simulation_);
  }

  enum class End { time, next, restart, stop };

  /// Runs the preset until its time is over or a viewer requests something else.
  End run(std::function<bool()> const& stopped) {
    double shown_seconds = 0.0;
    auto due = Clock::now();
    while (!stopped()) {
      if (auto const end = process_commands()) return *end;
      bool const is_idle = (paused_ && !single_step_) || !viewers_.is_watched();
      if (is_idle) {
        send_state(paused_ ? Status::paused : Status::running);
        if (viewers_.is_frame_due()) viewers_.show(*simulation_);
        std::this_thread::sleep_for(nap);
        due = Clock::now();
        continue;
      }
      auto const begin = Clock::now();
      single_step_ = false;
      if (!step()) return End::next;
      if (viewers_.is_frame_due()) viewers_.show(*simulation_);
      send_state(paused_ ? Status::paused : Status::running);
      due += std::chrono::duration_cast<Clock::duration>(
          std::chrono::duration<double>(1.0 / steps_per_second));
      auto const now = Clock::now();
      if (due < now) due = now;  // lost time is not made up for
      std::this_thread::sleep_until(due);
      if (!paused_) shown_seconds += seconds_since(begin);
      if (shown_seconds >= options_.seconds) return End::time;
    }
    return End::stop;
  }

 private:
  /// Takes a step; returns false if the bodies are no longer finite.
  bool step() {
    auto const next = simulation_->step() + 1;
    bool const measured = next % steps_between_measurements == 0;
    simulation_->advance(1, measured ? FollowUp::measurement : FollowUp::nothing);
    if (next % steps_between_checks == 0 && simulation_->not_finite()) return false;
    if (measured) measure();
    return true;
  }

  void measure() {
    auto const& measurement = simulation_->measure();
    if (!measurement.is_finite()) return;
    conservation_.add(measurement);
    viewers_.add(simulation_->time(), conservation_);
  }

  std::optional<End> process_commands() {
    while (auto const command = viewers_.take()) {
      using Kind = view::Command::Kind;
      switch (command->kind) {
        case Kind::pause:
          paused_ = true;
          break;
        case Kind::go_on:
          paused_ = false;
          break;
        case Kind::single_step:
          paused_ = single_step_ = true;
          break;
        case Kind::restart:
          return End::restart;
        case Kind::next:
          return End::next;
        case Kind::stop:
          return End::stop;
        default:
          break;
      }
    }
    return {};
  }

  void send_state(Status status) {
    if (!viewers_.is_state_due(status)) return;
    auto const& now = *simulation_;
    viewers_.send_state(
        {.step = now.step(), .steps = 0, .time = now.time(), .interactions = now.interactions()},
        status);
  }

  DemonstrationOptions const& options_;
  ViewerFeed& viewers_;
  deck::ConfiguredDeck deck_;
  std::unique_ptr<Simulation> simulation_;
  diagnostics::Conservation conservation_;
  bool paused_ = false;
  bool single_step_ = false;
};

}  // namespace

std::vector<std::string> presets() {
  return {names.begin(), names.end()};
}

void demonstrate(DemonstrationOptions const& options, ViewerFeed& viewers,
                 std::function<bool()> const& stopped) {
  auto const bodies = options.bodies ? *options.bodies : fluent_bodies();
  std::size_t preset = 0;
  while (!stopped()) {
    auto const end = PresetShow(options, bodies, preset, viewers).run(stopped);
    if (end == PresetShow::End::stop) return;
    if (end != PresetShow::End::restart) preset = (preset + 1) % names.size();
  }
}

}  // namespace apsis::driver
