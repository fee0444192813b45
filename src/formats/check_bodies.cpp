// SPDX-License-Identifier: Apache-2.0
#include "check_bodies.hpp"

#include "formats/text/columns.hpp"
#include <apsis/core/text.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace apsis::formats {

std::string printed_word(std::string_view word, std::size_t most) {
  return "'" + printable(shortened(word, most)) + "'";
}

std::optional<std::pair<std::size_t, std::size_t>> repeated_id(
    std::vector<std::uint64_t> const& ids) {
  auto sorted = ids;
  std::sort(sorted.begin(), sorted.end());
  auto const duplicate = std::adjacent_find(sorted.begin(), sorted.end());
  if (duplicate == sorted.end()) return std::nullopt;
  auto const first = std::find(ids.begin(), ids.end(), *duplicate);
  auto const second = std::find(first + 1, ids.end(), *duplicate);
  return std::pair{static_cast<std::size_t>(first - ids.begin()),
                   static_cast<std::size_t>(second - ids.begin())};
}

void number_anew(BodiesFile& file) {
  file.has_ids = false;
  std::iota(file.bodies.id.begin(), file.bodies.id.end(), std::uint64_t{0});
}

void check_memory(std::uint64_t bodies, double copies, std::string const& source,
                  std::uint64_t available) {
  double const need = static_cast<double>(bodies) * host_bytes_per_body * copies;
  auto const limit = static_cast<double>(available);
  APSIS_VALIDATE(need <= limit, {source, "does not fit in memory",
                                 std::to_string(bodies) + " bodies need " +
                                     formatted("%.3g GiB to be read, the host has %.3g GiB",
                                               need / 0x1p30, limit / 0x1p30),
                                 "use fewer bodies"});
}

namespace {

/// Lists the values of a body that are not finite; empty if all are finite.
std::string not_finite(HostBodies const& bodies, std::size_t i) {
  auto const [x, y, z] = bodies.position[i];
  auto const [vx, vy, vz] = bodies.velocity[i];
  std::array const values{bodies.mass[i], x, y, z, vx, vy, vz};
  std::string names;
  for (std::size_t k = 0; k < values.size(); ++k) {
    if (std::isfinite(values[k])) continue;
    names +=
        (names.empty() ? "" : ", ") + std::string(text_columns[k]) + " is " + shortest(values[k]);
  }
  return names;
}

constexpr std::size_t most_times = 10000;

/// Whether two times agree to single precision, in which some formats store them.
bool are_one_time(double a, double b) {
  return std::abs(a - b) <= 1e-7 * std::max(std::abs(a), std::abs(b));
}

}  // namespace

void check_values(BodiesFile const& file, std::string const& source) {
  auto problems = problems_of(file, source);
  if (!problems.empty()) throw Error(ExitStatus::bad_input, std::move(problems));
}

std::vector<Problem> problems_of(BodiesFile const& file, std::string const& source) {
  std::vector<Problem> problems;
  auto const& bodies = file.bodies;
  auto const place = [&](std::size_t i) {
    std::string const id = file.has_ids ? " (id " + std::to_string(bodies.id[i]) + ")" : "";
    return source + ": bodies[" + std::to_string(i) + "]" + id;
  };
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    if (problems.size() == max_problems_per_file) return problems;
    auto const names = not_finite(bodies, i);
    if (!names.empty()) {
      problems.push_back({place(i), "not finite", names, "remove or correct the body"});
    } else if (bodies.mass[i] < 0.0) {
      problems.push_back({place(i), "negative mass", "it is " + shortest(bodies.mass[i]),
                          "remove or correct the body"});
    } else if (!(bodies.radius_of(i) >= 0.0) || !std::isfinite(bodies.radius_of(i))) {
      problems.push_back({place(i), "invalid radius", "it is " + shortest(bodies.radius_of(i)),
                          "give a finite radius of at least 0"});
    }
  }
  auto const duplicates = file.has_ids ? repeated_id(bodies.id) : std::nullopt;
  if (duplicates) {
    problems.push_back(
        {place(duplicates->second), "duplicate id",
         "bodies[" + std::to_string(duplicates->first) + "] has it too",
         "give every body an id of its own, or set bodies.ids to false (convert: --ignore-ids)"});
  }
  return problems;
}

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
