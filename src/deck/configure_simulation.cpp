// SPDX-License-Identifier: Apache-2.0
#include "bodies_in_place.hpp"
#include "files/json_value.hpp"
#include "formats/check_bodies.hpp"
#include <apsis/deck/configuration.hpp>

#include <algorithm>
#include <utility>

namespace apsis::deck {

namespace {

/// Name of the file that the deck names for them, and their name in messages. It is never read.
constexpr char const* given_bodies = "bodies of the program";

/// Whether the deck, or an override of a key in it, has this section. A deck that is not JSON has
/// every section, so that its syntax error is reported alone.
bool has_section(nlohmann::json const& deck, std::vector<std::string> const& overrides,
                 std::string const& section) {
  if (!deck.is_object() || deck.contains(section)) return true;
  return std::any_of(overrides.begin(), overrides.end(), [&](std::string const& text) {
    return text.starts_with(section + ".") || text.starts_with(section + "=");
  });
}

/// Whether the deck says how long a run is. A simulation needs no end.
bool has_end(nlohmann::json const& deck, std::vector<std::string> const& overrides) {
  auto const is_end = [](std::string const& key) {
    return key.starts_with("steps") || key.starts_with("end");
  };
  if (!deck.is_object()) return true;
  if (deck.contains("run")) {
    auto const& run = deck["run"];
    if (!run.is_object()) return true;
    for (auto const& item : run.items()) {
      if (is_end(item.key())) return true;
    }
  }
  return std::any_of(overrides.begin(), overrides.end(), [&](std::string const& text) {
    return text.starts_with("run=") || (text.starts_with("run.") && is_end(text.substr(4)));
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

/// Returns the bodies as the content of a file. Throws all their problems.
std::shared_ptr<formats::BodiesFile> file_of(HostBodies bodies) {
  auto file = std::make_shared<formats::BodiesFile>();
  file->bodies = std::move(bodies);
  file->has_ids = true;
  auto problems = problems_of_columns(file->bodies);
  if (problems.empty()) problems = formats::problems_of(*file, given_bodies);
  if (!problems.empty()) throw Error(ExitStatus::bad_input, std::move(problems));
  return file;
}

/// Configures a deck with these bodies. They replace a section `bodies`.
ConfiguredDeck configure_given(std::string const& json, std::string const& source,
                               std::vector<std::string> overrides, HostBodies bodies) {
  auto const file = file_of(std::move(bodies));
  overrides.push_back(R"(bodies={"format": "hdf5", "file": ")" + std::string(given_bodies) + "\"}");
  return configure(json, source, overrides, BodiesFiles::read, {}, file);
}

}  // namespace

ConfiguredDeck configure_simulation(std::string const& json, std::string const& source,
                                    std::vector<std::string> const& overrides,
                                    std::optional<HostBodies> bodies) {
  auto complete = overrides;
  auto const deck = nlohmann::json::parse(json, nullptr, false);
  if (!has_end(deck, overrides)) complete.push_back("run.steps=0");
  if (!bodies) return configure(json, source, complete);
  if (!deck.is_discarded() && has_section(deck, overrides, "bodies")) {
    throw Error(ExitStatus::bad_input,
                {source + ": bodies", "given twice",
                 "the program has bodies, and the deck has others", "leave one of them out"});
  }
  return configure_given(json, source, std::move(complete), std::move(*bodies));
}

ConfiguredDeck with_bodies(ConfiguredDeck const& deck, HostBodies bodies) {
  return configure_given(deck.resolved, "deck", {}, std::move(bodies));
}

std::shared_ptr<formats::BodiesFile const> bodies_in_place(ConfiguredDeck const& deck,
                                                           HostBodies const& bodies) {
  auto const& plan = deck.configuration.bodies;
  bool const are_given = plan.file && deck.inputs.back() == given_bodies;
  bool const are_alike = are_given && plan.file->bodies.size() == bodies.size() &&
                         plan.file->bodies.name.empty() == bodies.name.empty();
  return are_alike ? file_of(bodies) : nullptr;
}

}  // namespace apsis::deck
