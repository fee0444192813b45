// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/core/vec3.hpp>
#include <apsis/driver/configuration.hpp>

#include <set>
#include <utility>

/// From what a deck says, section by section, to what a run needs. Single values are good by then;
/// what is wrong between them is added to `problems`, and the result is of no use if any is. Where
/// a section's default depends on other values it is filled into the deck.
namespace apsis::driver {

/// What is wrong with a deck.
class DeckProblems {
 public:
  /// `meant`: paths of what was found wrong under another word.
  DeckProblems(std::string source, std::vector<Problem>& all, std::set<std::string> meant = {})
      : source_(std::move(source)), all_(all), meant_(std::move(meant)) {}

  std::string const& source() const { return source_; }
  /// Where something is in the deck, as problems have it.
  std::string at(std::string const& path) const { return source_ + ": " + path; }
  void add(std::string const& path, std::string what, std::string why, std::string advice);
  /// Whether something whose path begins with this was found wrong already.
  bool reported(std::string const& path) const;
  /// Adds those of a file that the deck names at `path`.
  void add_of_file(std::string const& path, Error const& error);
  /// What the deck ends with: an input/output error if nothing is wrong but files that cannot be
  /// read, as a deck that cannot be read is one.
  ExitStatus status() const {
    return unreadable_ == all_.size() ? ExitStatus::input_output : ExitStatus::bad_input;
  }

 private:
  std::string source_;
  std::vector<Problem>& all_;
  std::set<std::string> meant_;
  std::size_t unreadable_ = 0;  ///< problems that are input/output errors
};

/// What to do for bodies to have a softening length.
std::string softened(Values const& gravity);

std::optional<double> optional_number(Values const& values, std::string const& name);

/// The entry of a table that a deck names, if it names one.
template <class Entry>
Entry const* entry_named(Registry<Entry> const& table, Values const& values,
                         std::string const& key) {
  return values.has(key) ? table.find(values.text(key)) : nullptr;
}

/// The units of a deck with the G it is run with, filled in where the deck leaves one of the two to
/// the other. Nothing if what the deck says of its units is wrong.
std::optional<Units> resolve_units(io::Deck& deck, DeckProblems& problems);

/// Units in words: "'solar' units".
std::string title_of(Units const& units);

/// Adds a problem if the model at `where` makes its bodies in other units than the run has.
void check_units(std::string const& where, initial_conditions::ModelEntry const& model,
                 Units const& units, DeckProblems& problems);

/// Fills in where the file of bodies is and what it is, and reads it: relative to the deck, or else
/// to the current directory. Nothing if that is not possible, or it is to be left alone. `where` is
/// the path in the deck.
std::shared_ptr<io::BodiesFile const> read_file(std::string const& where, Values& bodies,
                                                BodiesFiles files, io::CountCheck const& fits,
                                                DeckProblems& problems);

/// Adds a problem if what the file says of its units contradicts the deck's.
void check_file_units(std::string const& where, io::BodiesFile const& file, Units const& units,
                      DeckProblems& problems);

GravityChoice resolve_gravity(Values const& gravity, double G, IntegratorChoice const& integrator,
                              DeckProblems& problems);

struct ResolvedBodies {
  BodiesChoice choice;
  std::optional<std::uint64_t> count;  ///< if enough is known to say it
  std::string counted_by;              ///< what says it: "bodies.count"
};
/// `fits`: is asked of a file's bodies before they are read.
ResolvedBodies resolve_bodies(Values& bodies, BodiesFiles files, std::optional<Units> const& units,
                              GravityChoice const& gravity, io::CountCheck const& fits,
                              DeckProblems& problems);

/// Pairs of bodies that are no further apart than `least` [length] along any axis. In the order by
/// x, y, z and index each body comes with the first such one after it; the first `most` pairs of
/// that order. Pairs of two massless bodies are left out. `mass`: one for each body; empty: every
/// body has mass. O(N log N), whatever the arrangement.
std::vector<std::pair<std::size_t, std::size_t>> bodies_in_one_place(
    std::vector<Vec3<double>> const& places, double least, std::size_t most,
    std::vector<double> const& mass = {});

}  // namespace apsis::driver
