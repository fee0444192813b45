// SPDX-License-Identifier: Apache-2.0
#include "files/json_value.hpp"
#include "formats/check_bodies.hpp"
#include <apsis/deck/configuration.hpp>

#include <algorithm>
#include <utility>

namespace apsis::deck {

namespace {

/// Name of the file that the deck names for them. It is never read.
constexpr char const* given_bodies = "bodies-of-the-program.h5";

/// Whether the deck, or an override of a key in it, has this section. A deck that is not JSON has
/// every section, so that its syntax error is reported alone.
bool has_section(std::string const& json, std::vector<std::string> const& overrides,
                 std::string const& section) {
  auto const deck = nlohmann::json::parse(json, nullptr, false);
  if (!deck.is_object() || deck.contains(section)) return true;
  return std::any_of(overrides.begin(), overrides.end(), [&](std::string const& text) {
    return text.starts_with(section + ".") || text.starts_with(section + "=");
  });
}

std::vector<Problem> problems_of_columns(HostBodies const& bodies) {
  std::vector<Problem> problems;
  auto const check = [&](char const* column, std::size_t rows) {
    if (rows == bodies.size()) return;
    problems.push_back({given_bodies, "the column '" + std::string(column) + "' has another length",
                        "it has " + std::to_string(rows) + " rows, there are " +
                            std::to_string(bodies.size()) + " masses",
                        "give one row for each body"});
  };
  check("position", bodies.position.size());
  check("velocity", bodies.velocity.size());
  check("id", bodies.id.size());
  if (!bodies.species.empty()) check("species", bodies.species.size());
  if (!bodies.radius.empty()) check("radius", bodies.radius.size());
  if (!bodies.name.empty()) check("name", bodies.name.size());
  auto const unknown = std::find_if(bodies.species.begin(), bodies.species.end(),
                                    [](auto kind) { return kind >= species_types::count; });
  if (unknown != bodies.species.end()) {
    problems.push_back({given_bodies, "unknown species", "it is " + std::to_string(*unknown),
                        "give numbers from 0 to " + std::to_string(species_types::count - 1)});
  }
  if (bodies.size() == 0) {
    problems.push_back(
        {given_bodies, "no bodies", "there is nothing to simulate", "give at least one body"});
  }
  return problems;
}

/// Configures a deck with these bodies. They replace a section `bodies`.
ConfiguredDeck configure_given(std::string const& json, std::string const& source,
                               std::vector<std::string> overrides, HostBodies bodies) {
  auto file = std::make_shared<formats::BodiesFile>();
  file->bodies = std::move(bodies);
  file->has_ids = true;
  auto problems = problems_of_columns(file->bodies);
  if (problems.empty()) problems = formats::problems_of(*file, given_bodies);
  if (!problems.empty()) throw Error(ExitStatus::bad_input, std::move(problems));
  overrides.push_back(R"(bodies={"file": ")" + std::string(given_bodies) + "\"}");
  return configure(json, source, overrides, BodiesFiles::read, {}, file);
}

}  // namespace

ConfiguredDeck configure_simulation(std::string const& json, std::string const& source,
                                    std::vector<std::string> const& overrides,
                                    std::optional<HostBodies> bodies) {
  auto complete = overrides;
  if (!has_section(json, overrides, "run")) complete.push_back("run.steps=0");
  if (!bodies) return configure(json, source, complete);
  if (nlohmann::json::accept(json) && has_section(json, overrides, "bodies")) {
    throw Error(ExitStatus::bad_input,
                {source + ": bodies", "given twice",
                 "the program has bodies, and the deck has others", "leave one of them out"});
  }
  return configure_given(json, source, std::move(complete), std::move(*bodies));
}

ConfiguredDeck with_bodies(ConfiguredDeck const& deck, HostBodies bodies) {
  return configure_given(deck.resolved, "deck", {}, std::move(bodies));
}

}  // namespace apsis::deck
