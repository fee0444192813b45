// SPDX-License-Identifier: Apache-2.0
#include "apsis/deck/remarks.hpp"

#include "initial_conditions/orbit.hpp"
#include "resolve.hpp"
#include <apsis/bodies/host_bodies.hpp>
#include <apsis/core/text.hpp>
#include <apsis/integrators/stepping.hpp>

#include <cmath>
#include <limits>
#include <map>
#include <numbers>

namespace apsis::deck {

namespace {

void note_files(Configuration const& run, std::vector<std::string>& remarks) {
  auto const files = run.bodies.files();
  for (auto const& file : files) {
    for (auto const& words : file->notes) remarks.push_back("note: the file of bodies: " + words);
    for (auto const& words : file->unused) remarks.push_back("not used: " + words);
    if (file->time != 0.0 && file->time != run.start_time) {
      remarks.push_back("not used: the time of the file of bodies, " + shortest(file->time) +
                        ": the run begins at time " + shortest(run.start_time) +
                        "; run.start_time 'file' takes it over");
    }
  }
  bool const unnamed =
      std::any_of(files.begin(), files.end(), [](auto const& file) { return !file->units; });
  if (!run.units.si || !unnamed) return;
  remarks.push_back("note: the file of bodies names no units: its numbers are taken as " +
                    run.units.short_name(dimension::length) + ", " +
                    run.units.short_name(dimension::mass) + " and " +
                    run.units.short_name(dimension::velocity) +
                    "; a text file can name them in a line '# units: ...' above the bodies");
}

/// Notes orbital elements in units with G = 1: users know them in au and years, and the same
/// numbers then describe another orbit.
void note_orbits(Configuration const& run, BodiesPlan const& bodies,
                 std::vector<std::string>& remarks) {
  if (run.units.si || run.gravity.law.G != 1.0 || bodies.model != &initial_conditions::listed())
    return;
  auto const& list = bodies.values.records("list");
  bool const any = std::any_of(list.begin(), list.end(), initial_conditions::has_orbit);
  if (!any) return;
  remarks.push_back(
      "note: orbits are in units with G = 1: a year, the period of a = 1 about a mass of 1, is 2 "
      "pi; for au, Msun and years write \"units\": {\"system\": \"solar\"}");
}

void note_masses(Configuration const& run, BodiesPlan const& bodies, std::string const& where,
                 std::vector<std::string>& remarks) {
  auto const& values = bodies.values;
  if (!values.has("mass") || !values.has("masses")) return;
  auto const& masses = values.object("masses");
  if (!masses.has("scaled")) return;
  auto const total = shortest(values.number("mass"));
  std::string const advice = run.units.si
                                 ? "without `mass`, or with masses.scaled false, they are kept"
                                 : "with masses.scaled false they are kept; for solar masses, pc "
                                   "and Myr write \"units\": {\"system\": \"astrophysical\"}";
  remarks.push_back(
      masses.boolean("scaled")
          ? "note: masses are sampled between " + shortest(masses.number("minimum")) + " and " +
                shortest(masses.number("maximum")) +
                ", and then multiplied so that their sum is `mass`, " + total + "; " + advice
          : "note: " + where + ".mass, " + total +
                ", is not used: masses.scaled is false, so the sampled masses are kept");
}

/// Notes a body without a velocity among moving bodies, since the user may have forgotten it.
void note_rest(BodiesPlan const& bodies, std::string const& where,
               std::vector<std::string>& remarks) {
  if (bodies.model != &initial_conditions::listed()) return;
  auto const& list = bodies.values.records("list");
  bool const any_moves = std::any_of(list.begin(), list.end(), [](Values const& body) {
    return body.has("velocity") || initial_conditions::has_orbit(body);
  });
  for (std::size_t i = 0; i < list.size() && any_moves; ++i) {
    auto const& body = list[i];
    bool const rests = body.has("position") && norm(body.vector3("position")) > 0.0 &&
                       !body.has("velocity") && !initial_conditions::has_orbit(body);
    if (!rests) continue;
    remarks.push_back("note: " + where + ".list[" + std::to_string(i) +
                      "] has a position and no velocity: it is at rest");
    return;
  }
}

/// Notes angles that are probably in radians, since all of them would be small in degrees.
void note_angles(BodiesPlan const& bodies, std::vector<std::string>& remarks) {
  if (bodies.model != &initial_conditions::listed()) return;
  int angle_count = 0, in_plane_count = 0;
  double largest = 0.0;
  for (auto const& body : bodies.values.records("list")) {
    for (auto const* key :
         {"inclination", "node", "argument", "mean_anomaly", "true_anomaly", "eccentric_anomaly"}) {
      if (!body.has(key) || body.number(key) == 0.0) continue;
      ++angle_count;
      in_plane_count += key == std::string_view("inclination") ? 0 : 1;
      largest = std::max(largest, std::abs(body.number(key)));
    }
  }
  constexpr int enough = 4;
  if (angle_count < enough || in_plane_count < 2 || largest > 2.0 * std::numbers::pi) return;
  remarks.push_back("note: angles are in degrees, and none of these orbits' is above " +
                    formatted("%.3g", largest) + ": if they are radians, multiply them by 57.2958");
}

void note_softening(Configuration const& run, std::vector<std::string>& remarks) {
  if (!is_unsoftened(run)) return;
  remarks.push_back(
      "note: without softening, fixed steps do not resolve close encounters: set "
      "gravity.softening, or use hermite4 with stepping.mode 'block'");
}

/// Returns the first two sampled parts of one model with equal values of a property, if any.
template <class Property>
std::optional<std::pair<std::size_t, std::size_t>> find_twins(BodiesPlan const& bodies,
                                                              Property const& property) {
  using Key = decltype(property(std::size_t{0}));
  std::map<std::pair<initial_conditions::ModelEntry const*, typename Key::value_type>, std::size_t>
      known;
  for (std::size_t k = 0; k < bodies.parts.size(); ++k) {
    auto const& part = bodies.parts[k];
    auto const value = part.values.has("seed") ? property(k) : Key();
    if (!value) continue;
    auto const [place, is_new] = known.emplace(std::pair(part.model, *value), k);
    if (!is_new) return std::pair(place->second, k);
  }
  return std::nullopt;
}

/// Notes two parts of one model with the same seed, copies of each other, or in the same place.
void note_twins(BodiesPlan const& bodies, std::vector<std::string>& remarks) {
  if (bodies.parts.empty()) return;
  auto const& records = bodies.values.records("parts");
  auto const named = [](std::pair<std::size_t, std::size_t> const& pair) {
    return "note: parts " + std::to_string(pair.first) + " and " + std::to_string(pair.second);
  };
  auto const sampled = find_twins(
      bodies, [&](std::size_t k) { return std::optional(bodies.parts[k].values.integer("seed")); });
  if (sampled) {
    remarks.push_back(named(*sampled) + " are both drawn with seed " +
                      std::to_string(bodies.parts[sampled->first].values.integer("seed")) +
                      ": one is a scaled copy of the other; give one of them another seed");
  }
  auto const placed = find_twins(bodies, [&](std::size_t k) {
    auto const position = records[k].vector3("position");
    using Place = std::array<double, 3>;
    return records[k].has("orbit") ? std::nullopt
                                   : std::optional(Place{position.x, position.y, position.z});
  });
  if (placed) {
    remarks.push_back(named(*placed) + " are in one place; give one a position or an orbit");
  }
}

void note_deck(Configuration const& run, BodiesPlan const& bodies, std::string const& where,
               std::vector<std::string>& remarks) {
  note_orbits(run, bodies, remarks);
  note_masses(run, bodies, where, remarks);
  note_rest(bodies, where, remarks);
  note_angles(bodies, remarks);
  note_twins(bodies, remarks);
  for (std::size_t k = 0; k < bodies.parts.size(); ++k) {
    note_deck(run, bodies.parts[k], where + ".parts[" + std::to_string(k) + "].bodies", remarks);
  }
}

/// Whether at least so many bodies are drawn at random, not given like planets.
bool are_sampled(Configuration const& run, std::uint64_t many) {
  auto const sampled = [&](BodiesPlan const& bodies) {
    return bodies.values.has("seed") && bodies.count() >= many;
  };
  auto const& parts = run.bodies.parts;
  return sampled(run.bodies) || std::any_of(parts.begin(), parts.end(), sampled);
}

/// Returns the smallest distance of two bodies that are not both massless [length]. O(N^2).
double smallest_distance(HostBodies const& bodies) {
  double squared = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (bodies.mass[i] == 0.0 && bodies.mass[j] == 0.0) continue;
      auto const d = bodies.position[i] - bodies.position[j];
      squared = std::min(squared, dot(d, d));
    }
  }
  return std::sqrt(squared);
}

/// Notes a softening length within which given bodies are, or orbits about a dominant body have
/// their pericentres: it changes their motion. Sampled bodies stand for many.
void note_softened(Configuration const& run, HostBodies const& bodies,
                   diagnostics::SystemScales const& scales, std::vector<std::string>& remarks) {
  constexpr std::size_t few = 64;
  double const softening = forces::largest_softening_length(run.gravity.law);
  if (!(softening > 0.0) || are_sampled(run, 1)) return;
  auto const text = [&](double length) {
    return run.units.with_short_unit(formatted("%.3g", length), dimension::length);
  };
  auto const note = [&](double length, std::string const& what) {
    if (!(length < softening)) return false;
    remarks.push_back("note: the softening length, " + text(softening) + ", is larger than the " +
                      what + ", " + text(length) + ": orbits there are not those of gravity");
    return true;
  };
  bool const noted =
      scales.shortest_passage && note(scales.shortest_passage->pericentre, "smallest pericentre");
  bool const is_given = run.bodies.parts.empty() && bodies.size() <= few;
  if (!noted && is_given) note(smallest_distance(bodies), "smallest distance");
}

std::string time_text(Configuration const& run, double time) {
  return run.units.with_short_unit(formatted("%.3g", time), dimension::time);
}

void note_steps(Configuration const& run, diagnostics::SystemScales const& scales,
                std::string const& owner, std::vector<std::string>& remarks) {
  if (run.integrator.has_variable_steps()) return;
  double const step =
      std::abs(run.integrator.time_step) / integrators::substeps_of(run.integrator.values);
  auto const note = [&](double time, std::string const& what, double steps) {
    if (!(step > time / steps)) return false;
    remarks.push_back("note: a step of " + time_text(run, step) + " is " +
                      formatted("%.2g", step / time) + " of the " + what + owner + ", " +
                      time_text(run, time));
    return true;
  };
  // With fewer steps no scheme resolves the motion.
  if (scales.crossing_time) note(*scales.crossing_time, "crossing time", 20.0);
  constexpr double steps_per_orbit = 8.0, steps_per_passage = 12.0;
  bool const noted = scales.shortest_period &&
                     note(*scales.shortest_period, "shortest orbit's period", steps_per_orbit);
  // A pericentre within the softening length is passed more slowly.
  auto const& passage = scales.shortest_passage;
  if (noted || !passage || passage->pericentre < forces::largest_softening_length(run.gravity.law))
    return;
  note(passage->time,
       "shortest pericentre passage (2 pi sqrt(q^3 / (G M (1 + e))), q = " +
           run.units.with_short_unit(formatted("%.3g", passage->pericentre), dimension::length) +
           ")",
       steps_per_passage);
}

void note_immediate_end(Configuration const& run, HostBodies const& bodies,
                        std::vector<std::string>& remarks) {
  constexpr std::size_t most_bodies = 4096;  // O(N^2)
  if (run.stop.encounter_distance && bodies.size() <= most_bodies) {
    double const closest = smallest_distance(bodies);
    if (closest < *run.stop.encounter_distance) {
      remarks.push_back("note: run.encounter_distance is " +
                        shortest(*run.stop.encounter_distance) + " and two bodies begin " +
                        formatted("%.3g", closest) + " apart: the run ends at once");
    }
  }
  if (!run.stop.escape_radius) return;
  auto const centre = centre_of_mass(bodies);
  double far = 0.0;
  for (auto const& x : bodies.position) far = std::max(far, norm(x - centre.position));
  if (!(far > *run.stop.escape_radius)) return;
  remarks.push_back("note: run.escape_radius is " + shortest(*run.stop.escape_radius) +
                    " and a body begins " + formatted("%.3g", far) +
                    " from the centre of mass: the run ends at once");
}

/// Returns the velocity that was subtracted from all bodies of a composite, from the first part:
/// no orbit moves it, and the bodies of generators have no velocity of their own on average.
Vec3<double> removed_velocity(Configuration const& run, HostBodies const& bodies) {
  auto const& part = run.bodies.parts.front();
  auto const& values = run.bodies.values.records("parts").front();
  HostBodies own;
  if (part.file) own = part.file->bodies;
  if (part.model == &initial_conditions::listed()) {
    own = part.model->make(part.values, run.gravity.law.G);
  }
  if (initial_conditions::is_centred(part.values)) own = {};
  initial_conditions::Rotation const rotation(values.number("node"), values.number("inclination"),
                                              values.number("argument"));
  return values.vector3("velocity") + rotation(centre_of_mass(own).velocity) -
         centre_of_mass(slice(bodies, 0, part.count())).velocity;
}

/// Notes that a composite was brought to rest, unless only the orbits of its parts gave it a
/// velocity.
void note_removed_velocity(Configuration const& run, HostBodies const& bodies,
                           std::vector<std::string>& remarks) {
  if (run.bodies.parts.empty() || run.bodies.henon_units) return;
  auto const& records = run.bodies.values.records("parts");
  bool is_given = false;
  for (std::size_t k = 0; k < records.size(); ++k) {
    auto const& part = run.bodies.parts[k];
    is_given = is_given || norm(records[k].vector3("velocity")) > 0.0 || part.file ||
               part.model == &initial_conditions::listed();
  }
  if (!is_given) return;
  auto const v = removed_velocity(run, bodies);
  constexpr double rounding = 1e-9;
  double fastest = 0.0;
  for (auto const& velocity : bodies.velocity) fastest = std::max(fastest, norm(velocity + v));
  if (!(norm(v) > rounding * fastest)) return;
  auto const shown = [&](double component) {
    return std::abs(component) > rounding * norm(v) ? component : 0.0;
  };
  auto const text = formatted("[%.4g, %.4g, %.4g]", shown(v.x), shown(v.y), shown(v.z));
  remarks.push_back("note: the composite is at rest: the velocity " +
                    run.units.with_short_unit(text, dimension::velocity) +
                    " of its centre of mass was subtracted from all bodies, and no position; with "
                    "a field in `forces` it is kept");
}

void note_pericentres(Configuration const& run, Scales const& scales,
                      std::vector<std::string>& remarks) {
  if (scales.parts.empty() || run.bodies.henon_units)
    return;  // Henon units change lengths and masses
  auto const& records = run.bodies.values.records("parts");
  for (std::size_t k = 1; k < scales.parts.size(); ++k) {
    if (!records[k].has("orbit")) continue;
    auto const& orbit = records[k].object("orbit");
    double const time = initial_conditions::time_to_pericentre(
        orbit.number("pericentre"), orbit.number("eccentricity"), orbit.number("separation"),
        run.gravity.law.G * (scales.parts[0].mass + scales.parts[k].mass));
    if (!std::isfinite(time)) continue;
    remarks.push_back("note: part " + std::to_string(k) + " is at its pericentre at t = " +
                      time_text(run, time) + ", if both were points");
  }
}

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

std::vector<std::string> remarks(Configuration const& run) {
  std::vector<std::string> notes;
  note_files(run, notes);
  note_deck(run, run.bodies, "bodies", notes);
  note_softening(run, notes);
  return notes;
}

bool is_unsoftened(Configuration const& run) {
  // For planets and other given bodies this may be intended.
  return forces::largest_softening_length(run.gravity.law) == 0.0 &&
         !run.integrator.has_variable_steps() && are_sampled(run, 16);
}

std::vector<std::string> remarks(Configuration const& run, HostBodies const& bodies,
                                 Scales const& scales) {
  std::vector<std::string> notes;
  note_steps(run, scales.whole, "", notes);
  for (std::size_t k = 0; k < scales.parts.size(); ++k) {
    note_steps(run, scales.parts[k], " of part " + std::to_string(k), notes);
  }
  note_softened(run, bodies, scales.whole, notes);
  remark_on_state(run, bodies, scales, notes);
  note_immediate_end(run, bodies, notes);
  note_removed_velocity(run, bodies, notes);
  note_pericentres(run, scales, notes);
  return notes;
}

std::optional<std::string> remark_on_drift(Configuration const& run, HostBodies const& bodies) {
  auto const& values = run.bodies.values;
  bool const can_be_centred = values.has("centre") && !initial_conditions::is_centred(values);
  if (!can_be_centred) return std::nullopt;
  auto const centre = centre_of_mass(bodies);
  double size = 0.0;
  for (auto const& x : bodies.position) size = std::max(size, norm(x - centre.position));
  double const drift = norm(centre.velocity) * std::abs(run.time(run.steps) - run.start_time);
  if (!(size > 0.0 && drift > 0.01 * size)) return std::nullopt;
  return "the centre of mass moves " +
         run.units.with_short_unit(formatted("%.3g", drift), dimension::length) +
         " in the run; bodies.centre = true puts it at rest";
}

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
