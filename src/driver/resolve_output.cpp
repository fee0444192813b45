// SPDX-License-Identifier: Apache-2.0
#include "resolve.hpp"

#include <algorithm>

namespace apsis::driver {

OutputPlan resolve_output(Values& output, double time_step, std::optional<std::uint64_t> steps,
                          DeckProblems& problems) {
  OutputPlan plan;
  if (time_step <= 0.0) return plan;
  auto const interval = [&](std::string const& name) -> std::optional<std::uint64_t> {
    if (!output.has(name)) return std::nullopt;
    return whole_steps("output." + name, output.number(name), time_step, 1.0, problems);
  };
  if (output.has("conservation_interval")) {
    plan.conservation_steps = interval("conservation_interval").value_or(1);
  } else if (steps) {
    plan.conservation_steps = std::max<std::uint64_t>(1, (*steps + 99) / 100);
    output.set("conservation_interval", static_cast<double>(plan.conservation_steps) * time_step);
  }
  plan.snapshot_steps = interval("snapshot_interval");
  plan.checkpoint_steps = interval("checkpoint_interval");
  if (output.has("snapshot_compression")) {
    plan.snapshot_content.compression = static_cast<int>(output.integer("snapshot_compression"));
  }
  auto const is = [&](char const* name) { return output.has(name) && output.boolean(name); };
  plan.snapshot_content.accelerations = is("snapshot_accelerations");
  plan.snapshot_content.potentials = is("snapshot_potentials");
  double const seconds = optional_number(output, "checkpoint_wall_interval").value_or(0.0);
  if (seconds > 0.0) plan.checkpoint_wall_interval = seconds;
  return plan;
}

}  // namespace apsis::driver
