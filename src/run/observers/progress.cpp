// SPDX-License-Identifier: Apache-2.0
#include "files/json_data.hpp"
#include <apsis/core/text.hpp>
#include <apsis/run/loop.hpp>

#include <algorithm>
#include <ostream>

namespace apsis::run {

namespace {

/// Remaining wall time [s]: a weighted mean of the estimate before the run and of an extrapolation
/// of its rate so far, whose weight is 1 after 2 s or a tenth of the estimate if that is longer.
double seconds_left(RunStatus const& status) {
  if (!(status.expected_seconds > 0.0) || status.steps <= status.first_step) {
    double const fraction = static_cast<double>(status.step) /
                            static_cast<double>(std::max<std::uint64_t>(status.steps, 1));
    return status.wall_seconds * (1.0 / std::max(fraction, 1e-12) - 1.0);
  }
  // Fraction of the steps of this process.
  double const fraction =
      static_cast<double>(status.step - std::min(status.step, status.first_step)) /
      static_cast<double>(status.steps - status.first_step);
  double const by_rate = fraction > 0.0 ? status.own_wall_seconds * (1.0 / fraction - 1.0) : 0.0;
  double const weight =
      fraction > 0.0
          ? std::min(1.0, status.own_wall_seconds / std::max(2.0, 0.1 * status.expected_seconds))
          : 0.0;
  return weight * by_rate + (1.0 - weight) * (1.0 - fraction) * status.expected_seconds;
}

/// Part of the line of progress. Parts of low rank are left out first where the line is too long.
struct Part {
  std::string text;
  int rank;
};

/// Joins the parts that fit into this number of columns, and cuts what is left.
std::string fitted(std::vector<Part> parts, std::size_t columns) {
  auto const joined = [&] {
    std::string line;
    for (auto const& part : parts) line += (line.empty() ? "" : "  ") + part.text;
    return line;
  };
  while (parts.size() > 1 && joined().size() > columns) {
    parts.erase(std::min_element(parts.begin(), parts.end(),
                                 [](Part const& a, Part const& b) { return a.rank < b.rank; }));
  }
  return joined().substr(0, columns);
}

std::string line(RunStatus const& status, double interactions, std::size_t columns) {
  double const fraction =
      status.steps > 0 ? static_cast<double>(status.step) / static_cast<double>(status.steps) : 1.0;
  double const rate = interactions_per_second(interactions, status.wall_seconds);
  std::string const left =
      status.step > 0 || status.expected_seconds > 0.0 ? duration_text(seconds_left(status)) : "?";
  return fitted({{"step " + std::to_string(status.step) + "/" + std::to_string(status.steps), 2},
                 {formatted("t %.6g", status.time), 3},
                 {formatted("%5.1f%%", 100.0 * fraction), 6},
                 {formatted("|dE/E| %.2e", status.relative_energy_error), 5},
                 {formatted("%.2e interactions/s", rate), 1},
                 {left + " left", 4}},
                columns);
}

/// The state as an object: {"kind":"progress","step":1,"steps":8,"time":0.5,...}.
std::string json_line(RunStatus const& status) {
  bool const is_estimated = status.step > 0 || status.expected_seconds > 0.0;
  return files::to_json_line(files::JsonData::Object{
      {"kind", "progress"},
      {"step", status.step},
      {"steps", status.steps},
      {"time", status.time},
      {"relative_energy_error", status.relative_energy_error},
      {"left", is_estimated ? duration_text(seconds_left(status)) : std::string()}});
}

class Progress final : public Observer {
 public:
  explicit Progress(Display display)
      : style_(display.style), out_(*display.out), columns_(std::move(display.columns)) {}

  std::uint64_t next_step(std::uint64_t /*step*/) const override { return no_step; }

  void update(simulation::Instant const& now, RunStatus const& status) override {
    if (status.step == shown_step_ || status.wall_seconds < next_seconds_) return;
    show(now, status);
    // Lines become rarer as a run gets longer, so that the log of a run of weeks stays readable.
    next_seconds_ = style_ == ProgressStyle::terminal
                        ? status.wall_seconds + 0.2
                        : status.wall_seconds + std::clamp(0.5 * status.wall_seconds, 2.0, 60.0);
  }

  void note(std::string const& line) override {
    erase();
    out_ << printable(line) << '\n' << std::flush;
  }

  void end(simulation::Instant const& now, RunStatus const& status) override {
    bool const terminal = style_ == ProgressStyle::terminal;
    if (terminal || status.step != shown_step_) show(now, status);
    if (terminal) out_ << '\n' << std::flush;
  }

 private:
  void show(simulation::Instant const& now, RunStatus const& status) {
    erase();
    if (style_ == ProgressStyle::json) {
      out_ << json_line(status);
    } else {
      out_ << line(status, now.interactions(), columns());
      if (style_ == ProgressStyle::lines) out_ << '\n';
    }
    out_ << std::flush;
    shown_step_ = status.step;
  }

  /// Columns of a line. A terminal wraps a line that fills all its columns, and is asked each time,
  /// because its size may change.
  std::size_t columns() const {
    if (style_ != ProgressStyle::terminal) return std::string::npos;
    auto const known_columns = columns_ ? columns_() : std::nullopt;
    return static_cast<std::size_t>(std::max(2, known_columns.value_or(80)) - 1);
  }

  /// Erases the previous line, which may be longer.
  void erase() {
    if (style_ == ProgressStyle::terminal) out_ << "\r\033[2K";
  }

  ProgressStyle style_;
  std::ostream& out_;
  std::function<std::optional<int>()> columns_;
  double next_seconds_ = 0.0;
  std::uint64_t shown_step_ = ~std::uint64_t{0};
};

}  // namespace

std::unique_ptr<Observer> progress(Display display) {
  return std::make_unique<Progress>(std::move(display));
}

}  // namespace apsis::run
