// SPDX-License-Identifier: Apache-2.0
#include "resolve.hpp"
#include <apsis/core/text.hpp>

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace apsis::deck {

namespace {

/// Whether a time is this whole number of steps. Decimal fractions are not exact in binary: 0.01 /
/// 0.001 is 10 only to rounding.
bool is_step_count(double time, double time_step, double whole) {
  double const ratio = time / time_step;
  double const allowed = std::min(1e-9 * std::max(1.0, ratio), 1e-3);
  return std::abs(ratio - whole) <= std::max(allowed, 4e-16 * ratio);
}

/// Returns the time of a step with few digits: 3 * 0.01 as 0.03, not 0.030000000000000002.
std::string rounded_time(double whole, double time_step, double start) {
  double const product = start + whole * time_step;
  for (int digits = 1; digits <= 17; ++digits) {
    double const value = std::strtod(formatted("%.*g", digits, product).c_str(), nullptr);
    bool const close = std::abs(value - product) <= 1e-12 * std::abs(product);
    if (close && is_step_count(value - start, time_step, whole)) return shortest(value);
  }
  return shortest(product);
}

std::string since(double start) {
  return start == 0.0 ? "" : ", with run.start_time " + shortest(start) + ",";
}

}  // namespace

std::optional<std::uint64_t> whole_steps(std::string const& path, double time, double time_step,
                                         double fewest, DeckProblems& problems, double start) {
  double const duration = time - start;
  double const ratio = duration / time_step;
  double const whole = std::max(fewest, std::round(ratio));
  if (ratio < 0.0) {
    problems.add(path, "against the direction of time",
                 "it is " + shortest(time) + since(start) + " and integrator.time_step " +
                     shortest(time_step),
                 start == 0.0 ? "give both the same sign" : "give another end or step");
    return std::nullopt;
  }
  if (!(whole <= 0x1p53)) {
    problems.add(path, "too many steps", shortest(time) + " is " + shortest(ratio) + " time steps",
                 "increase integrator.time_step");
    return std::nullopt;
  }
  if (!is_step_count(duration, time_step, whole)) {
    problems.add(path, "not a whole number of steps",
                 shortest(time) + since(start) + " is " + shortest(ratio) + " time steps of " +
                     shortest(time_step),
                 "the nearest time that is one is " + rounded_time(whole, time_step, start));
    return std::nullopt;
  }
  return static_cast<std::uint64_t>(whole);
}

std::vector<std::uint64_t> listed_steps(Values const& values, std::string const& prefix,
                                        std::string const& path, double time_step, double start,
                                        DeckProblems& problems) {
  std::vector<std::uint64_t> steps;
  if (time_step == 0.0) return steps;
  if (values.has(prefix + "times")) {
    auto const& times = values.numbers(prefix + "times");
    for (std::size_t i = 0; i < times.size(); ++i) {
      auto const where = path + prefix + "times[" + std::to_string(i) + "]";
      if (auto const step = whole_steps(where, times[i], time_step, 0.0, problems, start)) {
        steps.push_back(*step);
      }
    }
  }
  if (values.has(prefix + "logarithmic_times")) {
    auto const where = path + prefix + "logarithmic_times";
    auto const& range = values.object(prefix + "logarithmic_times");
    double const first = range.number("first") / time_step, last = range.number("last") / time_step;
    auto const count = range.integer("count");
    double const first_step = start / time_step;
    if (!(first > 0.0 && first >= first_step && last > first && last - first_step <= 0x1p53)) {
      problems.add(
          where, "no range of times",
          "first is " + shortest(range.number("first")) + " and last " +
              shortest(range.number("last")),
          "give times with the sign of integrator.time_step, not before run.start_time, the last "
          "farther from 0");
      return steps;
    }
    for (std::int64_t k = 0; k < count; ++k) {
      double const part = static_cast<double>(k) / static_cast<double>(count - 1);
      steps.push_back(static_cast<std::uint64_t>(
          std::llround(first * std::pow(last / first, part) - first_step)));
    }
  }
  std::sort(steps.begin(), steps.end());
  steps.erase(std::unique(steps.begin(), steps.end()), steps.end());
  return steps;
}

}  // namespace apsis::deck
