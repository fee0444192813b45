// SPDX-License-Identifier: Apache-2.0
#include "diagnostics/finite_watch.hpp"
#include "support/measured.hpp"
#include "support/reference_force.hpp"
#include "support/sample_bodies.hpp"
#include "support/suites.hpp"
#include <apsis/bodies/transfer.hpp>
#include <apsis/diagnostics/conservation.hpp>
#include <apsis/forces/direct.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <sstream>

using namespace apsis;
using namespace apsis::testing;

TEST_CASE_TEMPLATE("conserved quantities agree with plain sums in long double" *
                       testing::thread_counts,
                   Real, float, double) {
  for (std::size_t const count : {1, 2, 500}) {
    CAPTURE(count);
    auto const host =
        sizeof(Real) == 4 ? rounded_to_single(sample_bodies(count)) : sample_bodies(count);
    double const softening = static_cast<Real>(0.03);
    ReferenceForce const reference(host, static_cast<Real>(1.3), softening);
    long double kinetic = 0, potential = 0, mass = 0, internal = 0;
    Vec3<long double> p, l, x;
    for (std::size_t i = 0; i < count; ++i) {
      long double const m = host.mass[i];
      auto const wide = [](Vec3<double> const& v) { return Vec3<long double>{v.x, v.y, v.z}; };
      auto const r = wide(host.position[i]), v = wide(host.velocity[i]);
      kinetic += m * dot(v, v) / 2;
      potential += m * reference.potential[i] / 2;
      mass += m;
      p += m * v;
      l += m * cross(r, v);
      x += m * r;
    }
    auto const V = (1 / mass) * p;
    for (std::size_t i = 0; i < count; ++i) {
      auto const& v = host.velocity[i];
      auto const relative = Vec3<long double>{v.x, v.y, v.z} - V;
      internal += host.mass[i] * dot(relative, relative) / 2;
    }
    auto const result = measured<Real>(host, {1.3, 0.03});
    auto const close = [](double a, long double b) { return std::abs(double(a - b)) < 2e-15; };
    CHECK(close(result.kinetic, kinetic));
    CHECK(close(result.potential, potential));
    CHECK(close(result.internal_kinetic, internal));
    CHECK(close(result.internal_energy(), internal + potential));
    CHECK(close(result.mass, mass));
    CHECK(close(result.momentum.x, p.x));
    CHECK(close(result.momentum.y, p.y));
    CHECK(close(result.momentum.z, p.z));
    CHECK(close(result.angular_momentum.x, l.x));
    CHECK(close(result.angular_momentum.y, l.y));
    CHECK(close(result.angular_momentum.z, l.z));
    CHECK(close(result.center_of_mass.x, x.x / mass));
    CHECK(close(result.center_of_mass.y, x.y / mass));
    CHECK(close(result.center_of_mass.z, x.z / mass));
    CHECK(close(result.total(), kinetic + potential));
    if (count > 1) {
      CHECK(std::abs(result.virial_ratio() / double(internal / -potential) - 1.0) < 1e-12);
    }
  }
}

TEST_CASE("zero bodies and massless bodies have finite quantities") {
  auto const empty = measured<double>(HostBodies(0), {1.0, 0.0});
  CHECK(empty.total() == 0.0);
  CHECK(empty.virial_ratio() == 0.0);
  auto massless = sample_bodies(3);
  massless.mass = {0.0, 0.0, 0.0};
  auto const result = measured<double>(massless, {1.0, 0.0});
  CHECK(result.total() == 0.0);
  CHECK(norm(result.center_of_mass) == 0.0);
}

TEST_CASE_TEMPLATE("FiniteWatch reports the first body of the first bad step" *
                       testing::thread_counts,
                   Real, float, double) {
  ExecutionSpace const space;
  auto const bodies = to_device<Real>(space, sample_bodies(300));
  diagnostics::FiniteWatch watch(space, std::numeric_limits<Real>::max());
  watch.check(space, bodies, 3);
  CHECK_FALSE(watch.finding(space).has_value());
  auto const spoil = [&](std::size_t i, int axis, Real value, bool velocity) {
    auto const view = velocity ? bodies.velocity : bodies.position;
    Kokkos::deep_copy(Kokkos::subview(view, i, axis), value);
  };
  spoil(200, 2, std::numeric_limits<Real>::quiet_NaN(), true);
  spoil(123, 1, std::numeric_limits<Real>::infinity(), false);
  watch.check(space, bodies, 4);
  spoil(5, 0, -std::numeric_limits<Real>::infinity(), false);
  watch.check(space, bodies, 5);
  auto const finding = watch.finding(space);
  REQUIRE(finding.has_value());
  CHECK(finding->step == 4);
  CHECK(finding->index == 123);

  // A bad position is reported before the bad velocities that it causes.
  auto const others = to_device<Real>(space, sample_bodies(300));
  Kokkos::deep_copy(others.velocity, std::numeric_limits<Real>::quiet_NaN());
  Kokkos::deep_copy(Kokkos::subview(others.position, 77, 0), std::numeric_limits<Real>::infinity());
  diagnostics::FiniteWatch second(space, std::numeric_limits<Real>::max());
  second.check(space, others, 9);
  REQUIRE(second.finding(space).has_value());
  CHECK(second.finding(space)->index == 77);
}

TEST_CASE("FiniteWatch reports a distance whose square overflows in the precision of the run") {
  ExecutionSpace const space;
  auto const bodies = to_device<double>(space, sample_bodies(300));
  Kokkos::deep_copy(Kokkos::subview(bodies.position, 44, 1), 2e19);
  diagnostics::FiniteWatch wide(space), narrow(space, std::numeric_limits<float>::max());
  wide.check(space, bodies, 6);
  narrow.check(space, bodies, 6);
  CHECK_FALSE(wide.finding(space).has_value());
  REQUIRE(narrow.finding(space).has_value());
  CHECK(narrow.finding(space)->index == 44);
}

TEST_CASE("Conservation records the largest errors relative to the first measurement") {
  diagnostics::Measurement first;
  first.kinetic = first.internal_kinetic = 1.0;
  first.potential = -3.0;
  first.momentum = {1.0, 0.0, 0.0};
  diagnostics::Conservation conservation;
  conservation.add(first);
  CHECK(conservation.relative_energy_error == 0.0);
  auto worse = first;
  worse.internal_kinetic = 1.5;
  worse.kinetic = 7.0;  // in the frame of the coordinates: it has no effect
  worse.momentum = {1.0, 3.0, 4.0};
  conservation.add(worse);
  conservation.add(first);
  CHECK(conservation.relative_energy_error == 0.0);
  CHECK(conservation.max_relative_energy_error == 0.25);
  CHECK(conservation.max_momentum_error == 5.0);
  CHECK(conservation.initial_energy() == -2.0);
  CHECK(conservation.final_energy() == -2.0);
  CHECK(std::isnan(diagnostics::Conservation().initial_energy()));
  auto broken = first;
  broken.internal_kinetic = std::numeric_limits<double>::quiet_NaN();
  conservation.add(broken);
  conservation.add(first);
  CHECK(std::isnan(conservation.max_relative_energy_error));
}

TEST_CASE("the energy scale is constant; it is the larger energy if the first energies cancel") {
  using diagnostics::EnergyMeasure;
  struct Known {
    double kinetic, potential;
    EnergyMeasure measure;
    double scale;
  };
  Known const cases[]{
      {1.0, -2.0, EnergyMeasure::energy, 1.0},     {0.0, -3.0, EnergyMeasure::energy, 3.0},
      {2.0, 0.0, EnergyMeasure::energy, 2.0},      {2.0, -2.0, EnergyMeasure::potential, 2.0},
      {1.99, -2.0, EnergyMeasure::potential, 2.0}, {2.0, -1.9, EnergyMeasure::kinetic, 2.0},
      {1.75, -2.0, EnergyMeasure::energy, 0.25},   {0.0, 0.0, EnergyMeasure::none, 0.0},
  };
  for (auto const& known : cases) {
    CAPTURE(known.kinetic);
    CAPTURE(known.potential);
    diagnostics::Measurement first;
    first.internal_kinetic = known.kinetic;
    first.potential = known.potential;
    auto later = first;
    later.internal_kinetic += 0.5;
    diagnostics::Conservation conservation;
    conservation.add(first);
    conservation.add(later);
    CHECK(conservation.energy_scale.measure == known.measure);
    CHECK(conservation.energy_scale.value == known.scale);
    double const expected = 0.5 / (known.scale > 0.0 ? known.scale : 1.0);
    CHECK(std::abs(conservation.relative_energy_error / expected - 1.0) < 1e-14);
  }
}

TEST_CASE_TEMPLATE("bulk motion does not change the internal energy", Real, float, double) {
  // Velocities that both precisions represent exactly, with and without the bulk motion.
  auto host = sample_bodies(1000);
  for (auto& v : host.velocity) {
    for (auto* const c : {&v.x, &v.y, &v.z}) *c = std::round(*c * 64.0) / 64.0;
  }
  auto const rest = measured<Real>(host, {1.0, 0.01});
  for (double const speed : {1.0, 1024.0, 131072.0}) {
    CAPTURE(speed);
    auto moving = host;
    for (auto& v : moving.velocity) v += Vec3<double>{speed, -speed, 0.0};
    auto const result = measured<Real>(moving, {1.0, 0.01});
    CHECK(result.kinetic > 0.9 * speed * speed * result.mass);
    CHECK(std::abs(result.internal_kinetic / rest.internal_kinetic - 1.0) < 1e-14);
    CHECK(std::abs(result.virial_ratio() / rest.virial_ratio() - 1.0) < 1e-14);
  }
}

TEST_CASE("one body and bodies with equal velocities have no internal kinetic energy") {
  for (std::size_t const count : {1, 3, 300}) {
    CAPTURE(count);
    auto host = sample_bodies(count);
    host.velocity.assign(count, {0.1, 1.0 / 3.0, 12345.6});
    CHECK(measured<double>(host, {0.0, 0.0}).internal_kinetic == 0.0);
  }
}

TEST_CASE("a massless body at an infinite potential changes no sum and is not reported" *
          testing::thread_counts) {
  ExecutionSpace const space;
  auto host = sample_bodies(3);
  host.mass[1] = 0.0;
  auto const bodies = to_device<double>(space, host);
  Column<double> const potential("apsis::testing::potential", 3);
  auto const set = [&](std::size_t i, double value) {
    Kokkos::deep_copy(Kokkos::subview(potential, i), value);
  };
  double const infinite = std::numeric_limits<double>::infinity();
  set(0, -1.0);
  set(1, -infinite);
  set(2, -2.0);
  auto const result = diagnostics::measure(space, bodies, potential);
  CHECK(result.is_finite());
  CHECK(result.potential == 0.5 * (host.mass[0] * -1.0 + host.mass[2] * -2.0));
  set(2, -infinite);
  CHECK_FALSE(diagnostics::measure(space, bodies, potential).is_finite());
  CHECK(diagnostics::first_not_finite(space, bodies, potential) == 2);
}

TEST_CASE("a measurement that is not finite is detected, and its body is reported" *
          testing::thread_counts) {
  ExecutionSpace const space;
  auto host = sample_bodies(300);
  Column<double> potential("apsis::testing::potential", host.size());
  CHECK(diagnostics::measure(space, to_device<double>(space, host), potential).is_finite());
  host.position[123] = {1e200, 0.0, 0.0};
  host.velocity[123] = {0.0, 1e150, 0.0};  // the angular momentum overflows
  auto const bodies = to_device<double>(space, host);
  CHECK_FALSE(diagnostics::measure(space, bodies, potential).is_finite());
  CHECK(diagnostics::first_not_finite(space, bodies, potential) == 123);
}

TEST_CASE("a row of the log has a value for every column and is exact when read back") {
  diagnostics::Measurement m;
  m.kinetic = 4.0 / 3.0;
  m.internal_kinetic = 1.0 / 3.0;
  m.potential = -2.0 / 3.0;
  diagnostics::Conservation conservation;
  conservation.add(m);
  auto const row = diagnostics::conservation_row(7, 0.1, conservation, 2.5);
  auto const fields = [](std::string const& line) {
    std::vector<std::string> parts;
    std::istringstream stream(line);
    for (std::string part; std::getline(stream, part, ',');) parts.push_back(part);
    return parts;
  };
  auto const names = fields(header_line(diagnostics::conservation_columns()));
  auto const values = fields(row);
  REQUIRE(names.size() == 20);
  REQUIRE(values.size() == names.size());
  CHECK(values[0] == "7");
  CHECK(std::stod(values[2]) == m.kinetic);
  CHECK(std::stod(values[4]) == m.total());
  CHECK(std::stod(values[15]) == m.virial_ratio());
  CHECK(names[16] == "wall_seconds");
  CHECK(values[16] == "2.5");
  CHECK(std::stod(values[17]) == m.internal_kinetic);
  CHECK(std::stod(values[18]) == m.internal_energy());
  CHECK(std::stod(values[19]) == -m.internal_energy());
}
