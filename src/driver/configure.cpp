// SPDX-License-Identifier: Apache-2.0
#include <apsis/core/text.hpp>
#include <apsis/driver/bodies_in_one_place.hpp>
#include <apsis/driver/configuration.hpp>
#include <apsis/driver/file_bodies.hpp>
#include <apsis/driver/resolve_units.hpp>
#include <apsis/forces/kernel.hpp>
#include <apsis/forces/pair.hpp>
#include <apsis/io/bodies_formats.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <limits>

namespace apsis::driver {

namespace {

/// Adds problems that hold between values which are each fine by themselves.
class CrossChecks {
 public:
  CrossChecks(std::string source, io::Deck& deck, BodiesFiles files, std::vector<Problem>& problems)
      : source_(std::move(source)), deck_(deck), files_(files), problems_(problems) {}

  Configuration resolve() {
    Configuration run;
    run.title = deck_.top.has("title") ? deck_.top.text("title") : "";
    units_ = resolve_units(source_, deck_, problems_);
    run.units = units_.value_or(unit_systems().front());
    resolve_integrator(run);
    resolve_schedule(run);
    resolve_stop(run);
    resolve_gravity(run);
    resolve_bodies(run);
    resolve_diagnostics(run);
    resolve_limits(run);
    return run;
  }

 private:
  void problem(std::string const& path, std::string what, std::string why, std::string advice) {
    problems_.push_back(
        {source_ + ": " + path, std::move(what), std::move(why), std::move(advice)});
  }

  /// Whether something that begins with this path was found wrong already.
  bool reported(std::string const& path) const {
    return std::any_of(problems_.begin(), problems_.end(), [&](Problem const& each) {
      return each.where.rfind(source_ + ": " + path, 0) == 0;
    });
  }

  static std::optional<double> optional_number(Values const& values, std::string const& name) {
    if (!values.has(name)) return std::nullopt;
    return values.number(name);
  }

  template <class Entry>
  static Entry const* find(std::vector<Entry> const& table, Values const& values,
                           std::string const& selector) {
    if (!values.has(selector)) return nullptr;
    for (auto const& entry : table) {
      if (entry.name == values.text(selector)) return &entry;
    }
    return nullptr;
  }

  void resolve_integrator(Configuration& run) {
    auto const& values = deck_.sections["integrator"];
    run.integrator = find(integrators::integrators(), values, "name");
    run.integrator_values = values;
    run.time_step = optional_number(values, "time_step").value_or(0.0);
    if (run.integrator == nullptr || !values.has("stepping")) return;
    auto const& stepping = values.object("stepping");
    auto const& gravity = deck_.sections["gravity"];
    bool const by_softening =
        stepping.has("criterion") && stepping.text("criterion") == "softened_acceleration";
    if (by_softening && gravity.has("softening") && gravity.number("softening") == 0.0) {
      problem("integrator.stepping.criterion", "contradicts gravity.softening",
              "the criterion needs a softening length",
              run.integrator->criterion.empty()
                  ? "set gravity.softening, or fixed steps"
                  : "set gravity.softening, or the criterion '" + run.integrator->criterion + "'");
    }
  }

  /// A time as a whole number of steps, or a problem that names the nearest time that is one.
  std::optional<std::uint64_t> whole_steps(std::string const& path, double time, double time_step,
                                           double fewest) {
    double const ratio = time / time_step;
    double const whole = std::max(fewest, std::round(ratio));
    if (!(whole <= 0x1p53)) {
      problem(path, "too many steps", shortest(time) + " is " + shortest(ratio) + " time steps",
              "increase integrator.time_step");
      return std::nullopt;
    }
    // Decimal fractions are not exact in binary: 0.01 / 0.001 is 10 only to rounding.
    if (std::abs(ratio - whole) > std::min(1e-9 * std::max(1.0, ratio), 1e-3)) {
      std::string const nearest_time = rounded_product(whole, time_step);
      problem(path, "not a whole number of steps",
              shortest(time) + " is " + shortest(ratio) + " time steps of " + shortest(time_step),
              "the nearest time that is one is " + nearest_time);
      return std::nullopt;
    }
    return static_cast<std::uint64_t>(whole);
  }

  /// 3 * 0.01 is written 0.03, not 0.030000000000000002.
  static std::string rounded_product(double whole, double time_step) {
    double const product = whole * time_step;
    for (int digits = 1; digits <= 17; ++digits) {
      char buffer[40];
      std::snprintf(buffer, sizeof(buffer), "%.*g", digits, product);
      double const value = std::strtod(buffer, nullptr);
      if (std::abs(value - product) <= 1e-12 * std::abs(product)) return shortest(value);
    }
    return shortest(product);
  }

  void resolve_schedule(Configuration& run) {
    auto const& values = deck_.sections["run"];
    bool known = false;
    if (values.has("steps")) {
      run.steps = static_cast<std::uint64_t>(values.integer("steps"));
      known = true;
    } else if (values.has("end_time") && run.time_step > 0.0) {
      double const end_time = values.number("end_time");
      auto const steps =
          whole_steps("run.end_time", end_time, run.time_step, end_time > 0.0 ? 1.0 : 0.0);
      known = steps.has_value();
      run.steps = steps.value_or(0);
    }
    auto& output = deck_.sections["output"];
    if (run.time_step <= 0.0) return;
    if (known && !std::isfinite(run.time(run.steps))) {
      problem("integrator.time_step", "out of range", "the end of the run is at no finite time",
              "reduce it or run.steps");
      return;
    }
    if (output.has("conservation_interval")) {
      run.conservation_steps =
          whole_steps("output.conservation_interval", output.number("conservation_interval"),
                      run.time_step, 1.0)
              .value_or(1);
    } else if (known) {
      run.conservation_steps = std::max<std::uint64_t>(1, (run.steps + 99) / 100);
      output.set("conservation_interval", run.time(run.conservation_steps));
    }
    run.snapshot_steps = interval(output, "snapshot_interval", run.time_step);
    run.checkpoint_steps = interval(output, "checkpoint_interval", run.time_step);
    resolve_output(output, run);
  }

  /// An interval of the section `output` in steps, if the deck gives it and it is good.
  std::optional<std::uint64_t> interval(Values const& output, std::string const& name,
                                        double time_step) {
    if (!output.has(name)) return std::nullopt;
    return whole_steps("output." + name, output.number(name), time_step, 1.0);
  }

  static void resolve_output(Values const& output, Configuration& run) {
    if (output.has("snapshot_compression")) {
      run.snapshot_content.compression = static_cast<int>(output.integer("snapshot_compression"));
    }
    auto const is = [&](char const* name) { return output.has(name) && output.boolean(name); };
    run.snapshot_content.accelerations = is("snapshot_accelerations");
    run.snapshot_content.potentials = is("snapshot_potentials");
    if (!output.has("checkpoint_wall_interval")) return;
    double const seconds = output.number("checkpoint_wall_interval");
    if (seconds > 0.0) run.checkpoint_wall_interval = seconds;
  }

  void resolve_stop(Configuration& run) {
    auto const& values = deck_.sections["run"];
    run.stop.encounter_distance = optional_number(values, "encounter_distance");
    run.stop.escape_radius = optional_number(values, "escape_radius");
    run.stop.max_wall_time = optional_number(values, "max_wall_time");
    if (!values.has("stop_file")) return;
    run.stop.stop_file = values.text("stop_file");
    if (run.stop.stop_file.empty()) {
      problem("run.stop_file", "empty", "no file has that name", "name a file or leave it out");
    }
  }

  void resolve_limits(Configuration& run) {
    auto const& values = deck_.sections["conservation"];
    run.max_relative_energy_error = optional_number(values, "max_relative_energy_error");
    run.max_momentum_error = optional_number(values, "max_momentum_error");
    if (!values.has("on_violation")) return;
    auto const& word = values.text("on_violation");
    run.on_violation = word == "stop"    ? OnViolation::stop
                       : word == "retry" ? OnViolation::retry
                                         : OnViolation::report;
    bool const limited = run.max_relative_energy_error || run.max_momentum_error;
    if (limited || run.on_violation == OnViolation::report || reported("conservation.max_")) return;
    problem("conservation.on_violation", "'" + word + "' without a limit",
            "there is nothing to violate", "give conservation.max_relative_energy_error");
  }

  void resolve_gravity(Configuration& run) {
    auto const& values = deck_.sections["gravity"];
    run.solver = find(forces::solvers(), values, "solver");
    run.gravity.G = run.units.G;
    if (values.has("softening")) run.gravity.softening = values.number("softening");
    if (values.has("softening_kernel")) {
      run.gravity.kernel = forces::softening_kernel_of(values.text("softening_kernel"));
      if (run.gravity.kernel == forces::SofteningKernel::none && run.gravity.softening > 0.0) {
        problem("gravity.softening", "contradicts gravity.softening_kernel",
                "the kernel 'none' softens nothing", "set it to 0 or choose a kernel");
      }
    }
    run.solver_values = values;
    if (values.has("precision")) run.precision = forces::precision_of(values.text("precision"));
    check_kernel(values, run);
    // Mixed precision stores more, but a pair is evaluated in single.
    bool const single = run.precision != Precision::double_precision;
    double const smallest =
        single ? forces::smallest_softening<float> : forces::smallest_softening<double>;
    double const largest = single ? forces::largest_length<float> : forces::largest_length<double>;
    if (run.gravity.softening > 0.0 && run.gravity.softening < smallest) {
      problem("gravity.softening", "too small",
              "its third power underflows in " + name_of(run.precision) + " precision",
              "set 0 or at least " + shortest(smallest));
    }
    if (run.gravity.softening > largest) {
      problem("gravity.softening", "too large",
              "its square overflows in " + name_of(run.precision) + " precision",
              "set at most " + shortest(largest));
    }
    if (single) {
      fits_single("gravity.G", run.gravity.G);
      fits_single("gravity.softening", run.gravity.softening);
      fits_single("integrator.time_step", run.time_step);
    }
  }

  void check_kernel(Values const& values, Configuration const& run) {
    if (!values.has("kernel")) return;
    for (auto const& kernel : forces::kernels()) {
      if (kernel.name != values.text("kernel") || kernel.available()) continue;
      problem("gravity.kernel", "'" + kernel.name + "' is not available", kernel.unavailable,
              "choose another, or leave it to 'auto'");
    }
    auto const& name = values.text("kernel");
    if (run.integrator != nullptr && run.integrator->derivatives > 0 && name != "auto") {
      problem("gravity.kernel", "contradicts integrator.name",
              "'" + run.integrator->name + "' has kernels of its own", "leave it to 'auto'");
    }
    if (forces::has_size(run.gravity) && name != "auto" && name != forces::compact_kernel) {
      problem("gravity.kernel", "contradicts gravity.softening_kernel",
              "'" + name + "' is for sources without a size",
              "choose '" + std::string(forces::compact_kernel) + "' or leave it to 'auto'");
    }
  }

  void fits_single(std::string const& path, double value) {
    bool const vanishes = value != 0.0 && static_cast<float>(value) == 0.0f;
    if (!vanishes && std::abs(value) <= std::numeric_limits<float>::max()) return;
    problem(path, "out of range", shortest(value) + " is no number in single precision",
            "set gravity.precision to 'double'");
  }

  /// Whether enough of a model is known to say how many bodies it makes.
  static bool countable(Configuration const& run) {
    if (run.model == nullptr) return false;
    return std::all_of(
        run.model->parameters.begin(), run.model->parameters.end(),
        [&](Parameter const& parameter) {
          bool const has_default = !std::holds_alternative<std::monostate>(parameter.fallback);
          bool const expected = parameter.required || parameter.always || has_default;
          return !expected || run.model_values.has(parameter.name);
        });
  }

  void resolve_diagnostics(Configuration& run) {
    if (!deck_.has("diagnostics")) return;
    auto& section = deck_.sections["diagnostics"];
    for (auto const& entry : diagnostic_entries()) {
      if (!section.has(entry.name)) continue;
      auto const path = "diagnostics." + entry.name;
      auto values = section.object(entry.name);
      std::uint64_t steps = run.conservation_steps;
      if (values.has("interval")) {
        if (run.time_step > 0.0) {
          steps = whole_steps(path + ".interval", values.number("interval"), run.time_step, 1.0)
                      .value_or(1);
        }
      } else {
        values.set("interval", run.time(steps));
        section.set(entry.name, std::make_shared<Values const>(values));
      }
      if (countable(run)) check_count(path, entry, run.bodies());
      run.diagnostics.push_back({&entry, std::move(values), steps});
    }
  }

  void check_count(std::string const& path, DiagnosticEntry const& entry, std::uint64_t bodies) {
    if (entry.fewest_bodies <= bodies && bodies <= entry.most_bodies) return;
    bool const exactly = entry.fewest_bodies == entry.most_bodies;
    problem(
        path,
        "needs " + std::to_string(entry.fewest_bodies) + " bodies" + (exactly ? "" : " or more"),
        "the deck has " + std::to_string(bodies), "remove it");
  }

  void resolve_bodies(Configuration& run) {
    auto const& values = deck_.sections["bodies"];
    bool const is_list = values.has("list");
    bool const is_file = values.has("file");
    run.model = is_list   ? &initial_conditions::listed()
                : is_file ? &file_model()
                          : find(initial_conditions::models(), values, "generator");
    if (is_file && !resolve_file(run)) return;
    run.model_values = values;
    if (run.model == nullptr) return;
    if (units_) check_units(*run.model, *units_, source_, problems_);
    if (!countable(run)) return;
    if (units_ && run.model->parts != nullptr) {
      for (auto const* part : run.model->parts(values)) {
        check_units(*part, *units_, source_, problems_);
      }
    }
    if (run.model->check != nullptr) {
      auto const found = run.model->check(values);
      for (auto const& each : found) {
        problem("bodies." + each.where, each.problem, each.why, each.advice);
      }
      if (!found.empty()) return;
    }
    auto const bodies = run.bodies();
    bool const henon = values.has("henon_units") && values.boolean("henon_units");
    auto need = run.memory();
    need.henon_units = henon;
    auto const* size = is_list               ? "bodies.list"
                       : is_file             ? "bodies.file"
                       : values.has("count") ? "bodies.count"
                                             : "bodies";
    check_memory(need, source_ + ": " + size, problems_);
    if (is_list) check_places(places_of(values.records("list")), "bodies.list", run);
    if (is_file) check_places(run.file->bodies.position, "bodies.file", run);
    if (henon) {
      run.henon_units = true;
      if (run.units.si) {
        problem("bodies.henon_units", "contradicts units",
                "Henon units have no lengths in metres, the deck has units in SI",
                "set units.system to 'henon' or bodies.henon_units to false");
      } else if (run.gravity.G != 1.0) {
        problem("bodies.henon_units", "contradicts gravity.G",
                "Henon units have G = 1, the deck has " + shortest(run.gravity.G),
                "set gravity.G to 1 or bodies.henon_units to false");
      }
      if (bodies < 2) {
        problem("bodies.henon_units", "needs two bodies or more",
                "the potential energy of fewer is 0", "set bodies.henon_units to false");
      }
      if (run.gravity.softening >= 0.5) {
        problem("gravity.softening", "too large for Henon units",
                "bodies closer than the softening cannot reach W = -1/2",
                "set less than 0.5 or bodies.henon_units to false");
      }
    }
  }

  static std::vector<Vec3<double>> places_of(std::vector<Values> const& list) {
    std::vector<Vec3<double>> places;
    for (auto const& body : list) places.push_back(body.vector3("position"));
    return places;
  }

  /// Bodies in one place are an error without softening; the first few are named.
  void check_places(std::vector<Vec3<double>> places, std::string const& name,
                    Configuration const& run) {
    if (run.gravity.softening > 0.0) return;
    bool const single = run.precision == Precision::single_precision;
    if (single) {  // what differs in double may coincide as the run will see it
      for (auto& p : places) {
        p = {static_cast<float>(p.x), static_cast<float>(p.y), static_cast<float>(p.z)};
      }
    }
    auto const at = [&](std::size_t i) { return name + "[" + std::to_string(i) + "]"; };
    // Closer than this the square of their distance vanishes, and with it their force.
    double const least = single ? 1e-18 : 1e-150;
    for (auto const& [first, second] : bodies_in_one_place(places, least, 20)) {
      problem(at(second), "in the same place as " + at(first),
              "without softening their force has no direction and their energy is infinite",
              "move one of them or set gravity.softening");
    }
  }

  /// Fills in where the file is and what it is, and reads it; false if nothing is known of it.
  bool resolve_file(Configuration& run) {
    auto& values = deck_.sections["bodies"];
    auto const path = found_from(source_, values.text("file"));
    // As the resolved deck has it, wherever that will be run from.
    std::error_code ignored;
    values.set("file", std::filesystem::absolute(path, ignored).lexically_normal().string());
    try {
      if (!values.has("format")) values.set("format", io::format_of(path));
      if (files_ == BodiesFiles::leave) return false;
      run.file = read_file_bodies(values);
    } catch (Error const& error) {
      for (auto const& each : error.problems()) {
        problem("bodies.file", each.where + ": " + each.problem, each.why, each.advice);
      }
      return false;
    }
    run.known_count = run.file->bodies.size();
    if (units_) check_file_units(*run.file, *units_, source_ + ": bodies.file", problems_);
    return true;
  }

  std::string source_;
  io::Deck& deck_;
  BodiesFiles files_;
  std::vector<Problem>& problems_;
  std::optional<Units> units_;  ///< nothing if they are wrong
};

}  // namespace

ConfiguredDeck configure(std::string const& json, std::string const& source,
                         std::vector<std::string> const& overrides, BodiesFiles files) {
  std::vector<Problem> problems;
  auto deck = io::read_deck(json, source, overrides, deck_table(), problems);
  auto configuration = CrossChecks(source, deck, files, problems).resolve();
  if (!problems.empty()) throw Error(ExitStatus::bad_input, std::move(problems));
  return {std::move(configuration), io::write_deck(deck, deck_table())};
}

}  // namespace apsis::driver
