// SPDX-License-Identifier: Apache-2.0
#include "resolve.hpp"

namespace apsis::driver {

IntegratorChoice resolve_integrator(Values const& integrator, Values const& gravity,
                                    DeckProblems& problems) {
  IntegratorChoice choice{entry_named(integrators::integrators(), integrator, "name"), integrator,
                          optional_number(integrator, "time_step").value_or(0.0)};
  if (choice.integrator == nullptr || !integrator.has("stepping")) return choice;
  auto const& stepping = integrator.object("stepping");
  bool const by_softening =
      stepping.has("criterion") && stepping.text("criterion") == "softened_acceleration";
  if (by_softening && gravity.has("softening") && gravity.number("softening") == 0.0) {
    auto const& own = choice.integrator->criterion;
    problems.add("integrator.stepping.criterion", "contradicts gravity.softening",
                 "the criterion needs a softening length",
                 own.empty() ? "set gravity.softening, or fixed steps"
                             : "set gravity.softening, or the criterion '" + own + "'");
  }
  return choice;
}

}  // namespace apsis::driver
