// SPDX-License-Identifier: Apache-2.0
#include <apsis/core/text.hpp>
#include <apsis/driver/loop.hpp>
#include <apsis/driver/simulation.hpp>

#include <algorithm>
#include <ostream>
#include <string>

namespace apsis::driver {

namespace {

/// Remaining wall time [s]: a weighted mean of the estimate before the run and the rate of the run
/// so far. The weight of the rate reaches 1 after 2 s or a tenth of the estimate, whichever is
/// longer.
double seconds_left(RunStatus const& s) {
  double const fraction =
      static_cast<double>(s.step) / static_cast<double>(std::max<std::uint64_t>(s.steps, 1));
  if (!(s.expected_seconds > 0.0) || s.steps <= s.first_step) {
    return s.wall_seconds * (1.0 / std::max(fraction, 1e-12) - 1.0);
  }
  double const part = static_cast<double>(s.step - std::min(s.step, s.first_step)) /
                      static_cast<double>(s.steps - s.first_step);
  double const shown = part > 0.0 ? s.own_wall_seconds * (1.0 / part - 1.0) : 0.0;
  double const weight =
      part > 0.0 ? std::min(1.0, s.own_wall_seconds / std::max(2.0, 0.1 * s.expected_seconds))
                 : 0.0;
  return weight * shown + (1.0 - weight) * (1.0 - part) * s.expected_seconds;
}

std::string line(RunStatus const& s, double interactions) {
  double const fraction =
      s.steps > 0 ? static_cast<double>(s.step) / static_cast<double>(s.steps) : 1.0;
  double const rate = interactions_per_second(interactions, s.wall_seconds);
  std::string const left =
      s.step > 0 || s.expected_seconds > 0.0 ? duration_text(seconds_left(s)) : "?";
  return formatted("step %llu/%llu  t %.6g  %5.1f%%  |dE/E| %.2e  %.2e interactions/s  %s left",
                   static_cast<unsigned long long>(s.step),
                   static_cast<unsigned long long>(s.steps), s.time, 100.0 * fraction,
                   s.relative_energy_error, rate, left.c_str());
}

class Progress final : public Observer {
 public:
  explicit Progress(Display display) : style_(display.style), out_(*display.out) {}

  std::uint64_t next_step(std::uint64_t /*step*/) const override { return no_step; }

  void update(Instant const& now, RunStatus const& status) override {
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

  void end(Instant const& now, RunStatus const& status) override {
    bool const terminal = style_ == ProgressStyle::terminal;
    if (terminal || status.step != shown_step_) show(now, status);
    if (terminal) out_ << '\n' << std::flush;
  }

 private:
  void show(Instant const& now, RunStatus const& status) {
    erase();
    out_ << line(status, now.interactions());
    if (style_ == ProgressStyle::lines) out_ << '\n';
    out_ << std::flush;
    shown_step_ = status.step;
  }

  /// Erases the previous line, which may be longer.
  void erase() {
    if (style_ == ProgressStyle::terminal) out_ << "\r\033[2K";
  }

  ProgressStyle style_;
  std::ostream& out_;
  double next_seconds_ = 0.0;
  std::uint64_t shown_step_ = ~std::uint64_t{0};
};

}  // namespace

std::unique_ptr<Observer> progress(Display display) {
  return std::make_unique<Progress>(display);
}

}  // namespace apsis::driver
