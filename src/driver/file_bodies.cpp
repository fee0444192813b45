// SPDX-License-Identifier: Apache-2.0
#include "resolve.hpp"
#include <apsis/core/text.hpp>
#include <apsis/io/bodies_formats.hpp>
#include <apsis/io/file.hpp>
#include <apsis/io/sniff.hpp>

#include <algorithm>
#include <cmath>

namespace apsis::driver {

namespace fs = std::filesystem;

namespace {

initial_conditions::ModelEntry make_entry() {
  std::string doc;
  for (auto const& format : io::body_formats()) doc += "; " + format.name + ": " + format.doc;
  return {
      "file",
      "bodies from a file",
      {text("file",
            "the file; a relative path starts at the deck, or else at the current "
            "directory")
           .needed()
           .changeable(),
       choice("format", io::body_formats().names(),
              "what the file is; what its extension says if not given" + doc)
           .changeable(),
       text("columns",
            "names of the columns of text, in their order, '-' for one that is not read: \"x y z "
            "vx vy vz mass -\"; what its first line says if not given")
           .changeable(),
       choice("tipsy_ids", {"automatic", "integers", "none"},
              "whether tipsy has integer ids in the place of potentials, as the CUDA sample's "
              "files; automatic: if all of them are >= 0 and unique")
           .or_else(std::string("automatic"))
           .changeable(),
       initial_conditions::centring(),
       boolean("henon_units",
               "rescale the bodies to exact Henon units: G = M = 1, E = -1/4 with the run's "
               "softening")
           .or_else(false)},
      nullptr,
      nullptr};
}

std::vector<initial_conditions::ModelEntry> with_files_in_parts() {
  std::vector<initial_conditions::ModelEntry> all(initial_conditions::models().begin(),
                                                  initial_conditions::models().end());
  auto const& file = file_model();
  // Only the whole is rescaled to Henon units, not a part.
  std::vector<Parameter> parameters;
  for (auto const& parameter : file.parameters) {
    if (parameter.name != "henon_units") parameters.push_back(parameter);
  }
  for (auto& model : all) {
    if (model.parts == nullptr) continue;
    for (auto& parameter : model.parameters) {
      for (auto& field : parameter.fields) {
        if (!field.forms.empty() && !field.forms.front().selector.empty())
          field.forms.push_back({file.name, "", file.doc, parameters});
      }
    }
  }
  return all;
}

bool differ(double a, double b) {
  return !(std::abs(a / b - 1.0) <= 1e-6);
}

std::string in_words(Units::Si const& si) {
  auto const units = custom_units(si);
  return units.short_name(dimension::length) + ", " + units.short_name(dimension::mass) + ", " +
         units.short_name(dimension::time);
}

/// Returns all digits, for units with the same names.
std::string in_numbers(Units::Si const& si) {
  return shortest(si.length) + " m, " + shortest(si.mass) + " kg, " + shortest(si.time) + " s";
}

/// Returns units as a deck has them: by name, or by value where the names are not exactly these
/// units.
std::string in_a_deck(Units::Si const& si) {
  auto const units = custom_units(si);
  auto const value = [&](double number, Dimension of) {
    auto const name = units.short_name(of);
    auto const named = quantity_in(name);
    return named && !differ(named->si, number) ? "\"" + name + "\"" : shortest(number);
  };
  bool const kilometres = !differ(si.length / si.time, 1e3);
  return R"({"length": )" + value(si.length, dimension::length) + R"(, "mass": )" +
         value(si.mass, dimension::mass) +
         (kilometres ? R"(, "velocity": "km/s"})"
                     : R"(, "time": )" + value(si.time, dimension::time) + "}");
}

}  // namespace

initial_conditions::ModelEntry const& file_model() {
  static initial_conditions::ModelEntry const entry = make_entry();
  return entry;
}

Registry<initial_conditions::ModelEntry> const& generators() {
  static Registry<initial_conditions::ModelEntry> const table{"model", with_files_in_parts()};
  return table;
}

bool BodiesChoice::has_file() const {
  return model == &file_model() ||
         std::any_of(parts.begin(), parts.end(), [](auto const& part) { return part.has_file(); });
}

std::vector<std::shared_ptr<io::BodiesFile const>> BodiesChoice::files() const {
  std::vector<std::shared_ptr<io::BodiesFile const>> all;
  if (file) all.push_back(file);
  for (auto const& part : parts) {
    auto const inner = part.files();
    all.insert(all.end(), inner.begin(), inner.end());
  }
  return all;
}

namespace {
/// Whether a file has the extension of a binary format of bodies.
bool is_binary(fs::path const& path) {
  auto const extension = lower_case(path.extension().string());
  for (auto const& format : io::body_formats()) {
    auto const& known = format.extensions;
    bool const one = std::find(known.begin(), known.end(), extension) != known.end();
    if (one) return format.name != "text";
  }
  return false;
}
}  // namespace

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
  auto text = binary ? "" : io::read_file(path, io::deck_limit);
  bool const is_json = text.find('{') < 4096;
  bool bodies = binary;
  if (auto const kind = io::sniff(text.substr(0, io::sniffed_bytes));
      kind && kind->format.empty()) {
    throw Error(ExitStatus::bad_input, io::wrong_kind(path.string(), *kind));
  } else if (kind) {
    bodies = true;
  }
  for (auto const& format : io::body_formats()) {
    auto const& known = format.extensions;
    auto const extension = lower_case(path.extension().string());
    bodies =
        bodies || (!is_json && std::find(known.begin(), known.end(), extension) != known.end());
  }
  APSIS_VALIDATE(!bodies, {path.string(), "is a file of bodies and no deck", "",
                           R"(write a deck with "bodies": {"file": ")" + path.string() + R"("})"});
  return text;
}

std::shared_ptr<io::BodiesFile const> read_file(std::string const& where, Values& bodies,
                                                BodiesFiles files, io::CountCheck const& fits,
                                                DeckProblems& problems) {
  std::error_code ignored;
  auto const beside = fs::path(problems.source()).parent_path() / bodies.text("file");
  auto const path = fs::exists(beside, ignored) ? beside : fs::path(bodies.text("file"));
  // The resolved deck has an absolute path, since it may be run from another directory.
  bodies.set("file", fs::absolute(path, ignored).lexically_normal().string());
  try {
    if (!bodies.has("format")) bodies.set("format", io::format_of(path));
    std::string const columns = bodies.has("columns") ? bodies.text("columns") : "";
    auto const why = bodies.has("columns") ? io::problem_of_columns(columns) : "";
    if (!why.empty()) {
      problems.add(where + ".columns", "columns that cannot be read", why,
                   "name mass, x, y, z, vx, vy and vz once each, id if there is one, and '-' for "
                   "others");
      return nullptr;
    }
    if (files == BodiesFiles::leave) return nullptr;
    auto const& word = bodies.text("tipsy_ids");
    auto const ids = word == "integers" ? io::TipsyIds::integers
                     : word == "none"   ? io::TipsyIds::none
                                        : io::TipsyIds::automatic;
    return std::make_shared<io::BodiesFile const>(
        io::read_bodies(bodies.text("file"), bodies.text("format"), {ids, fits, columns}));
  } catch (Error const& error) {
    problems.add_of_file(where + ".file", error);
    return nullptr;
  }
}

void check_file_units(std::string const& where, io::BodiesFile const& file, Units const& units,
                      DeckProblems& problems) {
  auto const problem = [&](std::string of_file, std::string const& advice) {
    auto of_deck = units.si ? in_words(*units.si) : "units without dimension";
    if (of_deck == of_file) {
      of_deck = in_numbers(*units.si);
      of_file = in_numbers(*file.units);
    }
    problems.add(where + ".file", "contradicts units",
                 "the file is in " + of_file + ", the deck in " + of_deck, advice);
  };
  if (file.units) {
    bool const named = unit_systems().find(file.unit_system) != nullptr;
    auto const own = named ? "set units.system to '" + file.unit_system + "'"
                           : "set units to " + in_a_deck(*file.units);
    bool const same = units.si && !differ(file.units->length, units.si->length) &&
                      !differ(file.units->mass, units.si->mass) &&
                      !differ(file.units->time, units.si->time);
    if (!same) problem(in_words(*file.units), own);
  } else if (!file.unit_system.empty() && units.si) {
    problem("units '" + file.unit_system + "'", "set units.system to '" + file.unit_system + "'");
  }
}

}  // namespace apsis::driver
