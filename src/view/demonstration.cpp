// SPDX-License-Identifier: Apache-2.0
#include "core/embedded.hpp"
#include "shows.hpp"
#include <apsis/integrators/collision.hpp>
#include <apsis/simulation/simulation.hpp>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <thread>
#include <utility>

namespace apsis::view {

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
/// Names of the presets for users, with their indices.
struct PresetName {
  char const* name;
  std::size_t preset;
};
constexpr std::array preset_table{
    PresetName{"galaxies", 0}, PresetName{"0", 1}, PresetName{"1", 2},
    PresetName{"2", 3},        PresetName{"3", 3}, PresetName{"4", 4},
    PresetName{"5", 5},        PresetName{"6", 6}, PresetName{"expand", 7}};
/// Preset whose force evaluation decides the number of bodies: all pairs of one sphere.
constexpr std::size_t timed_preset = 1;

constexpr double steps_per_second = 60.0;
constexpr std::uint64_t steps_between_measurements = 60;
constexpr std::uint64_t steps_between_checks = 16;
constexpr std::chrono::milliseconds nap{10};

ShownDeck preset_deck(std::size_t preset, std::uint64_t bodies) {
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
  return {deck.dump(), std::string(file)};
}

deck::ConfiguredDeck configure(ShownDeck const& deck) {
  return deck::configure(deck.text, deck.source, deck.overrides);
}

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

/// Number of bodies, a multiple of 1024, for which a force evaluation takes 1/60 s here.
std::uint64_t fluent_bodies() {
  std::uint64_t bodies = 8192;
  // Few bodies do not fill a GPU, so the second measurement uses the number from the first one.
  for (int attempt = 0; attempt < 2; ++attempt) {
    auto const deck = configure(preset_deck(timed_preset, bodies));
    auto const simulation = simulation::make_simulation(
        deck.configuration, simulation::make_bodies(deck.configuration));
    double const factor = std::sqrt(1.0 / steps_per_second / simulation->time_forces());
    auto const count = static_cast<std::uint64_t>(static_cast<double>(bodies) * factor);
    bodies = std::clamp<std::uint64_t>(count / 1024 * 1024, 1024, 262144);
  }
  return bodies;
}

class DeckShow {
 public:
  /// `preset`: index of the preset; none: a deck of the user, which goes on after its end.
  DeckShow(DemonstrationOptions const& options, bool held, ShownDeck deck,
           std::optional<std::size_t> preset, ViewerFeed& viewers)
      : options_(options),
        viewers_(viewers),
        shown_(std::move(deck)),
        held_(held),
        is_preset_(preset.has_value()),
        deck_(configure(shown_)) {
    auto const& run = deck_.configuration;
    simulation_ = simulation::make_simulation(run, simulation::make_bodies(run));
    simulation_->advance(0);
    auto hello = make_hello(run, preset ? names[*preset] : run.title);
    if (hello.title.empty()) hello.title = shown_.source;
    hello.mode = view::Mode::demo;
    hello.control = true;
    hello.end_time.reset();
    hello.energy_limit.reset();
    hello.momentum_limit.reset();
    if (preset) {
      hello.presets = presets();
      hello.preset = *preset;
    }
    viewers_.begin(hello,
                   forces::field_flops(run.gravity.precision, run.integrator.entry->derivatives));
    values_of_deck_ = values();
    offer();
    measure();
    viewers_.show(*simulation_);
  }

  bool is_held() const { return held_; }

  enum class End { time, next, previous, restart, stop };

  /// Runs the deck until its time is over or a viewer requests something else.
  End run(std::function<bool()> const& stopped) {
    double shown_seconds = 0.0;
    auto due = Clock::now();
    while (!stopped()) {
      if (auto const end = process_commands()) return *end;
      bool const is_idle = (paused_ && !single_step_) || !viewers_.is_watched();
      if (is_idle) {
        viewers_.send_state(*simulation_, paused_ ? Status::paused : Status::running);
        if (viewers_.is_frame_due()) viewers_.show(*simulation_);
        std::this_thread::sleep_for(nap);
        due = Clock::now();
        continue;
      }
      auto const begin = Clock::now();
      single_step_ = false;
      if (!step()) {
        if (is_preset_) return End::next;
        paused_ = true;
      }
      if (viewers_.is_frame_due()) viewers_.show(*simulation_);
      viewers_.send_state(*simulation_, paused_ ? Status::paused : Status::running);
      due += std::chrono::duration_cast<Clock::duration>(
          std::chrono::duration<double>(1.0 / steps_per_second));
      auto const now = Clock::now();
      if (due < now) due = now;  // lost time is not made up for
      std::this_thread::sleep_until(due);
      if (!paused_) shown_seconds += seconds_since(begin);
      if (is_preset_ && !held_ && shown_seconds >= options_.seconds) return End::time;
    }
    return End::stop;
  }

 private:
  /// Takes a step; returns false if that is not possible, or the bodies are no longer finite.
  bool step() {
    auto const next = simulation_->step() + 1;
    bool const measured = next % steps_between_measurements == 0;
    try {
      simulation_->advance(
          1, measured ? simulation::FollowUp::measurement : simulation::FollowUp::nothing);
    } catch (integrators::Collision const&) {
      viewers_.note("two bodies are too close for any step");
      return false;
    }
    if (simulation_->step() < next) {
      viewers_.note("a collision ends this run");
      return false;
    }
    if (next % steps_between_checks == 0 && simulation_->not_finite()) {
      viewers_.note("the bodies are no longer finite");
      return false;
    }
    if (measured) measure();
    return true;
  }

  view::Setup::Values values() const {
    auto const& run = deck_.configuration;
    view::Setup::Values values{run.gravity.law.softening, run.integrator.time_step, {}};
    if (run.integrator.values.has("damping")) {
      values.damping = run.integrator.values.number("damping");
    }
    return values;
  }
  void offer() { viewers_.offer({held_, values(), values_of_deck_}); }

  /// Continues the bodies with changed values; energies are compared with those at the change.
  void change(view::Setup::Values const& changed) {
    auto run = deck_.configuration;
    if (changed.softening != run.gravity.law.softening && run.gravity.law.softening_by_species) {
      viewers_.note("species keep the lengths of gravity.softening_by_species");
    }
    run.gravity.law.softening = changed.softening;
    if (changed.time_step != 0.0) run.integrator.time_step = changed.time_step;
    if (changed.damping) run.integrator.values.set("damping", *changed.damping);
    run.start_time = simulation_->time();
    try {
      auto simulation = simulation::make_simulation(run, simulation_->bodies());
      simulation->advance(0);
      simulation_ = std::move(simulation);
      deck_.configuration = std::move(run);
    } catch (Error const& error) {
      viewers_.note(error.problems().front().text());
      return offer();
    }
    conservation_ = {};
    viewers_.count_from(simulation_->step(), simulation_->interactions());
    measure();
    offer();
  }

  void measure() {
    auto const& measurement = simulation_->measure();
    if (!measurement.is_finite()) return;
    conservation_.add(measurement);
    viewers_.add(simulation_->time(), conservation_);
  }

  std::optional<End> process_commands() {
    auto changed = values();
    bool const has_damping = changed.damping.has_value();
    bool has_changed = false;
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
          if (is_preset_) return End::next;
          break;
        case Kind::previous:
          if (is_preset_) return End::previous;
          break;
        case Kind::hold:
          held_ = command->value > 0.0;
          offer();
          break;
        case Kind::softening:
          changed.softening = command->value;
          has_changed = true;
          break;
        case Kind::time_step:
          changed.time_step = command->value;
          has_changed = true;
          break;
        case Kind::damping:
          if (has_damping) changed.damping = command->value;
          has_changed = has_changed || has_damping;
          break;
        case Kind::stop:
          return End::stop;
        default:
          break;
      }
    }
    if (has_changed) change(changed);
    return {};
  }

  DemonstrationOptions const& options_;
  ViewerFeed& viewers_;
  ShownDeck shown_;
  bool held_;
  bool is_preset_;
  deck::ConfiguredDeck deck_;
  view::Setup::Values values_of_deck_{};
  std::unique_ptr<simulation::Simulation> simulation_;
  diagnostics::Conservation conservation_;
  bool paused_ = false;
  bool single_step_ = false;
};

}  // namespace

std::vector<std::string> presets() {
  return {names.begin(), names.end()};
}

std::vector<std::string> preset_names() {
  std::vector<std::string> all;
  for (auto const& entry : preset_table) all.emplace_back(entry.name);
  return all;
}

std::optional<std::size_t> find_preset(std::string const& name) {
  for (auto const& entry : preset_table) {
    if (name == entry.name) return entry.preset;
  }
  return {};
}

void demonstrate(DemonstrationOptions const& options, ViewerFeed& viewers,
                 std::function<bool()> const& stopped) {
  using End = DeckShow::End;
  if (options.deck) {
    while (!stopped()) {
      if (DeckShow(options, true, *options.deck, {}, viewers).run(stopped) == End::stop) return;
    }
    return;
  }
  auto const bodies = options.bodies ? *options.bodies : fluent_bodies();
  std::size_t preset = options.preset;
  bool held = options.hold;
  while (!stopped()) {
    DeckShow show(options, held, preset_deck(preset, bodies), preset, viewers);
    auto const end = show.run(stopped);
    held = show.is_held();
    if (end == End::stop) return;
    if (end == End::restart) continue;
    preset = (preset + (end == End::previous ? names.size() - 1 : 1)) % names.size();
  }
}

}  // namespace apsis::view
