// SPDX-License-Identifier: Apache-2.0
#include "commands.hpp"
#include "live_options.hpp"
#include <apsis/driver/demonstration.hpp>
#include <apsis/driver/signals.hpp>

#include <csignal>
#include <iostream>
#include <unistd.h>

namespace apsis::cli {

namespace {

struct DemoOptions {
  LiveOptions live;
  driver::DemonstrationOptions what;
  std::optional<int> bodies;
  int seconds = 10;
  std::optional<int> threads;
};

ExitStatus demo(DemoOptions const& options) {
  auto const kokkos = kokkos_session(options.threads);
  std::signal(SIGPIPE, SIG_IGN);
  auto what = options.what;
  if (options.bodies) what.bodies = static_cast<std::uint64_t>(*options.bodies);
  what.seconds = options.seconds;
  driver::Signals const signals;
  auto const server = serve(options.live, true);
  std::cout << "open that page in a browser; Ctrl-C ends the demonstration" << std::endl;
  driver::Broadcast to(*server);
  driver::demonstrate(what, to, [] { return driver::Signals::stop() != 0; });
  return ExitStatus::conserved;
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
           threads_option(options->threads)},
          [options] { return demo(*options); }};
}

}  // namespace apsis::cli
