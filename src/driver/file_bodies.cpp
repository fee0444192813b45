// SPDX-License-Identifier: Apache-2.0
#include "resolve.hpp"
#include <apsis/core/text.hpp>
#include <apsis/io/bodies_formats.hpp>

#include <cmath>

namespace apsis::driver {

namespace fs = std::filesystem;

namespace {

initial_conditions::ModelEntry make_entry() {
  std::string doc;
  for (auto const& format : io::body_formats()) doc += "; " + format.name + ": " + format.doc;
  return {"file",
          "bodies from a file",
          {text("file",
                "the file; a relative path starts at the deck, or else at the current "
                "directory")
               .needed()
               .changeable(),
           choice("format", io::body_formats().names(),
                  "what the file is; what its extension says if not given" + doc)
               .changeable(),
           choice("tipsy_ids", {"automatic", "integers", "none"},
                  "whether tipsy has integer ids in the place of potentials, as the CUDA sample's "
                  "files; automatic: if all of them are >= 0 and unique")
               .or_else(std::string("automatic"))
               .changeable(),
           boolean("henon_units",
                   "rescale the bodies to exact Henon units: G = M = 1, E = -1/4 with the run's "
                   "softening")
               .or_else(false)},
          nullptr,
          nullptr};
}

std::string in_words(Units::Si const& si) {
  return shortest(si.length) + " m, " + shortest(si.mass) + " kg, " + shortest(si.time) + " s";
}

}  // namespace

initial_conditions::ModelEntry const& file_model() {
  static initial_conditions::ModelEntry const entry = make_entry();
  return entry;
}

std::shared_ptr<io::BodiesFile const> read_file(Values& bodies, BodiesFiles files,
                                                DeckProblems& problems) {
  std::error_code ignored;
  auto const beside = fs::path(problems.source()).parent_path() / bodies.text("file");
  auto const path = fs::exists(beside, ignored) ? beside : fs::path(bodies.text("file"));
  // As the resolved deck has it, wherever that will be run from.
  bodies.set("file", fs::absolute(path, ignored).lexically_normal().string());
  try {
    if (!bodies.has("format")) bodies.set("format", io::format_of(path));
    if (files == BodiesFiles::leave) return nullptr;
    auto const& word = bodies.text("tipsy_ids");
    auto const ids = word == "integers" ? io::TipsyIds::integers
                     : word == "none"   ? io::TipsyIds::none
                                        : io::TipsyIds::automatic;
    return std::make_shared<io::BodiesFile const>(
        io::read_bodies(bodies.text("file"), bodies.text("format"), ids));
  } catch (Error const& error) {
    for (auto const& each : error.problems()) {
      problems.add("bodies.file", each.where + ": " + each.problem, each.why, each.advice);
    }
    return nullptr;
  }
}

void check_file_units(io::BodiesFile const& file, Units const& units, DeckProblems& problems) {
  auto const differ = [](double a, double b) { return !(std::abs(a / b - 1.0) <= 1e-6); };
  auto const problem = [&](std::string const& of_file, std::string const& advice) {
    problems.add("bodies.file", "contradicts units",
                 "the file is in " + of_file + ", the deck in " +
                     (units.si ? in_words(*units.si) : "units without dimension"),
                 advice);
  };
  if (file.units) {
    auto const own = R"(set units to {"length": )" + shortest(file.units->length) +
                     R"(, "mass": )" + shortest(file.units->mass) + R"(, "time": )" +
                     shortest(file.units->time) + "}";
    bool const same = units.si && !differ(file.units->length, units.si->length) &&
                      !differ(file.units->mass, units.si->mass) &&
                      !differ(file.units->time, units.si->time);
    if (!same) problem(in_words(*file.units), own);
  } else if (!file.unit_system.empty() && units.si) {
    problem("units '" + file.unit_system + "'", "set units.system to '" + file.unit_system + "'");
  }
}

}  // namespace apsis::driver
