// SPDX-License-Identifier: Apache-2.0
#include "resolve.hpp"
#include <apsis/core/text.hpp>

#include <algorithm>
#include <variant>

namespace apsis::deck {

bool starts_with_file(Values const& run) {
  return run.has("start_time") && std::holds_alternative<std::string>(run.value("start_time"));
}

double stated_start(Values const& run) {
  return run.has("start_time") && !starts_with_file(run) ? run.number("start_time") : 0.0;
}

std::optional<double> start_of_files(BodiesPlan const& plan, DeckProblems& problems) {
  auto const bodies = plan.files();
  if (bodies.empty()) {
    if (plan.has_file()) return std::nullopt;  // reported
    problems.add("run.start_time", "there is no file of bodies", "it is 'file'", "give a number");
    return std::nullopt;
  }
  bool const all_have_time =
      std::all_of(bodies.begin(), bodies.end(), [](auto const& file) { return file->has_time; });
  if (!all_have_time) {
    problems.add("run.start_time", "a file of bodies without a time", "it is 'file'",
                 "give a number");
    return std::nullopt;
  }
  double const time = bodies.front()->time;
  for (auto const& file : bodies) {
    if (file->time == time) continue;
    problems.add("run.start_time", "files of several times",
                 "they are at " + shortest(time) + " and " + shortest(file->time), "give a number");
    return std::nullopt;
  }
  return time;
}

}  // namespace apsis::deck
