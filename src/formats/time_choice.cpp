// SPDX-License-Identifier: Apache-2.0
#include "time_choice.hpp"

#include <apsis/core/text.hpp>

#include <algorithm>
#include <cmath>

namespace apsis::formats {

namespace {

constexpr std::size_t most_times = 10000;

/// Whether two times agree to single precision, in which some formats store them.
bool are_one_time(double a, double b) {
  return std::abs(a - b) <= 1e-7 * std::max(std::abs(a), std::abs(b));
}

}  // namespace

bool TimeChoice::accepts(double time) {
  if (times_.size() < most_times) times_.insert(time);
  if (wanted_ && !are_one_time(time, *wanted_)) return false;
  if (!chosen_) chosen_ = time;
  if (wanted_ && time != *chosen_) is_ambiguous_ = true;
  return time == *chosen_;
}

std::string TimeChoice::list() const {
  constexpr std::size_t few = 6;
  std::string words;
  std::size_t index = 0;
  for (double const time : times_) {
    bool const is_last = index + 1 == times_.size();
    if (index < few - 1 || is_last) words += (index == 0 ? "" : ", ") + shortest(time);
    if (index == few - 1 && !is_last) words += " ...";
    ++index;
  }
  return std::to_string(times_.size()) + (times_.size() == most_times ? " or more" : "") +
         (times_.size() == 1 ? " time: " : " times: ") + words;
}

std::optional<Problem> TimeChoice::problem(std::string const& source,
                                           std::string const& other_advice) const {
  if (is_ambiguous_) {
    return Problem{source, "two times are both " + shortest(*wanted_),
                   "they agree to single precision", "write the time with more digits"};
  }
  if (wanted_ && !chosen_) {
    return Problem{source, "no bodies at time " + shortest(*wanted_),
                   times_.empty() ? "the file states no time" : "it has " + list(),
                   times_.empty() ? "leave bodies.time (convert and render: --time) out"
                                  : "set bodies.time (convert and render: --time) to one of them"};
  }
  if (wanted_ || times_.size() <= 1) return std::nullopt;
  return Problem{source, "bodies at several times", "it has " + list(),
                 "choose one with bodies.time (convert and render: --time)" + other_advice};
}

}  // namespace apsis::formats
