// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/run/loop.hpp>
#include <apsis/run/run_directory.hpp>

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace apsis::simulation {
class Leader;
}  // namespace apsis::simulation

namespace apsis::run {

/// Whether changes of the deck that do not affect the computed motion (outputs and limits) are
/// allowed. A later end is always allowed.
enum class DeckChange { refuse, allow_safe };

/// Description of a run that a user requests.
struct Order {
  /// Deck file, or the directory of a run that is resumed or replaced. With `text` it is only the
  /// name of the deck in messages.
  std::string deck = "deck";
  std::optional<std::string> text{};     ///< the deck itself, as JSON
  std::vector<std::string> overrides{};  ///< "gravity.softening=0.02"
  /// Output directory; empty: that of the given run, or "<deck name>.run" in the current directory.
  std::string output{};
  Existing existing = Existing::refuse;
  DeckChange deck_change = DeckChange::refuse;
  /// Host threads, for Hooks::initialise. If set, all threads are used even where fewer are faster.
  std::optional<int> threads{};
  std::shared_ptr<simulation::Leader>
      leader{};  ///< of the ranks that share the run; null: this process alone
};

/// Callbacks of a session, in the order in which they are called.
struct Hooks {
  Display display{};  ///< of remarks, notes and progress; without a stream nothing is printed
  WarningHandler warn = [](Problem const&) {};
  /// Called with each remark on the deck and its bodies, see deck/remarks.hpp, at the start of a
  /// run; null: not called. The display has them too.
  std::function<void(std::string const&)> remark{};
  /// Initialises Kokkos, once deck and directory are accepted. Default: it is initialised already.
  std::function<void(std::optional<int> threads)> initialise = [](std::optional<int>) {};
  /// Last preparations once the memory suffices, such as signal handlers and Leader::begin().
  std::function<void()> prepare = [] {};
  /// Called before the run starts, and before each restart that a control requests.
  std::function<void(deck::Configuration const&)> begin = [](deck::Configuration const&) {};
  std::function<void(deck::Configuration const&, RunOutput&)> add_observers =
      [](deck::Configuration const&, RunOutput&) {};
  Controls controls{};  ///< besides the standard ones
  /// Called once with the result of the run, after the summary is written. Not called for a run
  /// that had finished earlier, or if run() throws; if a requested restart is impossible, run()
  /// calls it and then throws.
  std::function<void(Outcome const&)> end = [](Outcome const&) {};
};

/// One run in a directory, from a deck to its summary: starts, resumes or replaces a run, and
/// starts it again if a control asks for that. Prints nothing but to Hooks::display.
///
///     Session session({.deck = "sphere.json", .output = "sphere"});
///     Outcome const outcome = session.run();
class Session {
 public:
  /// Locks the directory, reads the deck and checks both. Modifies nothing, see
  /// RunDirectory::RunDirectory(). Errors of the deck come before those of the directory, so that
  /// a user does not fix one only to run into the other. Throws a usage error if the deck is the
  /// directory of a run that may neither be resumed nor replaced.
  explicit Session(Order order);

  /// Runs to the end, or to a stop from which the run can be resumed. Call once. If the run had
  /// finished earlier, computes nothing and returns Outcome::finished. Throws errors that prevent a
  /// start, and those of files; the results of the run itself are in the outcome.
  Outcome run(Hooks const& hooks = {});

  deck::Configuration const& configuration() const { return deck_.configuration; }
  RunDirectory const& directory() const { return directory_; }

 private:
  void add_environment();
  Outcome run_once(std::optional<Resumption> resumption, Hooks const& hooks);
  void restart(bool resumed);
  void end(Outcome const& outcome, Hooks const& hooks) const;

  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  Order order_;
  bool is_input_;  ///< whether the deck is a file that the run must not replace
  RunDirectory directory_;
  std::string text_;  ///< of the deck
  deck::ConfiguredDeck deck_;
};

}  // namespace apsis::run
