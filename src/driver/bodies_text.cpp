// SPDX-License-Identifier: Apache-2.0
#include <apsis/core/text.hpp>
#include <apsis/diagnostics/system_scales.hpp>
#include <apsis/driver/configuration.hpp>
#include <apsis/driver/simulation.hpp>

namespace apsis::driver {

std::string bodies_text(Configuration const& run, HostBodies const& bodies) {
  auto const scales = diagnostics::system_scales(bodies, run.gravity.G);
  auto const shown = [&](double value, Dimension of) {
    return formatted("%.4g", value) + (run.units.si ? " " + run.units.name(of) : "");
  };
  std::string text = "total mass " + shown(scales.mass, dimension::mass);
  if (scales.mass > 0.0) {
    text += scales.lightest == scales.heaviest
                ? ", of each body " + shown(scales.heaviest, dimension::mass)
                : ", of bodies " + formatted("%.4g", scales.lightest) + " to " +
                      shown(scales.heaviest, dimension::mass);
    if (scales.massless > 0) text += " and " + std::to_string(scales.massless) + " of no mass";
  }
  if (!scales.crossing_time) {
    return text + "; within " + shown(scales.radius, dimension::length) + "\n";
  }
  return text + "\nhalf-mass radius " + shown(scales.half_mass_radius, dimension::length) +
         ", crossing time " + shown(*scales.crossing_time, dimension::time) +
         ", half-mass relaxation time " + shown(*scales.relaxation_time, dimension::time) + "\n";
}

}  // namespace apsis::driver
