// SPDX-License-Identifier: Apache-2.0
#include "masses.hpp"

#include <apsis/core/text.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace apsis::initial_conditions {

namespace {

/// Integral over (m / low)^-exponent dm / low from low to high; accurate near exponent 1 too.
double integral(double exponent, double low, double high) {
  double const power = 1.0 - exponent;
  double const span = std::log(high / low);
  if (std::abs(power * span) < 1e-12) return span;
  return std::expm1(power * span) / power;
}

/// Returns the upper limit for which integral() has this value.
double upper_limit(double exponent, double low, double value) {
  double const power = 1.0 - exponent;
  if (std::abs(power * value) < 1e-12) return low * std::exp(value);
  return low * std::exp(std::log1p(power * value) / power);
}

/// First body index of the random numbers for masses. Masses have separate random numbers, so that
/// positions and velocities do not depend on the mass function. No model has so many bodies.
constexpr std::uint64_t mass_stream = std::uint64_t{1} << 63;

Parameter masses_object(bool is_sphere) {
  // Keys that every mass function has besides its own.
  auto const with_common = [&](std::vector<Parameter> parameters) {
    parameters.push_back(
        boolean("scaled",
                "whether the drawn masses are rescaled to the sum `mass`, if `mass` is set")
            .with_default(true));
    if (is_sphere) {
      parameters.push_back(
          number("segregation",
                 "degree S of mass segregation without a change of the mass profile: 0 is none, 1 "
                 "orders the bodies by mass from the most bound orbit (Baumgardt, De Marchi & "
                 "Kroupa 2008, ApJ 685, 247; McLuster)")
              .at_least(0.0)
              .at_most(1.0)
              .with_default(0.0));
    }
    return parameters;
  };
  std::vector<Form> forms;
  forms.push_back({"function", "equal", "every body has the same mass", {}, true});
  forms.push_back(
      {"function", "kroupa",
       "Kroupa 2001, MNRAS 322, 231: dN/dm ~ m^-0.3 below 0.08, m^-1.3 below 0.5, m^-2.3 above",
       with_common(
           {number("minimum", "lowest mass [solar masses]").at_least(0.01).with_default(0.08),
            number("maximum", "highest mass [solar masses]").above(0.01).with_default(100.0)})});
  forms.push_back({"function", "power_law", "dN/dm ~ m^-exponent",
                   with_common({number("exponent", "Salpeter's is 2.35")
                                    .at_least(-100.0)
                                    .at_most(100.0)
                                    .with_default(2.35),
                                positive("minimum", "lowest mass [mass]").needed(),
                                positive("maximum", "highest mass [mass]").needed()})});
  return object("masses", std::move(forms), "mass function of the bodies").always_present();
}

MassFunction function_of(Values const& masses) {
  double const minimum = masses.number("minimum");
  double const maximum = masses.number("maximum");
  if (masses.text("function") == "kroupa") return MassFunction::kroupa(minimum, maximum);
  return MassFunction::power_law(masses.number("exponent"), minimum, maximum);
}

bool are_drawn(Values const& masses) {
  return masses.text("function") != "equal";
}

/// First body index of the random numbers for the order and for the ranks in the pool.
constexpr std::uint64_t order_stream = std::uint64_t{1} << 60;
constexpr std::uint64_t rank_stream = std::uint64_t{1} << 59;

/// Fewest and most orbits of the pool for each body.
constexpr double fewest_orbits = 16.0, most_orbits = 64.0;

/// Set of places 0 ... N - 1 from which places are taken by their rank among the free ones
/// (Fenwick 1994, Software: Practice and Experience 24, 327).
class FreePlaces {
 public:
  explicit FreePlaces(std::size_t count) : sums_(count + 1) {
    for (std::size_t k = 1; k <= count; ++k) sums_[k] = k & (~k + 1);
    while (2 * highest_ <= count) highest_ *= 2;
  }

  /// Returns the free place with this rank, counted from 0, and takes it. O(log N).
  std::size_t take(std::size_t rank) {
    std::size_t place = 0;
    for (std::size_t step = highest_; step > 0; step /= 2) {
      if (place + step >= sums_.size() || sums_[place + step] > rank) continue;
      place += step;
      rank -= sums_[place];
    }
    for (std::size_t k = place + 1; k < sums_.size(); k += k & (~k + 1)) --sums_[k];
    return place;
  }

 private:
  std::vector<std::size_t> sums_;
  std::size_t highest_ = 1;
};

/// Indices 0 ... N - 1 in ascending order of the keys; equal keys in the order of their indices.
std::vector<std::size_t> sorted_by(std::vector<double> const& key) {
  std::vector<std::size_t> order(key.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return key[a] < key[b]; });
  return order;
}

/// Ranks of the pool's orbits by energy, the most bound first.
std::vector<std::size_t> orbits_by_energy(std::size_t count, Values const& values, double mass,
                                          double G, DrawBody const& draw) {
  std::vector<double> radius(count), energy(count);
  for (std::size_t i = 0; i < count; ++i) {
    Vec3<double> position, velocity;
    BodyRandom random(requested_seed(values), i);
    draw(random, position, velocity);
    radius[i] = norm(position);
    energy[i] = 0.5 * dot(velocity, velocity);
  }
  // Potential of equal shells: the mass inside and half of the own shell over r, and the rest.
  auto const outwards = sorted_by(radius);
  double const shell = G * mass / static_cast<double>(count);
  double outside = 0.0;
  for (std::size_t k = count; k-- > 0;) {
    double const r = radius[outwards[k]];
    energy[outwards[k]] -= shell * ((static_cast<double>(k) + 0.5) / r + outside);
    outside += 1.0 / r;
  }
  return sorted_by(energy);
}

}  // namespace

MassFunction::MassFunction(std::vector<double> const& limits,
                           std::vector<double> const& exponents) {
  double weight = 1.0, sum = 0.0;
  for (std::size_t k = 0; k < exponents.size(); ++k) {
    double const low = limits[k], high = limits[k + 1];
    // Continuity: a segment starts with the value at the end of the segment before.
    if (k > 0) weight *= std::pow(low / limits[k - 1], -exponents[k - 1]);
    segments_.push_back({exponents[k], low, high, weight, sum});
    sum += weight * low * integral(exponents[k], low, high);
  }
  for (auto& segment : segments_) {
    segment.weight /= sum;
    segment.below /= sum;
  }
}

MassFunction MassFunction::kroupa(double minimum, double maximum) {
  constexpr double breaks[] = {0.08, 0.5};
  constexpr double slopes[] = {0.3, 1.3, 2.3};
  std::vector<double> limits{minimum}, exponents;
  for (std::size_t k = 0; k < 3; ++k) {
    double const end = k < 2 ? std::min(breaks[k], maximum) : maximum;
    if (end <= limits.back()) continue;
    exponents.push_back(slopes[k]);
    limits.push_back(end);
  }
  return {limits, exponents};
}

double MassFunction::mass(double u) const {
  auto segment = segments_.begin();
  while (segment + 1 != segments_.end() && u >= (segment + 1)->below) ++segment;
  double const value = (u - segment->below) / (segment->weight * segment->low);
  double const m = upper_limit(segment->exponent, segment->low, value);
  return std::clamp(m, segment->low, segment->high);
}

ModelEntry cluster_entry(std::string name, std::string doc, std::vector<Parameter> parameters,
                         HostBodies (*make)(Values const&, double G), bool is_sphere) {
  parameters.insert(parameters.begin(),
                    {positive("mass",
                              "total mass of the bodies [mass]; without it, masses drawn in "
                              "physical units are not rescaled")
                         .with_default_in_natural_units(1.0)
                         .needed_unless({"masses.function"}, {"kroupa", "power_law"}),
                     masses_object(is_sphere)});
  bool const has_ratio =
      std::any_of(parameters.begin(), parameters.end(),
                  [](Parameter const& parameter) { return parameter.name == "virial_ratio"; });
  if (!has_ratio) parameters.push_back(virial_ratio_key());
  return {std::move(name), std::move(doc), with_count_and_seed(std::move(parameters)),
          requested_count, make,           equilibrium_virial_ratio,
          check_masses};
}

Masses drawn_masses(Values const& values) {
  auto const count = static_cast<std::size_t>(requested_count(values));
  auto const& masses = values.object("masses");
  if (!are_drawn(masses)) {
    double const total = values.number("mass");
    return {std::vector<double>(count, total / static_cast<double>(count)), total};
  }
  auto const function = function_of(masses);
  Masses drawn{std::vector<double>(count), 0.0};
  for (std::size_t i = 0; i < count; ++i) {
    drawn.each[i] = function.mass(BodyRandom(requested_seed(values), mass_stream + i).uniform());
    drawn.total += drawn.each[i];
  }
  if (!values.has("mass") || !masses.boolean("scaled")) return drawn;
  double const total = values.number("mass");
  for (double& m : drawn.each) m *= total / drawn.total;
  drawn.total = total;
  return drawn;
}

HostBodies make_cluster(Values const& values, Masses masses, double G, DrawBody const& draw) {
  HostBodies bodies(masses.each.size());
  bodies.mass = std::move(masses.each);
  auto const& function = values.object("masses");
  double const segregation = function.has("segregation") ? function.number("segregation") : 0.0;
  if (segregation > 0.0) {
    draw_segregated(bodies, values, segregation, G, draw);
  } else {
    draw_bodies(bodies, values, draw);
  }
  bring_to_rest(bodies);
  return bodies;
}

std::vector<Problem> check_masses(Values const& values, Units const& units) {
  auto const& masses = values.object("masses");
  if (!masses.has("minimum") || !masses.has("maximum")) return {};
  std::vector<Problem> problems;
  double const minimum = masses.number("minimum");
  double const maximum = masses.number("maximum");
  if (minimum >= maximum) {
    problems.push_back({"masses.minimum", "contradicts masses.maximum",
                        shortest(minimum) + " is not below " + shortest(maximum),
                        "set minimum below maximum"});
  }
  bool const is_unscaled = !values.has("mass") || !masses.boolean("scaled");
  bool const in_solar_masses =
      !units.si || std::abs(units.si->mass / constants::solar_mass - 1.0) < 1e-3;
  if (masses.text("function") == "kroupa" && is_unscaled && !in_solar_masses) {
    problems.push_back(
        {"masses.function", "contradicts units",
         "'kroupa' draws solar masses, the unit of mass of the deck is " + units.mass,
         "set `mass` to the total mass, or units.system to 'astrophysical'"});
  }
  return problems;
}

std::vector<std::size_t> segregated_order(std::vector<double> const& mass, double segregation,
                                          std::uint64_t seed) {
  std::vector<double> lightness;
  lightness.reserve(mass.size());
  for (double const m : mass) lightness.push_back(-m);
  auto const heaviest_first = sorted_by(lightness);
  FreePlaces places(mass.size());
  std::vector<std::size_t> order(mass.size());
  for (std::size_t i = 0; i < mass.size(); ++i) {
    double const x = BodyRandom(seed, order_stream + i).uniform();
    std::size_t const free = mass.size() - i;
    auto const rank = static_cast<std::size_t>((1.0 - std::pow(x, 1.0 - segregation)) *
                                               static_cast<double>(free));
    order[places.take(std::min(rank, free - 1))] = heaviest_first[i];
  }
  return order;
}

void draw_segregated(HostBodies& bodies, Values const& values, double segregation, double G,
                     DrawBody const& draw) {
  std::size_t const count = bodies.size();
  if (count == 0) return;
  auto const seed = requested_seed(values);
  double const total = std::accumulate(bodies.mass.begin(), bodies.mass.end(), 0.0);
  double const lightest = *std::min_element(bodies.mass.begin(), bodies.mass.end());
  // Twice as many orbits as the share of the lightest body needs.
  double const needed = 2.0 * total / (lightest * static_cast<double>(count));
  auto const pool =
      count * static_cast<std::size_t>(std::clamp(needed, fewest_orbits, most_orbits));
  auto const orbits = orbits_by_energy(pool, values, total, G, draw);
  auto const order = segregated_order(bodies.mass, segregation, seed);
  double before = 0.0;
  std::size_t next = 0;  // first orbit that is free: no two bodies have the same
  for (std::size_t place = 0; place < count; ++place) {
    auto const body = order[place];
    double const share = BodyRandom(seed, rank_stream + place).uniform() * bodies.mass[body];
    auto const rank =
        static_cast<std::size_t>((before + share) / total * static_cast<double>(pool));
    auto const last = pool - (count - place);  // one orbit is left for each of the other bodies
    auto const orbit = std::min(std::max(rank, next), last);
    BodyRandom random(seed, orbits[orbit]);
    draw(random, bodies.position[body], bodies.velocity[body]);
    before += bodies.mass[body];
    next = orbit + 1;
  }
}

}  // namespace apsis::initial_conditions
