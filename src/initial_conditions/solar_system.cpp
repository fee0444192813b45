// SPDX-License-Identifier: Apache-2.0
#include "entries.hpp"
#include "initial_conditions/orbit.hpp"

#include <array>

namespace apsis::initial_conditions {

namespace {

/// Semi-major axis [au], eccentricity, and in degrees inclination to the ecliptic of J2000, mean
/// longitude, longitude of perihelion, longitude of the ascending node.
using Elements = std::array<double, 6>;

struct Planet {
  Elements at_j2000, rate;  ///< rate: change per Julian century
  double sun_to_planet;     ///< mass of the Sun over mass of the planet with its satellites

  double element(std::size_t k, double centuries) const {
    return at_j2000[k] + rate[k] * centuries;
  }
};

/// Elements: JPL, "Approximate Positions of the Planets", table 1 (E. M. Standish, JPL/Caltech;
/// https://ssd.jpl.nasa.gov/planets/approx_pos.html), fitted to 1800-2050 AD. Masses: IAU 2009
/// system of astronomical constants (Luzum et al. 2011, Celest. Mech. Dyn. Astron. 110, 293); that
/// of the Earth from G M_S / G M_E = 332946.0487 and M_Moon / M_E = 0.0123000371.
constexpr std::array<Planet, 8> planets{{
    // Mercury
    {{0.38709927, 0.20563593, 7.00497902, 252.25032350, 77.45779628, 48.33076593},
     {0.00000037, 0.00001906, -0.00594749, 149472.67411175, 0.16047689, -0.12534081},
     6.0236e6},
    // Venus
    {{0.72333566, 0.00677672, 3.39467605, 181.97909950, 131.60246718, 76.67984255},
     {0.00000390, -0.00004107, -0.00078890, 58517.81538729, 0.00268329, -0.27769418},
     4.08523719e5},
    // Earth and Moon
    {{1.00000261, 0.01671123, -0.00001531, 100.46457166, 102.93768193, 0.0},
     {0.00000562, -0.00004392, -0.01294668, 35999.37244981, 0.32327364, 0.0},
     332946.0487 / 1.0123000371},
    // Mars
    {{1.52371034, 0.09339410, 1.84969142, -4.55343205, -23.94362959, 49.55953891},
     {0.00001847, 0.00007882, -0.00813131, 19140.30268499, 0.44441088, -0.29257343},
     3.09870359e6},
    // Jupiter
    {{5.20288700, 0.04838624, 1.30439695, 34.39644051, 14.72847983, 100.47390909},
     {-0.00011607, -0.00013253, -0.00183714, 3034.74612775, 0.21252668, 0.20469106},
     1.047348644e3},
    // Saturn
    {{9.53667594, 0.05386179, 2.48599187, 49.95424423, 92.59887831, 113.66242448},
     {-0.00125060, -0.00050991, 0.00193609, 1222.49362201, -0.41897216, -0.28867794},
     3.4979018e3},
    // Uranus
    {{19.18916464, 0.04725744, 0.77263783, 313.23810451, 170.95427630, 74.01692503},
     {-0.00196176, -0.00004397, -0.00242939, 428.48202785, 0.40805281, 0.04240589},
     2.290298e4},
    // Neptune
    {{30.06992276, 0.00859048, 1.77004347, -55.12002969, 44.96476227, 131.78422574},
     {0.00026291, 0.00005105, 0.00035372, 218.45945325, -0.32241464, -0.00508664},
     1.941226e4},
}};

constexpr std::array<char const*, planets.size() + 1> names{
    "Sun", "Mercury", "Venus", "Earth", "Mars", "Jupiter", "Saturn", "Uranus", "Neptune"};

HostBodies make_solar_system(Values const& values, double G) {
  double const centuries = (values.number("epoch") - 2451545.0) / 36525.0;
  HostBodies bodies(planets.size() + 1);
  bodies.mass[0] = 1.0;
  for (std::size_t k = 0; k < planets.size(); ++k) {
    auto const& planet = planets[k];
    double const mass = 1.0 / planet.sun_to_planet;
    Elements elements{};
    for (std::size_t i = 0; i < elements.size(); ++i) elements[i] = planet.element(i, centuries);
    auto const [axis, eccentricity, inclination, longitude, perihelion, node] = elements;
    auto const state = state_on_orbit(
        {axis, eccentricity, longitude - perihelion, inclination, node, perihelion - node},
        G * (1.0 + mass));
    bodies.mass[k + 1] = mass;
    bodies.position[k + 1] = state.position;
    bodies.velocity[k + 1] = state.velocity;
  }
  bodies.name.assign(names.begin(), names.end());
  centre(bodies);
  return bodies;
}

}  // namespace

ModelEntry solar_system_entry() {
  ModelEntry entry{
      "solar_system",
      "Sun, Mercury, Venus, Earth with Moon ... Neptune (JPL approximate positions, IAU 2009 "
      "masses) "
      "in solar masses, au and axes of the ecliptic of J2000, barycentric",
      {number("epoch", "Julian date [TDB days], from 1800 to 2050 AD; 2451545 is J2000")
           .at_least(2378496.5)
           .at_most(2469807.5)
           .with_default(2451545.0)},
      fixed_count<planets.size() + 1>,
      make_solar_system};
  entry.units = "solar";
  entry.names_bodies = true;
  return cited(std::move(entry), {"Standish"});
}

}  // namespace apsis::initial_conditions
