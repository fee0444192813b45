// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/driver/configuration.hpp>
#include <apsis/driver/observer.hpp>
#include <apsis/driver/run_directory.hpp>
#include <apsis/driver/tolerance.hpp>

#include <iosfwd>
#include <memory>
#include <string>

/// The observers that a run has of itself; RunOutput says which of them, and what an error in each
/// comes to. Those with files throw input/output errors.
namespace apsis::driver {

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
  std::string const& deck;          ///< resolved
  RunRecord const* from = nullptr;  ///< of a run that goes on: how far its files had come
};

/// conservation.csv: a line of every time that is measured.
std::unique_ptr<Observer> conservation_log(Surroundings const& of);

/// The table that a diagnostic grows row by row: at the start, at every interval and at the last
/// step. Rows are kept back until the conservation log says what their time is worth.
std::unique_ptr<Observer> diagnostic_table(Surroundings const& of, PlannedDiagnostic const& plan);

/// snapshot_NNNNNN.h5, written in the background: at the start, at every interval and at the end.
/// Errors in the background are told to `tolerance`, which must outlive the observer.
std::unique_ptr<Observer> snapshots(Surroundings const& of, Tolerance& tolerance);

/// Shows step, time, percent, energy error, interactions per second and time left.
std::unique_ptr<Observer> progress(Display display);

}  // namespace apsis::driver
