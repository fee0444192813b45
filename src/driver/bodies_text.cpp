// SPDX-License-Identifier: Apache-2.0
#include <apsis/core/text.hpp>
#include <apsis/diagnostics/system_scales.hpp>
#include <apsis/driver/configuration.hpp>
#include <apsis/driver/simulation.hpp>

#include <cmath>

namespace apsis::driver {

std::string bodies_text(Configuration const& run, diagnostics::SystemScales const& scales) {
  auto const shown = [&](double value, Dimension of) {
    return run.units.with_short_unit(formatted("%.4g", value), of);
  };
  std::string text =
      "units " + run.units.words() + "\ntotal mass " + shown(scales.mass, dimension::mass);
  if (scales.mass > 0.0) {
    text += scales.lightest == scales.heaviest
                ? ", of each body " + shown(scales.heaviest, dimension::mass)
                : ", of bodies " + formatted("%.4g", scales.lightest) + " to " +
                      shown(scales.heaviest, dimension::mass);
    if (scales.massless > 0) text += " and " + std::to_string(scales.massless) + " of no mass";
  }
  // Of several systems together these would be numbers of none of them.
  if (!scales.crossing_time || run.parts.size() > 1) {
    return text + "; within " + shown(scales.radius, dimension::length) + "\n";
  }
  double const number_radius = scales.half_number_radius;
  bool const other = std::abs(number_radius / scales.half_mass_radius - 1.0) > 0.03;
  std::string const by_number =
      other ? " (that of half of the bodies: " + shown(number_radius, dimension::length) + ")" : "";
  return text + "\nhalf-mass radius " + shown(scales.half_mass_radius, dimension::length) +
         by_number + ", crossing time " + shown(*scales.crossing_time, dimension::time) +
         ", half-mass relaxation time " + shown(*scales.relaxation_time, dimension::time) + "\n";
}

}  // namespace apsis::driver
