// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/driver/configuration.hpp>

/// From what a deck says, section by section, to what a run needs. Single values are good by then;
/// what is wrong between them is added to `problems`, and the result is of no use if any is. Where
/// a section's default depends on other values it is filled into the deck.
namespace apsis::driver {

/// What is wrong with a deck.
class DeckProblems {
 public:
  DeckProblems(std::string source, std::vector<Problem>& all)
      : source_(std::move(source)), all_(all) {}

  std::string const& source() const { return source_; }
  std::vector<Problem>& all() { return all_; }
  /// Where something is in the deck, as problems have it.
  std::string at(std::string const& path) const { return source_ + ": " + path; }
  void add(std::string const& path, std::string what, std::string why, std::string advice);
  /// Whether something whose path begins with this was found wrong already.
  bool reported(std::string const& path) const;

 private:
  std::string source_;
  std::vector<Problem>& all_;
};

std::optional<double> optional_number(Values const& values, std::string const& name);

/// The entry of a table that a deck names, if it names one.
template <class Entry>
Entry const* entry_named(Registry<Entry> const& table, Values const& values,
                         std::string const& key) {
  return values.has(key) ? table.find(values.text(key)) : nullptr;
}

/// A time as a whole number of steps, or a problem that names the nearest time that is one.
std::optional<std::uint64_t> whole_steps(std::string const& path, double time, double time_step,
                                         double fewest, DeckProblems& problems);

/// The units of a deck with the G it is run with, filled in where the deck leaves one of the two to
/// the other. Nothing if what the deck says of its units is wrong.
std::optional<Units> resolve_units(io::Deck& deck, DeckProblems& problems);

/// Adds a problem if a model makes its bodies in other units than the run has.
void check_units(initial_conditions::ModelEntry const& model, Units const& units,
                 DeckProblems& problems);

IntegratorChoice resolve_integrator(Values const& integrator, Values const& gravity,
                                    DeckProblems& problems);

/// How many steps the run has; nothing if that cannot be said.
std::optional<std::uint64_t> resolve_steps(Values const& run, double time_step,
                                           DeckProblems& problems);
StopConditions resolve_stop(Values const& run, DeckProblems& problems);
OutputPlan resolve_output(Values& output, double time_step, std::optional<std::uint64_t> steps,
                          DeckProblems& problems);
GravityChoice resolve_gravity(Values const& gravity, double G, IntegratorChoice const& integrator,
                              DeckProblems& problems);

struct ResolvedBodies {
  BodiesChoice choice;
  std::optional<std::uint64_t> count;  ///< if enough is known to say it
  std::string counted_by;              ///< what says it: "bodies.count"
};
ResolvedBodies resolve_bodies(Values& bodies, BodiesFiles files, std::optional<Units> const& units,
                              GravityChoice const& gravity, DeckProblems& problems);

std::vector<PlannedDiagnostic> resolve_diagnostics(Values& diagnostics, double time_step,
                                                   std::uint64_t conservation_steps,
                                                   std::optional<std::uint64_t> bodies,
                                                   DeckProblems& problems);
ConservationLimits resolve_conservation(Values const& conservation, DeckProblems& problems);

}  // namespace apsis::driver
