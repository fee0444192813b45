// SPDX-License-Identifier: Apache-2.0
#include "resolve.hpp"

#include <algorithm>

namespace apsis::driver {

void DeckProblems::add(std::string const& path, std::string what, std::string why,
                       std::string advice) {
  all_.push_back({at(path), std::move(what), std::move(why), std::move(advice)});
}

bool DeckProblems::reported(std::string const& path) const {
  return std::any_of(all_.begin(), all_.end(), [begins = at(path)](Problem const& each) {
    return each.where.rfind(begins, 0) == 0;
  });
}

std::optional<double> optional_number(Values const& values, std::string const& name) {
  if (!values.has(name)) return std::nullopt;
  return values.number(name);
}

ConfiguredDeck configure(std::string const& json, std::string const& source,
                         std::vector<std::string> const& overrides, BodiesFiles files) {
  std::vector<Problem> all;
  auto deck = io::read_deck(json, source, overrides, deck_table(), all);
  DeckProblems problems(source, all);
  auto& section = deck.sections;
  auto const units = resolve_units(deck, problems);
  auto const integrator = resolve_integrator(section["integrator"], section["gravity"], problems);
  auto const steps = resolve_steps(section["run"], integrator.time_step, problems);
  auto const output = resolve_output(section["output"], integrator.time_step, steps, problems);
  auto const stop = resolve_stop(section["run"], problems);
  auto const known_units = units.value_or(unit_systems().front());
  auto const gravity = resolve_gravity(section["gravity"], known_units.G, integrator, problems);
  auto const bodies = resolve_bodies(section["bodies"], files, units, gravity, problems);
  auto diagnostics = deck.has("diagnostics")
                         ? resolve_diagnostics(section["diagnostics"], integrator.time_step,
                                               output.conservation_steps, bodies.count, problems)
                         : std::vector<PlannedDiagnostic>{};
  auto const limits = resolve_conservation(section["conservation"], problems);
  Configuration run{bodies.choice, gravity,
                    integrator,    output,
                    limits,        deck.top.has("title") ? deck.top.text("title") : "",
                    known_units,   steps.value_or(0),
                    stop,          std::move(diagnostics)};
  if (bodies.count) check_memory(run.memory(), problems.at(bodies.counted_by), all);
  if (!all.empty()) throw Error(ExitStatus::bad_input, std::move(all));
  return {std::move(run), io::write_deck(deck, deck_table())};
}

}  // namespace apsis::driver
