// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/core/vec3.hpp>
#include <apsis/deck/configuration.hpp>
#include <apsis/deck/remarks.hpp>

#include <set>
#include <utility>

/// Conversion of a deck, section by section, to the configuration of a run. Single values are valid
/// at this point. Contradictions between values are added to `problems`; the results are unusable
/// if there are any. Defaults that depend on other values are entered in the deck.
namespace apsis::deck {

class DeckProblems {
 public:
  /// `misnamed`: paths of keys that were reported already under another name.
  DeckProblems(std::string source, std::vector<Problem>& problems,
               std::set<std::string> misnamed = {})
      : source_(std::move(source)), problems_(problems), misnamed_(std::move(misnamed)) {}

  std::string const& source() const { return source_; }
  /// Returns the location of a key as shown in problems: "SOURCE: PATH".
  std::string location(std::string const& path) const { return source_ + ": " + path; }
  void add(std::string const& path, std::string what, std::string why, std::string advice) {
    problems_.push_back({location(path), std::move(what), std::move(why), std::move(advice)});
  }
  /// Adds problems whose places are below `prefix`.
  void add_all(std::string const& prefix, std::vector<Problem> const& problems) {
    for (auto const& each : problems) add(prefix + each.where, each.problem, each.why, each.advice);
  }
  /// Whether a problem was reported for a path that begins with `path`.
  bool is_reported(std::string const& path) const;
  /// Adds the problems of a file that the deck names at `path`.
  void add_file_problems(std::string const& path, Error const& error);
  /// Returns the exit status for these problems: input/output error if all of them are files that
  /// cannot be read, as for a deck that cannot be read; otherwise bad input.
  ExitStatus status() const {
    return unreadable_ == problems_.size() ? ExitStatus::input_output : ExitStatus::bad_input;
  }

 private:
  std::string source_;
  std::vector<Problem>& problems_;
  std::set<std::string> misnamed_;
  std::size_t unreadable_ = 0;  ///< problems that are input/output errors
};

/// Returns the advice that gives bodies a softening length.
std::string softening_advice(Values const& gravity);

std::optional<double> optional_number(Values const& values, std::string const& name);

/// Converts a time to a whole number of steps after `start`, at least `fewest`; otherwise adds a
/// problem that names the nearest valid time. So is a time against the direction of a step.
std::optional<std::uint64_t> whole_steps(std::string const& path, double time, double time_step,
                                         double fewest, DeckProblems& problems, double start = 0.0);

/// Returns the steps of the keys `times` and `logarithmic_times`, in ascending order without
/// repetition. `start`: time of step 0; `prefix`: of the keys; `path`: of the object, with a dot.
std::vector<std::uint64_t> listed_steps(Values const& values, std::string const& prefix,
                                        std::string const& path, double time_step, double start,
                                        DeckProblems& problems);

/// Returns the diagnostics with their steps. Enters defaults in the deck. `bodies`: if known.
std::vector<PlannedDiagnostic> resolve_diagnostics(
    Values& diagnostics, double time_step, double start, std::uint64_t conservation_steps,
    std::optional<std::uint64_t> bodies, IntegratorPlan const& integrator,
    forces::Precision precision, BodiesPlan const& bodies_plan, DeckProblems& problems);

/// Checks that gravity alone changes the orbits if a diagnostic needs a tangent vector.
void check_tangent_of_run(Configuration const& run, DeckProblems& problems);

/// Whether the run begins at the time of its file of bodies.
bool starts_with_file(Values const& run);

double stated_start(Values const& run);

/// Returns the time of the files of bodies; nothing, and a problem, without one single time.
std::optional<double> start_of_files(BodiesPlan const& plan, DeckProblems& problems);

/// Returns the registry entry that a deck names; null if it names none.
template <class Entry>
Entry const* entry_named(Registry<Entry> const& table, Values const& values,
                         std::string const& key) {
  return values.has(key) ? table.find(values.text(key)) : nullptr;
}

/// Returns the units of a deck together with the G of the run. Enters the missing one of the two in
/// the deck. Returns nothing if the units are wrong.
std::optional<Units> resolve_units(Deck& deck, DeckProblems& problems);

/// Converts the numbers that a deck has as quantities, such as "1 Mjup", to the units of the deck.
/// Adds a problem for each of them if the units have no dimension.
void convert_quantities(Deck& deck, std::optional<Units> const& units, DeckProblems& problems);

/// Returns the form of an object with custom units: length, mass, and time or velocity.
Form custom_units_form();

/// Returns the units of an object of the deck: a system by name, or custom units.
Units units_of(Values const& values);

/// Returns a name such as "'solar' units".
std::string title_of(Units const& units);

/// Adds a problem if the model at `where` makes its bodies in other units than those of the run.
void check_units(std::string const& where, initial_conditions::ModelEntry const& model,
                 Units const& units, DeckProblems& problems);

/// Resolves path and format of a file of bodies and reads it. The path is relative to the deck, or
/// else to the current directory. Null on failure, or with BodiesFiles::leave. `where`: path.
std::shared_ptr<formats::BodiesFile const> read_file(std::string const& where, Values& bodies,
                                                     BodiesFiles files,
                                                     formats::CountCheck const& fits,
                                                     DeckProblems& problems);

/// Returns a file in the units of the deck if `bodies.units` or its format states its units; any
/// other file as it is. `where`: path in the deck.
std::shared_ptr<formats::BodiesFile const> in_units_of_deck(
    std::string const& where, std::shared_ptr<formats::BodiesFile const> const& file,
    Values const& bodies, std::optional<Units> const& units, DeckProblems& problems);

/// Adds a problem if the units of the file contradict those of the deck.
void check_file_units(std::string const& where, formats::BodiesFile const& file, Units const& units,
                      DeckProblems& problems);

GravityPlan resolve_gravity(Values const& gravity, double G, IntegratorPlan const& integrator,
                            DeckProblems& problems);

/// Constants that other forces need: the G of the run, and the speed of light in its units.
forces::ExtraForceSetting force_setting(Units const& units, double G);

/// Resolves the list `forces`, and enters the defaults that depend on the units in the deck. Adds
/// problems for forces that the integrator cannot take, and for diagnostics of gravity alone.
std::vector<forces::PlannedForce> resolve_forces(Deck& deck,
                                                 forces::ExtraForceSetting const& setting,
                                                 IntegratorPlan const& integrator,
                                                 DeckProblems& problems);
/// Resolves `collisions`, `removal` and `encounters`, and checks that the run allows them.
EventsPlan resolve_events(Deck& deck, GravityPlan const& gravity, Limits const& limits,
                          DeckProblems& problems);

struct ResolvedBodies {
  BodiesPlan plan;
  std::optional<std::uint64_t> count;  ///< if it is known
  std::string counted_by;              ///< key that determines the count: "bodies.count"
};
/// Source of the bodies of a file.
struct FileSource {
  BodiesFiles files;
  std::shared_ptr<formats::BodiesFile const> const& given;  ///< content of the file, or null
};
/// `fits` is called with the number of bodies of a file before they are read.
ResolvedBodies resolve_bodies(Values& bodies, FileSource const& files,
                              std::optional<Units> const& units, GravityPlan const& gravity,
                              formats::CountCheck const& fits, DeckProblems& problems);

/// Returns pairs of bodies that are at most `least` [length] apart along each axis. Bodies are
/// sorted by x, y, z and index; each is paired with the first such body after it. Returns the first
/// `most` pairs in this order. Pairs of two massless bodies are excluded. `mass`: one per body;
/// empty if every body has mass. O(N log N) for any arrangement.
std::vector<std::pair<std::size_t, std::size_t>> bodies_in_one_place(
    std::vector<Vec3<double>> const& places, double least, std::size_t most,
    std::vector<double> const& mass = {});

/// Appends notes on energies, speeds and coordinates that are probably unintended: unbound systems,
/// velocities per day, coordinates that single precision cannot resolve. O(N), with a sample of the
/// potential over at most a few million pairs.
void remark_on_state(Configuration const& run, HostBodies const& bodies, Scales const& scales,
                     std::vector<std::string>& remarks);

}  // namespace apsis::deck
