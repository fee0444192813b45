// SPDX-License-Identifier: Apache-2.0
#include "diagnostics/binaries.hpp"
#include "support/relative.hpp"
#include "support/sample_bodies.hpp"
#include "support/suites.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

using namespace apsis;
using namespace apsis::testing;
using diagnostics::bound_orbits;

namespace {

/// Appends a binary at apocentre: semi-major axis a, eccentricity e, in the plane z = const.
void add_binary(HostBodies& bodies, double m1, double m2, double a, double e,
                Vec3<double> const& position, Vec3<double> const& velocity) {
  double const m = m1 + m2, r = a * (1.0 + e), v = std::sqrt(m / a * (1.0 - e) / (1.0 + e));
  Vec3<double> const dr{r, 0.0, 0.0}, dv{0.0, v, 0.0};
  bodies.mass.insert(bodies.mass.end(), {m1, m2});
  bodies.position.insert(bodies.position.end(),
                         {position - (m2 / m) * dr, position + (m1 / m) * dr});
  bodies.velocity.insert(bodies.velocity.end(),
                         {velocity - (m2 / m) * dv, velocity + (m1 / m) * dv});
  bodies.id.insert(bodies.id.end(), {bodies.id.size(), bodies.id.size() + 1});
}

void add_body(HostBodies& bodies, double m, Vec3<double> const& position,
              Vec3<double> const& velocity) {
  bodies.mass.push_back(m);
  bodies.position.push_back(position);
  bodies.velocity.push_back(velocity);
  bodies.id.push_back(bodies.id.size());
}

using Members = std::vector<std::size_t>;

}  // namespace

TEST_CASE("a binary has the elements and the energy of its orbit") {
  ExecutionSpace const space;
  HostBodies bodies;
  add_binary(bodies, 2.0, 1.0, 0.5, 0.3, {5.0, 6.0, 7.0}, {1.0, 0.0, 0.0});
  auto const orbits = bound_orbits(space, bodies, 1.0);
  REQUIRE(orbits.size() == 1);
  CHECK(orbits[0].members == Members{0, 1});
  CHECK(orbits[0].semi_major_axis == approximately(0.5, 1e-14));
  CHECK(orbits[0].eccentricity == approximately(0.3, 1e-14));
  CHECK(orbits[0].energy == approximately(-2.0 / (2.0 * 0.5), 1e-14));  // -G m1 m2 / (2 a)
  CHECK(orbits[0].period == approximately(2.0 * std::acos(-1.0) * std::sqrt(0.125 / 3.0), 1e-14));
  CHECK(std::isnan(orbits[0].hardness));  // there are no others
  CHECK_FALSE(orbits[0].is_hard());
  // Twice as much G at the same velocities: a smaller orbit from the same apocentre.
  CHECK(bound_orbits(space, bodies, 2.0)[0].semi_major_axis < 0.5);
  CHECK(bound_orbits(space, bodies, 0.1).empty());
}

TEST_CASE("hardness is the binding energy in mean kinetic energies of the others") {
  ExecutionSpace const space;
  HostBodies bodies;
  add_body(bodies, 1.0, {100.0, 0.0, 0.0}, {2.0, 0.0, 0.0});
  add_binary(bodies, 1.0, 1.0, 0.1, 0.5, {0.0, 0.0, 0.0}, {0.0, 0.0, 0.0});
  add_body(bodies, 1.0, {-100.0, 0.0, 0.0}, {-2.0, 0.0, 0.0});
  add_body(bodies, 0.0, {0.01, 0.0, 0.0}, {9.0, 0.0, 0.0});  // between them, without mass
  auto orbits = bound_orbits(space, bodies, 1.0);
  REQUIRE(orbits.size() == 1);
  CHECK(orbits[0].members == Members{1, 2});
  CHECK(orbits[0].hardness == approximately((1.0 / 0.2) / 2.0, 1e-13));
  CHECK(orbits[0].is_hard());
  // All velocities may have a constant added; faster others make the binary soft.
  for (auto& v : bodies.velocity) v += {3.0, -1.0, 0.5};
  CHECK(bound_orbits(space, bodies, 1.0)[0].hardness == approximately(2.5, 1e-13));
  bodies.velocity[0] = {7.0, -1.0, 0.5};
  bodies.velocity[3] = {-1.0, -1.0, 0.5};
  orbits = bound_orbits(space, bodies, 1.0);
  CHECK(orbits[0].hardness == approximately(5.0 / 8.0, 1e-13));
  CHECK_FALSE(orbits[0].is_hard());
}

TEST_CASE("hierarchical triples and quadruples are found by the centres of mass of binaries") {
  ExecutionSpace const space;
  HostBodies bodies;
  // A triple: a body on a circle of radius 2 about a binary.
  add_body(bodies, 1.0, {2.0, 0.0, 0.0}, {0.0, std::sqrt(3.0 / 2.0), 0.0});
  add_binary(bodies, 1.0, 1.0, 0.1, 0.0, {0.0, 0.0, 0.0}, {0.0, 0.0, 0.0});
  // Two binaries on a circle of radius 4 about each other.
  double const v = std::sqrt(4.0 / 4.0);
  add_binary(bodies, 1.0, 1.0, 0.2, 0.0, {1000.0, 0.0, 0.0}, {0.0, 0.0, 0.0});
  add_binary(bodies, 1.0, 1.0, 0.3, 0.0, {1004.0, 0.0, 0.0}, {0.0, v, 0.0});
  auto const orbits = bound_orbits(space, bodies, 1.0);
  REQUIRE(orbits.size() == 5);
  CHECK(orbits[0].members == Members{1, 2});
  CHECK(orbits[1].members == Members{3, 4});
  CHECK(orbits[2].members == Members{5, 6});
  CHECK(orbits[3].members == Members{1, 2, 0});  // the binary first
  CHECK(orbits[3].semi_major_axis == approximately(2.0, 1e-13));
  CHECK(orbits[3].eccentricity < 1e-7);
  CHECK(orbits[3].energy == approximately(-2.0 / 4.0, 1e-13));
  CHECK(orbits[4].members == Members{3, 4, 5, 6});
  CHECK(orbits[4].semi_major_axis == approximately(4.0, 1e-13));

  // A third body that comes inside the binary is no hierarchical triple: from apocentre 2 it falls.
  bodies.velocity[0] = {0.0, 0.05, 0.0};
  CHECK(bound_orbits(space, bodies, 1.0).size() == 4);
  // Nor is one that escapes.
  bodies.velocity[0] = {0.0, 2.0, 0.0};
  CHECK(bound_orbits(space, bodies, 1.0).size() == 4);
}

TEST_CASE("only bodies that are each other's nearest are binaries, and only bound ones") {
  ExecutionSpace const space;
  HostBodies line(3);  // the middle body is nearest to both others, and closer to the last
  line.mass = {1.0, 1.0, 1.0};
  line.position = {{0.0, 0.0, 0.0}, {1.1, 0.0, 0.0}, {2.0, 0.0, 0.0}};
  auto const orbits = bound_orbits(space, line, 1.0);
  REQUIRE(orbits.size() >= 1);
  CHECK(orbits[0].members == Members{1, 2});
  CHECK(bound_orbits(space, HostBodies(0), 1.0).empty());
  CHECK(bound_orbits(space, HostBodies(5), 1.0).empty());  // massless, in one place
  HostBodies coincident(2);
  coincident.mass = {1.0, 1.0};
  CHECK(bound_orbits(space, coincident, 1.0).empty());  // no orbit at distance 0
  CHECK(bound_orbits(space, kepler_orbit(0.5), 1.0).size() == 1);
}

TEST_CASE("binaries among many bodies are those that were added" * testing::thread_counts) {
  ExecutionSpace const space;
  auto bodies = sample_bodies(6000);  // velocities of 1, potential energies of pairs below 1e-3
  std::vector<Members> added;
  for (std::size_t k = 0; k < 40; ++k) {
    auto const& far = bodies.position[k];
    add_binary(bodies, 1e-4, 1e-4, 1e-6, 0.02 * static_cast<double>(k),
               1.1 * far + Vec3<double>{1e-3, 0.0, 0.0}, bodies.velocity[k]);
    added.push_back({bodies.size() - 2, bodies.size() - 1});
  }
  std::vector<Members> hard;
  for (auto const& orbit : bound_orbits(space, bodies, 1.0)) {
    if (orbit.is_hard() && orbit.members.size() == 2) hard.push_back(orbit.members);
  }
  CHECK(hard == added);
}
