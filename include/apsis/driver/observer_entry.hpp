// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/driver/configuration.hpp>
#include <apsis/driver/observer.hpp>
#include <apsis/driver/tolerance.hpp>

#include <iosfwd>
#include <memory>
#include <string>
#include <vector>

namespace apsis::driver {

class RunDirectory;

enum class ProgressStyle {
  none,
  terminal,  ///< one line, rewritten a few times a second
  lines,     ///< a plain line now and then, for pipes and batch logs
};

/// Where a run shows its progress.
struct Display {
  ProgressStyle style = ProgressStyle::none;
  std::ostream* out = nullptr;  ///< not used for the style none
};

/// What an observer may know of its run; all of it outlives the observer.
struct Surroundings {
  Configuration const& run;
  RunDirectory const& directory;
  std::string const& deck;  ///< resolved
  RunRecord const* from;    ///< of a run that goes on: how far its files had come
  Display display;
  Tolerance& tolerance;  ///< for what the observer does in a thread
};

/// One line of the table of observers.
struct ObserverEntry {
  std::string name;
  std::string doc;
  OnError on_error;
  /// Nothing if the run does not want it.
  std::unique_ptr<Observer> (*make)(Surroundings const&);
};

/// Every observer, in the order in which they are shown a state.
std::vector<ObserverEntry> const& observer_entries();

}  // namespace apsis::driver
