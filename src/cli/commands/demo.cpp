// SPDX-License-Identifier: Apache-2.0
#include "cli/commands.hpp"
#include "cli/live_options.hpp"
#include "driver/view/demonstration.hpp"

namespace apsis::cli {

namespace {

struct DemoOptions {
  LiveOptions live;
  std::optional<int> bodies;
  int seconds = 10;
  std::optional<int> threads;
};

ExitStatus demo(DemoOptions const& options) {
  driver::DemonstrationOptions demonstration;
  if (options.bodies) demonstration.bodies = static_cast<std::uint64_t>(*options.bodies);
  demonstration.seconds = options.seconds;
  return show_page(options.live, options.threads, [&](auto& feed, StopRequested const& stopped) {
    driver::demonstrate(demonstration, feed, stopped);
  });
}

}  // namespace

Command demo_command() {
  auto const options = std::make_shared<DemoOptions>();
  return {"demo",
          "Show example systems in a browser: two galaxies and the CUDA nbody presets",
          {{"--bodies", "Number of bodies (default: as many as allow 60 steps per second)",
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
