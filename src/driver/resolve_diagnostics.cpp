// SPDX-License-Identifier: Apache-2.0
#include "resolve.hpp"

namespace apsis::driver {

namespace {

void check_count(std::string const& path, DiagnosticEntry const& entry, std::uint64_t bodies,
                 DeckProblems& problems) {
  if (entry.fewest_bodies <= bodies && bodies <= entry.most_bodies) return;
  bool const exactly = entry.fewest_bodies == entry.most_bodies;
  problems.add(
      path,
      "needs " + std::to_string(entry.fewest_bodies) + " bodies" + (exactly ? "" : " or more"),
      "the deck has " + std::to_string(bodies), "remove it");
}

}  // namespace

std::vector<PlannedDiagnostic> resolve_diagnostics(Values& diagnostics, double time_step,
                                                   std::uint64_t conservation_steps,
                                                   std::optional<std::uint64_t> bodies,
                                                   DeckProblems& problems) {
  std::vector<PlannedDiagnostic> planned;
  for (auto const& entry : diagnostic_entries()) {
    if (!diagnostics.has(entry.name)) continue;
    auto const path = "diagnostics." + entry.name;
    auto values = diagnostics.object(entry.name);
    auto steps = conservation_steps;
    if (!values.has("interval")) {
      values.set("interval", static_cast<double>(steps) * time_step);
      diagnostics.set(entry.name, std::make_shared<Values const>(values));
    } else if (time_step > 0.0) {
      steps = whole_steps(path + ".interval", values.number("interval"), time_step, 1.0, problems)
                  .value_or(1);
    }
    if (bodies) check_count(path, entry, *bodies, problems);
    planned.push_back({&entry, std::move(values), steps});
  }
  return planned;
}

}  // namespace apsis::driver
