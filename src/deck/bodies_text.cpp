// SPDX-License-Identifier: Apache-2.0
#include <apsis/core/text.hpp>
#include <apsis/deck/remarks.hpp>

#include <cmath>

namespace apsis::deck {

namespace {

std::string system_text(Units const& units, diagnostics::SystemScales const& scales,
                        char const* gap) {
  auto const shown = [&](double value, Dimension dimension) {
    return units.with_short_unit(formatted("%.4g", value), dimension);
  };
  std::string text = "total mass " + shown(scales.mass, dimension::mass);
  if (scales.mass > 0.0) {
    text += scales.lightest == scales.heaviest
                ? ", of each body " + shown(scales.heaviest, dimension::mass)
                : ", of bodies " + formatted("%.4g", scales.lightest) + " to " +
                      shown(scales.heaviest, dimension::mass);
    if (scales.massless > 0) text += " and " + std::to_string(scales.massless) + " massless";
  }
  if (!scales.crossing_time) return text + "; within " + shown(scales.radius, dimension::length);
  double const number_radius = scales.half_number_radius;
  bool const other = std::abs(number_radius / scales.half_mass_radius - 1.0) > 0.03;
  std::string const by_number =
      other ? " (half-number radius: " + shown(number_radius, dimension::length) + ")" : "";
  return text + gap + "half-mass radius " + shown(scales.half_mass_radius, dimension::length) +
         by_number + ", crossing time " + shown(*scales.crossing_time, dimension::time) +
         ", half-mass relaxation time " + shown(*scales.relaxation_time, dimension::time);
}

}  // namespace

Scales measure_scales(Configuration const& run, HostBodies const& bodies) {
  double const G = run.gravity.law.G;
  Scales scales{diagnostics::system_scales(bodies, G), {}};
  if (run.bodies.parts.size() < 2) return scales;
  // Time scales of several systems together are meaningless.
  scales.whole.crossing_time.reset();
  scales.whole.relaxation_time.reset();
  std::size_t begin = 0;
  for (auto const& part : run.bodies.parts) {
    auto const end = begin + static_cast<std::size_t>(part.count());
    scales.parts.push_back(diagnostics::system_scales(slice(bodies, begin, end), G));
    if (scales.whole.fastest) {  // the orbits of the parts are included in those of the whole
      scales.parts.back().shortest_period.reset();
      scales.parts.back().shortest_passage.reset();
    }
    begin = end;
  }
  return scales;
}

std::string bodies_text(Configuration const& run, Scales const& scales) {
  auto text =
      "units " + run.units.short_words() + "\n" + system_text(run.units, scales.whole, "\n") + "\n";
  for (std::size_t k = 0; k < scales.parts.size(); ++k) {
    text +=
        "part " + std::to_string(k) + ": " + system_text(run.units, scales.parts[k], ", ") + "\n";
  }
  return text;
}

}  // namespace apsis::deck
