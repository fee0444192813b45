// SPDX-License-Identifier: Apache-2.0
#include "cli/commands.hpp"
#include "cli/live_options.hpp"
#include "view/demonstration.hpp"
#include <apsis/core/text.hpp>
#include <apsis/deck/configuration.hpp>

namespace apsis::cli {

namespace {

struct DemoOptions {
  std::string deck;
  std::string preset;
  LiveOptions live;
  std::optional<int> bodies;
  int seconds = 10;
  std::optional<int> threads;
};

ExitStatus demo(DemoOptions const& options) {
  view::DemonstrationOptions demonstration;
  if (options.bodies) demonstration.bodies = static_cast<std::uint64_t>(*options.bodies);
  demonstration.seconds = options.seconds;
  if (!options.preset.empty()) {
    auto const preset = view::find_preset(options.preset);
    if (!preset) {
      usage_error("--preset " + options.preset, "unknown preset", "",
                  "use one of " + quoted_list(view::preset_names()));
    }
    demonstration.preset = *preset;
    demonstration.hold = true;
  }
  if (!options.deck.empty()) {
    demonstration.deck = view::ShownDeck{deck::read_deck_file(options.deck), options.deck};
    if (options.bodies) {
      demonstration.deck->overrides.push_back("bodies.count=" + std::to_string(*options.bodies));
    }
    deck::configure(demonstration.deck->text, options.deck, demonstration.deck->overrides);
  }
  return show_page(options.live, options.threads, [&](auto& feed, StopRequested const& stopped) {
    view::demonstrate(demonstration, feed, stopped);
  });
}

}  // namespace

Command demo_command() {
  auto const options = std::make_shared<DemoOptions>();
  return {"demo",
          "Show a deck in a browser, or two galaxies and the CUDA nbody presets",
          {Option{"DECK", "JSON deck to show instead of the presets", &options->deck}.optional(),
           Option{"--preset",
                  "Show this preset and stay with it: galaxies, 0 to 6 (of the CUDA sample) or "
                  "expand",
                  &options->preset, "NAME"}
               .excludes({"DECK"}, "a deck is shown instead of the presets"),
           {"--bodies", "Number of bodies (default: as many as allow 60 steps per second)",
            IntegerRange<std::optional<int>, int>{&options->bodies, 2, 1 << 24}, "N"},
           {"--seconds", "Duration of each preset [s]",
            IntegerRange<int>{&options->seconds, 1, 86400}, "S"},
           port_option(options->live),
           address_option("--view-address", options->live),
           frame_option(options->live),
           control_option("Allow viewers to end the demonstration", options->live),
           threads_option(options->threads)},
          [options] { return demo(*options); }};
}

}  // namespace apsis::cli
