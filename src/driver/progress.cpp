// SPDX-License-Identifier: Apache-2.0
#include <apsis/driver/progress.hpp>

#include <algorithm>
#include <cstdio>
#include <ostream>
#include <string>

namespace apsis::driver {

namespace {

std::string duration(double seconds) {
  char text[40];
  if (seconds < 100.0) {
    std::snprintf(text, sizeof(text), "%.0f s", seconds);
  } else if (seconds < 6000.0) {
    std::snprintf(text, sizeof(text), "%.0f min", seconds / 60.0);
  } else {
    std::snprintf(text, sizeof(text), "%.1f h", seconds / 3600.0);
  }
  return text;
}

std::string line(ProgressState const& s) {
  double const done =
      s.steps > 0 ? static_cast<double>(s.step) / static_cast<double>(s.steps) : 1.0;
  double const rate = interactions_per_second(s.interactions, s.wall_seconds);
  std::string const left =
      s.step > 0 ? duration(s.wall_seconds * (1.0 / std::max(done, 1e-12) - 1.0)) : "?";
  char text[200];
  std::snprintf(text, sizeof(text),
                "step %llu/%llu  t %.6g  %5.1f%%  |dE/E| %.2e  %.2e interactions/s  %s left",
                static_cast<unsigned long long>(s.step), static_cast<unsigned long long>(s.steps),
                s.time, 100.0 * done, s.relative_energy_error, rate, left.c_str());
  return text;
}

}  // namespace

double interactions_per_second(double interactions, double wall_seconds) {
  return wall_seconds > 0.0 ? interactions / wall_seconds : 0.0;
}

void Progress::update(ProgressState const& state) {
  if (style_ == ProgressStyle::none || state.wall_seconds < next_seconds_) return;
  show(state);
  // Lines become rarer as a run gets longer, so that a log of weeks stays readable.
  next_seconds_ = style_ == ProgressStyle::terminal
                      ? state.wall_seconds + 0.2
                      : state.wall_seconds + std::clamp(0.5 * state.wall_seconds, 2.0, 60.0);
}

void Progress::note(std::string const& line) {
  if (style_ == ProgressStyle::none) return;
  if (style_ == ProgressStyle::terminal) out_ << "\r\033[2K";
  out_ << line << '\n' << std::flush;
}

void Progress::finish(ProgressState const& state) {
  if (style_ == ProgressStyle::none) return;
  if (style_ == ProgressStyle::terminal || state.step != shown_step_) show(state);
  if (style_ == ProgressStyle::terminal) out_ << '\n' << std::flush;
}

void Progress::show(ProgressState const& state) {
  // Erases what a longer line before it may have left.
  if (style_ == ProgressStyle::terminal) out_ << "\r\033[2K";
  out_ << line(state);
  if (style_ == ProgressStyle::lines) out_ << '\n';
  out_ << std::flush;
  shown_step_ = state.step;
}

}  // namespace apsis::driver
