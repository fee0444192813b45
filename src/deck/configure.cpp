// SPDX-License-Identifier: Apache-2.0
#include "bodies_in_place.hpp"
#include "files/json_value.hpp"
#include "files/record.hpp"
#include "formats/check_bodies.hpp"
#include "resolve.hpp"
#include <apsis/core/text.hpp>

#include <algorithm>
#include <cmath>

namespace apsis::deck {

void DeckProblems::add_file_problems(std::string const& path, Error const& error) {
  for (auto const& problem : error.problems()) {
    add(path, problem.where + ": " + problem.problem, problem.why, problem.advice);
    if (error.status() == ExitStatus::input_output) ++unreadable_;
  }
}

bool DeckProblems::is_reported(std::string const& path) const {
  bool const is_misnamed =
      std::any_of(misnamed_.begin(), misnamed_.end(),
                  [&](std::string const& key) { return key.rfind(path, 0) == 0; });
  return is_misnamed || std::any_of(problems_.begin(), problems_.end(),
                                    [prefix = location(path)](Problem const& problem) {
                                      return problem.where.rfind(prefix, 0) == 0;
                                    });
}

std::optional<double> optional_number(Values const& values, std::string const& name) {
  if (!values.has(name)) return std::nullopt;
  return values.number(name);
}

std::string softening_advice(Values const& gravity) {
  bool const none = gravity.has("softening_kernel") && gravity.text("softening_kernel") == "none";
  return none ? "set gravity.softening and another gravity.softening_kernel"
              : "set gravity.softening";
}

namespace {

/// Whether no species has a softening length above 0.
bool is_without_softening(Values const& gravity) {
  if (optional_number(gravity, "softening").value_or(1.0) > 0.0) return false;
  if (!gravity.has("softening_by_species")) return true;
  auto const& by_species = gravity.object("softening_by_species");
  return std::none_of(
      species_types::names.begin(), species_types::names.end(),
      [&](auto const* name) { return optional_number(by_species, name).value_or(0.0) > 0.0; });
}

IntegratorPlan resolve_integrator(Values const& integrator, Values const& gravity,
                                  DeckProblems& problems) {
  IntegratorPlan plan{entry_named(integrators::integrators(), integrator, "name"), integrator,
                      optional_number(integrator, "time_step").value_or(0.0)};
  if (integrator.has("time_step") && plan.time_step == 0.0) {
    problems.add("integrator.time_step", "out of range", "it is 0",
                 "give a number above 0, or below 0 for a run backwards in time");
  }
  if (plan.entry == nullptr) return plan;
  if (plan.entry->check != nullptr && !problems.is_reported("integrator")) {
    problems.add_all("integrator.", plan.entry->check(integrator));
  }
  if (!integrator.has("stepping")) return plan;
  auto const& stepping = integrator.object("stepping");
  bool const block_by_softening =
      integrators::step_mode(integrator) == integrators::StepMode::block &&
      plan.entry->criterion.empty();
  bool const needs_softening =
      block_by_softening ||
      (stepping.has("criterion") && stepping.text("criterion") == "softened_acceleration");
  if (needs_softening && is_without_softening(gravity)) {
    auto const& criterion = plan.entry->criterion;
    auto const other = criterion.empty() ? "fixed steps, or hermite4, whose steps need none"
                                         : "the criterion '" + criterion + "'";
    problems.add(block_by_softening ? "integrator.stepping.mode" : "integrator.stepping.criterion",
                 "contradicts gravity.softening", "the criterion needs a softening length",
                 softening_advice(gravity) + ", or " + other);
  }
  return plan;
}

/// Returns the number of steps of the run; nothing if the deck is wrong.
std::optional<std::uint64_t> resolve_steps(Values const& run, double time_step, double start,
                                           DeckProblems& problems) {
  std::optional<std::uint64_t> steps;
  if (run.has("steps")) {
    steps = static_cast<std::uint64_t>(run.integer("steps"));
  } else if (run.has("end_time") && time_step != 0.0) {
    double const end_time = run.number("end_time");
    steps = whole_steps("run.end_time", end_time, time_step, end_time != start ? 1.0 : 0.0,
                        problems, start);
  }
  if (steps && !std::isfinite(start + static_cast<double>(*steps) * time_step)) {
    problems.add("integrator.time_step", "out of range", "the end of the run is at no finite time",
                 "reduce it or run.steps");
    return std::nullopt;
  }
  return steps;
}

StopConditions resolve_stop(Values const& run, DeckProblems& problems) {
  StopConditions stop;
  stop.encounter_distance = optional_number(run, "encounter_distance");
  stop.escape_radius = optional_number(run, "escape_radius");
  stop.max_wall_time = optional_number(run, "max_wall_time");
  if (!run.has("stop_file")) return stop;
  stop.stop_file = run.text("stop_file");
  if (stop.stop_file.empty()) {
    problems.add("run.stop_file", "empty", "no file has that name", "name a file or leave it out");
  }
  return stop;
}

/// Returns the log interval of the earlier deck of a resumed run [steps]; nothing without one.
std::optional<std::uint64_t> earlier_log_interval(std::string const& earlier, double time_step) {
  auto const interval = files::number_in(earlier, "output.conservation_interval");
  double const ratio = interval.value_or(0.0) / std::abs(time_step);
  if (!(ratio > 0.5 && ratio < 0x1p53)) return std::nullopt;
  return static_cast<std::uint64_t>(std::round(ratio));
}

std::vector<PlannedPictures> resolve_pictures(Values const& output, double time_step,
                                              DeckProblems& problems) {
  std::vector<PlannedPictures> planned;
  auto const& series = output.records("render");
  std::set<std::string> names;
  for (std::size_t i = 0; i < series.size(); ++i) {
    auto const path = "output.render[" + std::to_string(i) + "]";
    if (problems.is_reported(path)) continue;
    auto const shot = render::shot_of(series[i]);
    problems.add_all(path + ".", render::problems_of(shot));
    if (!names.insert(shot.name).second) {
      problems.add(path + ".name", "is used by another series", "it is '" + shot.name + "'",
                   "give each series its own name");
    }
    auto const steps = whole_steps(path + ".interval", series[i].number("interval"),
                                   std::abs(time_step), 1.0, problems);
    planned.push_back({shot, steps.value_or(1)});
  }
  return planned;
}

OutputPlan resolve_output(Values& output, double time_step, double start,
                          std::optional<std::uint64_t> steps, std::string const& earlier,
                          DeckProblems& problems) {
  OutputPlan plan;
  plan.final_state = !output.has("final_state") || output.boolean("final_state");
  if (time_step == 0.0) return plan;
  double const step_length = std::abs(time_step);
  auto const interval = [&](std::string const& name) -> std::optional<std::uint64_t> {
    if (!output.has(name)) return std::nullopt;
    return whole_steps("output." + name, output.number(name), step_length, 1.0, problems);
  };
  if (output.has("conservation_interval")) {
    plan.conservation_steps = interval("conservation_interval").value_or(1);
  } else if (steps) {
    plan.conservation_steps = earlier_log_interval(earlier, time_step)
                                  .value_or(std::max<std::uint64_t>(1, (*steps + 99) / 100));
    output.set("conservation_interval", static_cast<double>(plan.conservation_steps) * step_length);
  }
  plan.snapshot_steps = interval("snapshot_interval");
  plan.snapshot_listed = listed_steps(output, "snapshot_", "output.", time_step, start, problems);
  plan.checkpoint_steps = interval("checkpoint_interval");
  if (output.has("render")) plan.pictures = resolve_pictures(output, time_step, problems);
  if (output.has("snapshot_compression")) {
    plan.snapshot_content.compression = static_cast<int>(output.integer("snapshot_compression"));
  }
  auto const is_true = [&](char const* name) { return output.has(name) && output.boolean(name); };
  plan.snapshot_content.accelerations = is_true("snapshot_accelerations");
  plan.snapshot_content.potentials = is_true("snapshot_potentials");
  double const seconds = optional_number(output, "checkpoint_wall_interval").value_or(0.0);
  if (seconds > 0.0) plan.checkpoint_wall_interval = seconds;
  return plan;
}

Limits resolve_conservation(Values const& conservation, DeckProblems& problems) {
  Limits limits{optional_number(conservation, "max_relative_energy_error"),
                optional_number(conservation, "max_momentum_error")};
  if (!conservation.has("on_violation")) return limits;
  auto const& word = conservation.text("on_violation");
  limits.on_violation = word == "stop"    ? OnViolation::stop
                        : word == "retry" ? OnViolation::retry
                                          : OnViolation::report;
  bool const limited = limits.max_relative_energy_error || limits.max_momentum_error;
  if (!limited && limits.on_violation != OnViolation::report &&
      !problems.is_reported("conservation.max_")) {
    problems.add("conservation.on_violation", "'" + word + "' without a limit",
                 "there is nothing to violate", "give conservation.max_relative_energy_error");
  }
  return limits;
}

/// Checks the limit on the number of bodies of a solver. An O(N) solver that fell back to all pairs
/// of so many bodies would run for years.
void check_solver_limit(Configuration const& run, std::uint64_t count, std::string const& path,
                        DeckProblems& problems) {
  auto const* const solver = run.gravity.solver;
  if (solver == nullptr || run.integrator.entry == nullptr || solver->max_bodies == nullptr) return;
  auto const most = solver->max_bodies(run.gravity.demand(run.integrator));
  if (count <= most) return;
  problems.add(
      path, "too many for the solver '" + solver->name + "'",
      "the deck has " + std::to_string(count) + " bodies, it takes at most " + std::to_string(most),
      "use fewer bodies");
}

void add_files(Values const& bodies, std::vector<std::filesystem::path>& files) {
  if (bodies.has("file")) files.emplace_back(bodies.text("file"));
  if (!bodies.has("parts")) return;
  for (auto const& part : bodies.records("parts")) add_files(part.object("bodies"), files);
}

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
  auto const run_has_end = [&](nlohmann::json const& run) {
    if (!run.is_object()) return true;
    auto const items = run.items();
    return std::any_of(items.begin(), items.end(),
                       [&](auto const& item) { return is_end(item.key()); });
  };
  if (!deck.is_object() || (deck.contains("run") && run_has_end(deck["run"]))) return true;
  return std::any_of(overrides.begin(), overrides.end(), [&](std::string const& text) {
    if (text.starts_with("run=")) {
      return run_has_end(nlohmann::json::parse(text.substr(4), nullptr, false));
    }
    return text.starts_with("run.") && is_end(text.substr(4));
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

ConfiguredDeck configure(std::string const& json, std::string const& source,
                         std::vector<std::string> const& overrides, BodiesFiles files,
                         std::string const& earlier,
                         std::shared_ptr<formats::BodiesFile const> const& given) {
  std::vector<Problem> found_problems;
  auto deck = read_deck(json, source, overrides, deck_table(), found_problems);
  DeckProblems problems(source, found_problems, deck.misnamed);
  auto& section = deck.sections;
  auto const units = resolve_units(deck, problems);
  convert_quantities(deck, units, problems);
  auto const integrator = resolve_integrator(section["integrator"], section["gravity"], problems);
  bool const by_file = starts_with_file(section["run"]);
  double start = stated_start(section["run"]);
  std::optional<std::uint64_t> steps;
  OutputPlan output;
  auto const resolve_times = [&](DeckProblems& time_problems) {
    steps = resolve_steps(section["run"], integrator.time_step, start, time_problems);
    output = resolve_output(section["output"], integrator.time_step, start, steps, earlier,
                            time_problems);
  };
  if (!by_file) resolve_times(problems);
  auto const stop = resolve_stop(section["run"], problems);
  auto const known_units = units.value_or(unit_systems().front());
  auto const gravity = resolve_gravity(section["gravity"], known_units.G, integrator, problems);
  auto const limits = resolve_conservation(section["conservation"], problems);
  auto const make_configuration = [&](BodiesPlan bodies) {
    Configuration run{std::move(bodies),
                      gravity,
                      integrator,
                      output,
                      limits,
                      deck.top.has("title") ? deck.top.text("title") : "",
                      known_units,
                      steps.value_or(0),
                      stop,
                      {}};
    run.start_time = start;
    return run;
  };
  // Checks the number of bodies of a file before they are read.
  auto const check_memory_of = [&](std::uint64_t count) {
    BodiesPlan bodies;
    bodies.known_count = count;
    std::vector<Problem> memory_problems;
    auto const& bodies_section =
        section["bodies"];  // a file, or a composite with files among its parts
    check_memory(make_configuration(std::move(bodies)),
                 bodies_section.has("file") ? bodies_section.text("file") : "bodies",
                 memory_problems);
    if (!memory_problems.empty()) throw Error(ExitStatus::bad_input, std::move(memory_problems));
  };
  auto bodies =
      resolve_bodies(section["bodies"], {files, given}, units, gravity, check_memory_of, problems);
  if (by_file) {
    auto const known = files == BodiesFiles::read ? start_of_files(bodies.plan, problems)
                                                  : files::number_in(earlier, "run.start_time");
    start = known.value_or(0.0);
    section["run"].set("start_time", start);
    // Without the time of the file, other times cannot be judged.
    std::vector<Problem> ignored;
    DeckProblems unknown(source, ignored);
    resolve_times(known ? problems : unknown);
  }
  auto run = make_configuration(std::move(bodies.plan));
  if (deck.has("diagnostics")) {
    run.diagnostics = resolve_diagnostics(section["diagnostics"], integrator.time_step, start,
                                          output.conservation_steps, bodies.count, integrator,
                                          gravity.precision, run.bodies, problems);
  }
  run.force_setting = force_setting(known_units, gravity.law.G);
  run.forces = resolve_forces(deck, run.force_setting, integrator, problems);
  run.events = resolve_events(deck, gravity, limits, problems);
  check_tangent_of_run(run, problems);
  if (bodies.count) check_solver_limit(run, *bodies.count, bodies.counted_by, problems);
  // With BodiesFiles::leave the bodies are known already, or this rank has only some of them.
  if (bodies.count && files == BodiesFiles::read) {
    check_memory(run, problems.location(bodies.counted_by), found_problems);
  }
  auto const status = problems.status();
  if (!found_problems.empty()) throw Error(status, std::move(found_problems));
  std::vector<std::filesystem::path> inputs{source};
  add_files(section["bodies"], inputs);
  return {std::move(run), write_deck(deck, deck_table()), std::move(inputs)};
}

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
