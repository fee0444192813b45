// SPDX-License-Identifier: Apache-2.0
#include "commands.hpp"
#include <apsis/core/text.hpp>
#include <apsis/driver/configuration.hpp>
#include <apsis/io/file.hpp>

#include <iostream>

namespace apsis::cli {

namespace {

struct CheckOptions {
  std::string deck;
  std::vector<std::string> overrides;
};

ExitStatus check(CheckOptions const& options) {
  auto const deck = driver::configure(io::read_file(options.deck), options.deck, options.overrides);
  auto const& run = deck.configuration;
  std::string const time_unit = run.units.si ? " " + run.units.name(dimension::time) : "";
  auto const need = driver::memory_need(run);
  std::cout << options.deck << ": good\n"
            << run.bodies() << " bodies, " << run.steps << " steps of " << shortest(run.time_step)
            << " to t = " << shortest(run.time(run.steps)) << time_unit << ", "
            << run.integrator->name << ", " << forces::name_of(run.precision) << " precision, "
            << static_cast<std::uint64_t>((need.device + need.host) / 0x1p20) + 1
            << " MiB of memory\n"
            << "units " << run.units.system << ": "
            << (run.units.si
                    ? run.units.length + ", " + run.units.mass + ", " + run.units.time + ", "
                    : "")
            << "G = " << shortest(run.units.G) << "\n";
  return ExitStatus::conserved;
}

}  // namespace

Command check_command() {
  auto const options = std::make_shared<CheckOptions>();
  return {"check",
          "Check a deck and run nothing",
          {{"DECK", "JSON deck to check", &options->deck},
           {"--set", "Change a value of the deck before it is checked (repeatable)",
            Words{&options->overrides, false}, "PATH=VALUE"}},
          [options] { return check(*options); }};
}

}  // namespace apsis::cli
