// SPDX-License-Identifier: Apache-2.0
#include "cli/commands.hpp"
#include "cli/input_options.hpp"
#include "cli/live_options.hpp"
#include "files/csv_metadata.hpp"
#include "files/record.hpp"
#include "view/shows.hpp"
#include <apsis/core/text.hpp>
#include <apsis/deck/configuration.hpp>

namespace apsis::cli {

namespace {

struct ViewOptions {
  std::vector<std::string> paths;
  LiveOptions live;
  std::optional<int> threads;
};

view::Hello make_hello(std::vector<std::filesystem::path> const& files, Scene const& first) {
  view::Hello hello;
  hello.mode = view::Mode::play;
  hello.control = true;
  auto const& caption = first.caption;
  hello.title = caption.title.empty() ? files.front().string() : caption.title;
  hello.bodies = caption.bodies;
  hello.units = caption.units;
  hello.energy_limit = files::number_in(caption.deck, "conservation.max_relative_energy_error");
  hello.momentum_limit = files::number_in(caption.deck, "conservation.max_momentum_error");
  return hello;
}

/// Plots the whole conservation log of a run, if it exists beside the snapshots.
void show_log(std::filesystem::path const& directory, view::ViewerFeed& feed) {
  auto const log = directory / "conservation.csv";
  std::error_code code;
  if (!std::filesystem::is_regular_file(log, code)) return;
  auto const columns = files::read_columns(
      log, {"time", "relative_energy_error", "momentum_x", "momentum_y", "momentum_z",
            "angular_momentum_x", "angular_momentum_y", "angular_momentum_z"});
  auto const change_since_start = [&](std::size_t row, std::size_t first) {
    Vec3<double> now{}, start{};
    now = {columns[first][row], columns[first + 1][row], columns[first + 2][row]};
    start = {columns[first][0], columns[first + 1][0], columns[first + 2][0]};
    return norm(now - start);
  };
  for (std::size_t row = 0; row < columns[0].size(); ++row) {
    feed.add(view::ConservedPoint{columns[0][row], columns[1][row], change_since_start(row, 2),
                                  change_since_start(row, 5)});
  }
}

ExitStatus view_files(ViewOptions const& options) {
  auto const files = find_files(options.paths);
  auto const first = read_scene(files.front());
  auto hello = make_hello(files, first);
  if (first.caption.bodies == 0) {
    throw Error(ExitStatus::bad_input,
                Problem{files.front().string(), "holds no bodies", "there is nothing to show", ""});
  }
  return show_page(options.live, options.threads, [&](auto& feed, StopRequested const& stopped) {
    feed.begin(hello, 0.0);
    feed.describe(files::number_in(first.caption.deck, "gravity.G").value_or(first.caption.units.G),
                  first.bodies);
    if (options.paths.size() == 1) show_log(options.paths.front(), feed);
    view::SnapshotSequence const reel{
        files.size(), [&files](std::size_t k) {
          auto scene = read_scene(files[k]);
          sort_by_id(scene.bodies);
          return view::PlayedSnapshot{std::move(scene.bodies), scene.caption.time};
        }};
    view::play(reel, feed, stopped);
  });
}

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

Command view_command() {
  auto const options = std::make_shared<ViewOptions>();
  return {"view",
          "Play the snapshots of a run, or other files of bodies, in a browser",
          {{"PATH", "Directory of a run, or a file of bodies (repeatable)",
            TextList{&options->paths, false}},
           port_option(options->live),
           address_option("--view-address", options->live),
           frame_option(options->live),
           control_option("Allow viewers to end the player", options->live),
           threads_option(options->threads)},
          [options] { return view_files(*options); }};
}

Command demo_command() {
  auto const options = std::make_shared<DemoOptions>();
  return {
      "demo",
      "Show a deck in a browser, or two galaxies and the CUDA nbody presets",
      {Option{"DECK", "JSON deck to show instead of the presets", &options->deck}.optional(),
       Option{"--preset",
              "Show this preset and stay with it: galaxies, 0 to 6 (of the CUDA sample) or expand",
              &options->preset, "NAME"}
           .excludes({"DECK"}, "a deck is shown instead of the presets"),
       {"--bodies", "Number of bodies (default: as many as allow 60 steps per second)",
        IntegerRange<std::optional<int>, int>{&options->bodies, 2, 1 << 24}, "N"},
       {"--seconds", "Duration of each preset [s]", IntegerRange<int>{&options->seconds, 1, 86400},
        "S"},
       port_option(options->live),
       address_option("--view-address", options->live),
       frame_option(options->live),
       control_option("Allow viewers to end the demonstration", options->live),
       threads_option(options->threads)},
      [options] { return demo(*options); }};
}

}  // namespace apsis::cli
