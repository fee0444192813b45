// SPDX-License-Identifier: Apache-2.0
#include "core/citation.hpp"
#include "files/file.hpp"
#include "formats/bodies_formats.hpp"
#include "formats/snapshot/parts.hpp"
#include "formats/sniff.hpp"
#include "resolve.hpp"
#include <apsis/core/text.hpp>

#include <algorithm>
#include <cmath>

namespace apsis::deck {

namespace fs = std::filesystem;

namespace {

/// Returns the forms of the units of a file: a system, those that the file states, or custom units.
std::vector<Form> file_units_forms() {
  std::vector<Form> forms;
  for (auto const& units : unit_systems()) {
    if (units.si) forms.push_back({"system", units.system, units.doc, {}});
  }
  forms.push_back({"system", "file", "the units that the file states", {}});
  forms.push_back(custom_units_form());
  return forms;
}

initial_conditions::ModelEntry make_entry() {
  std::string doc;
  for (auto const& format : formats::body_formats()) doc += "; " + format.name + ": " + format.doc;
  return {
      "file",
      "bodies from a file",
      {text("file", "path, relative to the deck or else to the current directory")
           .needed()
           .changeable(),
       choice("format", formats::body_formats().names(),
              "format of the file; default: by its content or else its extension" + doc)
           .changeable(),
       text("columns",
            "column names of a text file, '-' for a column that is not read: \"x y z vx vy vz mass "
            "-\"; without z and vz both are 0; default: its first line")
           .changeable(),
       object("units", file_units_forms(),
              "units of the numbers in the file, which are converted to the units of the deck; "
              "default: those of the deck"),
       number("time",
              "the time to choose from a file with several times, in the units of the file; "
              "default: it must have one")
           .changeable(),
       choice("tipsy_ids", {"automatic", "integers", "none"},
              "whether tipsy has integer ids instead of potentials, as the files of the CUDA "
              "sample; automatic: if all of them are >= 0 and unique")
           .with_default(std::string("automatic"))
           .changeable(),
       boolean("ids",
               "whether the ids of the file are used; false numbers the bodies 0, 1, 2 ... "
               "instead, for files whose ids repeat")
           .with_default(true)
           .changeable(),
       positive("central_mass", "mass of the central body of a mercury file [Msun]; default: 1"),
       initial_conditions::centring(), initial_conditions::virial_ratio_key(),
       boolean(
           "henon_units",
           "rescale the bodies to exact Henon units: G = M = 1, E = -1/4 with the run's softening")
           .with_default(false)},
      nullptr,
      nullptr};
}

std::vector<initial_conditions::ModelEntry> models_with_file_parts() {
  std::vector<initial_conditions::ModelEntry> models(initial_conditions::models().begin(),
                                                     initial_conditions::models().end());
  auto const& file = file_model();
  // Only the whole is rescaled to Henon units, not a part.
  std::vector<Parameter> parameters;
  for (auto const& parameter : file.parameters) {
    if (parameter.name != "henon_units") parameters.push_back(parameter);
  }
  for (auto& model : models) {
    if (model.parts == nullptr) continue;
    for (auto& parameter : model.parameters) {
      for (auto& field : parameter.fields) {
        if (!field.forms.empty() && !field.forms.front().selector.empty())
          field.forms.push_back({file.name, "", file.doc, parameters});
      }
    }
  }
  return models;
}

bool differ(double a, double b) {
  return !(std::abs(a / b - 1.0) <= 1e-6);
}

std::string unit_names(Units::Si const& si) {
  auto const units = custom_units(si);
  return units.short_name(dimension::length) + ", " + units.short_name(dimension::mass) + ", " +
         units.short_name(dimension::time);
}

/// Returns the units of length and mass, and km/s or the unit of time.
std::string names_for_conversion(Units::Si const& si) {
  auto const units = custom_units(si);
  auto const velocity = units.short_name(dimension::velocity);
  return units.short_name(dimension::length) + ", " + units.short_name(dimension::mass) + ", " +
         (velocity == "km/s" ? velocity : units.short_name(dimension::time));
}

/// Returns all digits, for units with the same names.
std::string value_text(Units::Si const& si) {
  return shortest(si.length) + " m, " + shortest(si.mass) + " kg, " + shortest(si.time) + " s";
}

/// Returns units as a deck has them: by name, or by value where no name is exactly these units.
std::string deck_text(Units::Si const& si) {
  auto const units = custom_units(si);
  auto const value = [&](double number, Dimension dimension) {
    auto const name = units.short_name(dimension);
    auto const named = quantity_in(name);
    return named && !differ(named->si, number) ? "\"" + name + "\"" : shortest(number);
  };
  bool const kilometres = !differ(si.length / si.time, 1e3);
  return R"({"length": )" + value(si.length, dimension::length) + R"(, "mass": )" +
         value(si.mass, dimension::mass) +
         (kilometres ? R"(, "velocity": "km/s"})"
                     : R"(, "time": )" + value(si.time, dimension::time) + "}");
}

bool is_binary(fs::path const& path) {
  auto const extension = lower_case(path.extension().string());
  for (auto const& format : formats::body_formats()) {
    auto const& extensions = format.extensions;
    bool const matches =
        std::find(extensions.begin(), extensions.end(), extension) != extensions.end();
    if (matches) return format.name != "text";
  }
  return false;
}

}  // namespace

initial_conditions::ModelEntry const& file_model() {
  static initial_conditions::ModelEntry const entry = cited(make_entry(), {"Apsis"});
  return entry;
}

Registry<initial_conditions::ModelEntry> const& generators() {
  static Registry<initial_conditions::ModelEntry> const table{"model", models_with_file_parts()};
  return table;
}

std::optional<double> BodiesPlan::virial_ratio() const {
  auto const ratio = initial_conditions::requested_virial_ratio(values);
  return ratio && *ratio > 0.0 ? ratio : std::nullopt;
}

bool BodiesPlan::is_rescaled() const {
  return henon_units || virial_ratio() ||
         std::any_of(parts.begin(), parts.end(),
                     [](auto const& part) { return part.is_rescaled(); });
}

bool BodiesPlan::has_file() const {
  return model == &file_model() ||
         std::any_of(parts.begin(), parts.end(), [](auto const& part) { return part.has_file(); });
}

bool BodiesPlan::has_names() const {
  if (model == nullptr) return false;
  if (model == &file_model()) {
    auto const* const format =
        values.has("format") ? formats::body_formats().find(values.text("format")) : nullptr;
    return format != nullptr && format->names_bodies;
  }
  if (model == &initial_conditions::listed()) {
    auto const& list = values.records("list");
    return std::any_of(list.begin(), list.end(),
                       [](Values const& body) { return body.has("name"); });
  }
  return model->names_bodies ||
         std::any_of(parts.begin(), parts.end(), [](auto const& part) { return part.has_names(); });
}

std::vector<std::shared_ptr<formats::BodiesFile const>> BodiesPlan::files() const {
  std::vector<std::shared_ptr<formats::BodiesFile const>> result;
  if (file) result.push_back(file);
  for (auto const& part : parts) {
    auto const inner = part.files();
    result.insert(result.end(), inner.begin(), inner.end());
  }
  return result;
}

std::string read_deck_file(fs::path const& path) {
  std::error_code ignored;
  if (fs::is_directory(path, ignored)) {
    throw Error(ExitStatus::input_output,
                Problem{path.string(), "cannot be read",
                        "it is a directory, and not that of a run: it has no deck.resolved.json",
                        "name the deck, and the directory with --output"});
  }
  // A large binary file would be reported as too large for a deck.
  bool const binary = is_binary(path) && fs::is_regular_file(path, ignored);
  auto text = binary ? "" : files::read_file(path, files::deck_limit);
  bool const is_json = text.find('{') < 4096;
  bool bodies = binary;
  if (auto const kind = formats::sniff(text.substr(0, formats::sniffed_bytes));
      kind && kind->format.empty()) {
    throw Error(ExitStatus::bad_input, formats::wrong_kind(path.string(), *kind));
  } else if (kind) {
    bodies = true;
  }
  for (auto const& format : formats::body_formats()) {
    auto const& extensions = format.extensions;
    auto const extension = lower_case(path.extension().string());
    bodies = bodies || (!is_json && std::find(extensions.begin(), extensions.end(), extension) !=
                                        extensions.end());
  }
  APSIS_VALIDATE(!bodies, {path.string(), "is a file of bodies and no deck", "",
                           R"(write a deck with "bodies": {"file": ")" + path.string() + R"("})"});
  return text;
}

std::shared_ptr<formats::BodiesFile const> read_file(std::string const& where, Values& bodies,
                                                     BodiesFiles files,
                                                     formats::CountCheck const& fits,
                                                     DeckProblems& problems) {
  std::error_code ignored;
  auto const path_beside_deck = fs::path(problems.source()).parent_path() / bodies.text("file");
  auto const path = fs::exists(formats::first_part(path_beside_deck), ignored)
                        ? path_beside_deck
                        : fs::path(bodies.text("file"));
  // The resolved deck has an absolute path, since it may be run from another directory.
  bodies.set("file", fs::absolute(path, ignored).lexically_normal().string());
  try {
    if (!bodies.has("format")) bodies.set("format", formats::format_of(path));
    std::string const columns = bodies.has("columns") ? bodies.text("columns") : "";
    auto const why = bodies.has("columns") ? formats::problem_of_columns(columns) : "";
    if (!why.empty()) {
      problems.add(
          where + ".columns", "columns that cannot be read", why,
          "name mass, x, y, z, vx, vy and vz once each, id if there is one, and '-' for others");
      return nullptr;
    }
    if (files == BodiesFiles::leave) return nullptr;
    auto const& word = bodies.text("tipsy_ids");
    auto const ids = word == "integers" ? formats::TipsyIds::integers
                     : word == "none"   ? formats::TipsyIds::none
                                        : formats::TipsyIds::automatic;
    bool const with_ids = bodies.boolean("ids");
    if (!with_ids && ids == formats::TipsyIds::integers) {
      problems.add(where + ".tipsy_ids", "contradicts ids", "ids is false, so the file has none",
                   "leave one of them out");
      return nullptr;
    }
    return std::make_shared<formats::BodiesFile const>(
        formats::read_bodies(bodies.text("file"), bodies.text("format"),
                             {ids, fits, columns, optional_number(bodies, "central_mass"),
                              optional_number(bodies, "time"), with_ids}));
  } catch (Error const& error) {
    problems.add_file_problems(where + ".file", error);
    return nullptr;
  }
}

std::shared_ptr<formats::BodiesFile const> in_units_of_deck(
    std::string const& where, std::shared_ptr<formats::BodiesFile const> const& file,
    Values const& bodies, std::optional<Units> const& units, DeckProblems& problems) {
  bool const is_stated = bodies.has("units");
  if (!units || (!is_stated && (!file->has_fixed_units || !units->si))) return file;
  auto converted = std::make_shared<formats::BodiesFile>(*file);
  auto const refuse = [&](std::string what, std::string why, std::string advice) {
    problems.add(where + ".units", std::move(what), std::move(why), std::move(advice));
    return file;
  };
  if (is_stated && !units->si) {
    return refuse("contradicts units", "the deck has numbers without units",
                  "set units, for example to {\"system\": \"astrophysical\"}");
  }
  auto const* const stated = is_stated ? &bodies.object("units") : nullptr;
  bool const is_by_file =
      stated != nullptr && stated->has("system") && stated->text("system") == "file";
  if (is_by_file && !file->units) {
    return refuse("the file states no units", "their system is 'file'",
                  "name the units, for example {\"length\": \"pc\", \"mass\": \"Msun\", "
                  "\"velocity\": \"km/s\"}");
  }
  if (stated != nullptr && !is_by_file &&
      !formats::state_units(*converted, *units_of(*stated).si)) {
    return refuse("contradicts the file",
                  std::string("the units ") +
                      (file->has_fixed_units ? "of its format are " : "that it states are ") +
                      unit_names(*file->units) + " (" + formats::si_text(*file->units) + ")",
                  "write {\"system\": \"file\"} to use them");
  }
  auto const source = *converted->units;
  bool const differs = source.length != units->si->length || source.mass != units->si->mass ||
                       source.time != units->si->time;
  formats::convert_units(*converted, *units->si);
  if (is_stated && differs) {
    converted->notes.push_back("its numbers are converted from " + names_for_conversion(source) +
                               " to " + names_for_conversion(*units->si));
  }
  return converted;
}

void check_file_units(std::string const& where, formats::BodiesFile const& file, Units const& units,
                      DeckProblems& problems) {
  auto const problem = [&](std::string file_units, std::string const& advice) {
    auto deck_units = units.si ? unit_names(*units.si) : "units without dimension";
    if (deck_units == file_units) {
      deck_units = value_text(*units.si);
      file_units = value_text(*file.units);
    }
    problems.add(where + ".file", "contradicts units",
                 "the file is in " + file_units + ", the deck in " + deck_units,
                 advice + (file.units && units.si
                               ? ", or " + where + R"(.units to {"system": "file"} to convert them)"
                               : ""));
  };
  if (file.has_fixed_units && !units.si) {
    return problem(unit_names(*file.units), "set units.system to 'solar'");
  }
  if (file.units) {
    bool const named = unit_systems().find(file.unit_system) != nullptr;
    auto const advice = named ? "set units.system to '" + file.unit_system + "'"
                              : "set units to " + deck_text(*file.units);
    bool const same = units.si && !differ(file.units->length, units.si->length) &&
                      !differ(file.units->mass, units.si->mass) &&
                      !differ(file.units->time, units.si->time);
    if (!same) problem(unit_names(*file.units), advice);
  } else if (!file.unit_system.empty() && units.si) {
    problem("units '" + file.unit_system + "'", "set units.system to '" + file.unit_system + "'");
  }
}

}  // namespace apsis::deck
