// SPDX-License-Identifier: Apache-2.0
#include "commands.hpp"
#include "live_options.hpp"
#include <apsis/driver/demonstration.hpp>

namespace apsis::cli {

namespace {

struct DemoOptions {
  LiveOptions live;
  std::optional<int> bodies;
  int seconds = 10;
  std::optional<int> threads;
};

ExitStatus demo(DemoOptions const& options) {
  driver::DemonstrationOptions what;
  if (options.bodies) what.bodies = static_cast<std::uint64_t>(*options.bodies);
  what.seconds = options.seconds;
  return show_page(options.live, options.threads, [&](auto& to, Stopped const& stopped) {
    driver::demonstrate(what, to, stopped);
  });
}

}  // namespace

Command demo_command() {
  auto const options = std::make_shared<DemoOptions>();
  return {"demo",
          "Show the presets of the CUDA sample and two galaxies in a browser",
          {{"--bodies", "Number of bodies (default: as many as take sixty steps a second)",
            Within<std::optional<int>, int>{&options->bodies, 2, 1 << 24}, "N"},
           {"--seconds", "How long each preset is shown", Within<int>{&options->seconds, 1, 86400},
            "S"},
           port_option(options->live),
           address_option("--view-address", options->live),
           control_option("Viewers may also end the demonstration", options->live),
           threads_option(options->threads)},
          [options] { return demo(*options); }};
}

}  // namespace apsis::cli
