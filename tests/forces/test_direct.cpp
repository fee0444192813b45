// SPDX-License-Identifier: Apache-2.0
#include "forces/direct/panel_loop.hpp"
#include "forces/direct/shapes.hpp"
#include "forces/direct/tile_loop.hpp"
#include "forces/gravity_law.hpp"
#include "forces/pair.hpp"
#include "support/norms.hpp"
#include "support/reference_force.hpp"
#include "support/sample_bodies.hpp"
#include "support/suites.hpp"
#include <apsis/bodies/transfer.hpp>
#include <apsis/forces/direct.hpp>

#include <doctest/doctest.h>

using namespace apsis;
using namespace apsis::testing;

namespace {

template <class Real>
using Same = forces::Arithmetic<Real, Real, Real>;

template <class Real>
constexpr double tolerance = sizeof(Real) == 4 ? 4e-7 : 1e-15;

template <class Real>
Bodies<Real> accelerated(HostBodies const& host, forces::Gravity gravity) {
  ExecutionSpace const space;
  auto bodies = to_device<Real>(space, host);
  Kokkos::deep_copy(space, bodies.acceleration, Real(-77));  // every element must be written
  forces::Direct<Same<Real>>(gravity).evaluate(space, forces::accelerations_of(bodies));
  space.fence();
  return bodies;
}

template <class Real>
HostBodies as_stored_in(HostBodies const& host) {
  return sizeof(Real) == 4 ? rounded_to_single(host) : host;
}

std::vector<double> potentials(HostBodies const& host, forces::Gravity gravity, bool single) {
  ExecutionSpace const space;
  Column<double> potential("apsis::testing::potential", host.size());
  Kokkos::deep_copy(potential, -77.0);
  if (single) {
    forces::Direct<forces::Single>(gravity).evaluate(
        space, forces::potentials_of(to_device<float>(space, host), potential));
  } else {
    forces::Direct<forces::Double>(gravity).evaluate(
        space, forces::potentials_of(to_device<double>(space, host), potential));
  }
  space.fence();
  auto const mirror = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), potential);
  return {mirror.data(), mirror.data() + host.size()};
}

}  // namespace

TEST_CASE_TEMPLATE("accelerations agree with a plain loop for any N" * testing::thread_counts, Real,
                   float, double) {
  for (std::size_t const count : {0, 1, 2, 3, 255, 256, 257, 1000, 1537}) {
    for (double const softening : {0.0, 0.05}) {
      CAPTURE(count);
      CAPTURE(softening);
      auto const host = as_stored_in<Real>(sample_bodies(count));
      ReferenceForce const reference(host, 1.7, static_cast<Real>(softening));
      auto const bodies = accelerated<Real>(host, {1.7, softening});
      CHECK(relative_difference(bodies.acceleration, reference.acceleration) < tolerance<Real>);
    }
  }
}

TEST_CASE_TEMPLATE("the error of each body is within rounding", Real, float, double) {
  auto const host = as_stored_in<Real>(sample_bodies(1000));
  ReferenceForce const reference(host, 1.0, static_cast<Real>(0.05));
  auto const bodies = accelerated<Real>(host, {1.0, 0.05});
  auto const mirror = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), bodies.acceleration);
  double worst = 0.0;
  for (std::size_t i = 0; i < host.size(); ++i) {
    Vec3<double> const a{mirror(i, 0), mirror(i, 1), mirror(i, 2)};
    auto const expected = reference.acceleration[i];
    worst = std::max(worst, apsis::norm(a - expected) / apsis::norm(expected));
  }
  CHECK(worst < (sizeof(Real) == 4 ? 5e-6 : 1e-14));
}

TEST_CASE_TEMPLATE("coincident bodies exert no force on each other, with or without softening",
                   Real, float, double) {
  auto host = sample_bodies(300);
  for (std::size_t i = 0; i < 300; i += 3) host.position[i] = host.position[299];
  host = as_stored_in<Real>(host);
  for (double const softening : {0.0, 0.1}) {
    ReferenceForce const reference(host, 1.0, static_cast<Real>(softening));
    auto const bodies = accelerated<Real>(host, {1.0, softening});
    CHECK(relative_difference(bodies.acceleration, reference.acceleration) < tolerance<Real>);
  }
}

TEST_CASE_TEMPLATE("massless bodies exert no force, however close, and feel the other bodies", Real,
                   float, double) {
  auto host = as_stored_in<Real>(sample_bodies(40));
  for (std::size_t i = 0; i < 40; i += 2) host.mass[i] = 0.0;
  host.position[2] = host.position[0];  // coincident tracers
  host.position[6] = host.position[4];
  host.position[6].x += 1e-20;
  host = as_stored_in<Real>(host);
  ReferenceForce reference(host, 1.0, 0.0);
  auto const bodies = accelerated<Real>(host, {1.0, 0.0});
  CHECK(relative_difference(bodies.acceleration, reference.acceleration) < tolerance<Real>);
  for (double const phi : potentials(host, {1.0, 0.0}, sizeof(Real) == 4))
    CHECK(std::isfinite(phi));
}

TEST_CASE("potentials agree with a plain loop and exclude the body itself" *
          testing::thread_counts) {
  for (std::size_t const count : {1, 2, 3, 255, 256, 257, 1000}) {
    for (double const softening : {0.0, 1e-6, 0.05}) {
      for (bool const single : {false, true}) {
        CAPTURE(count);
        CAPTURE(softening);
        auto const host = single ? rounded_to_single(sample_bodies(count)) : sample_bodies(count);
        double const eps = single ? double(static_cast<float>(softening)) : softening;
        ReferenceForce const reference(host, 2.0, eps);
        auto const phi = potentials(host, {2.0, softening}, single);
        double worst = 0.0;
        for (std::size_t i = 0; i < count; ++i) {
          double const size = std::max(std::abs(reference.potential[i]), 1e-300);
          worst = std::max(worst, std::abs(phi[i] - reference.potential[i]) / size);
        }
        // A single body has no potential at all, not minus one over the softening length.
        if (count == 1) CHECK(phi[0] == 0.0);
        CHECK(worst < 2e-15);
      }
    }
  }
}

TEST_CASE("the total force vanishes to rounding" * testing::thread_counts) {
  auto const host = sample_bodies(1000);
  auto const bodies = accelerated<double>(host, {1.0, 0.05});
  auto const a = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), bodies.acceleration);
  Vec3<double> total;
  double size = 0.0;
  for (std::size_t i = 0; i < host.size(); ++i) {
    Vec3<double> const force = host.mass[i] * Vec3<double>{a(i, 0), a(i, 1), a(i, 2)};
    total += force;
    size += apsis::norm(force);
  }
  CHECK(apsis::norm(total) < 1e-16 * size);
}

TEST_CASE("interactions are counted as N squared per sweep") {
  ExecutionSpace const space;
  forces::Direct<forces::Double> solver({1.0, 0.1});
  auto const bodies = to_device<double>(space, sample_bodies(300));
  solver.evaluate(space, forces::accelerations_of(bodies));
  solver.evaluate(space, forces::accelerations_of(bodies));
  CHECK(solver.interactions() == 2 * 300 * 300);
}

TEST_CASE_TEMPLATE("parts of the sources add up to the total" * expensive, Real, float, double) {
  ExecutionSpace const space;
  for (std::size_t const count : {1, 700, 1537, 3000}) {
    for (std::size_t const chunks : {1, 2, 3}) {
      CAPTURE(count);
      CAPTURE(chunks);
      auto const host = as_stored_in<Real>(sample_bodies(count));
      auto const bodies = to_device<Real>(space, host);
      VectorColumns<Real> parts("apsis::testing::parts", chunks * count);
      Kokkos::deep_copy(parts, Real(-77));
      Real const eps = Real(0.05);
      using Law =
          forces::GravityLaw<Same<Real>, forces::PlummerSoftening, forces::Wants::acceleration>;
      Law const law{
          {}, bodies.position, bodies.mass, bodies.position, parts, {}, {eps * eps}, Real(1), 0,
          {}};
      using Shape = typename forces::Shapes<ExecutionSpace, Same<Real>>::split;
      forces::TileLoop<Law, Shape>(law, count, {0, count},
                                   forces::SourceParts::make(count, chunks, Shape::tile))
          .launch(space, "apsis::testing::chunks");
      space.fence();
      auto const host_parts = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), parts);
      VectorColumns<double> total("apsis::testing::total", count);
      auto const host_total = Kokkos::create_mirror_view(total);
      for (std::size_t i = 0; i < count; ++i) {
        for (int axis = 0; axis < 3; ++axis) {
          double sum = 0.0;
          for (std::size_t c = 0; c < chunks; ++c) sum += host_parts(c * count + i, axis);
          host_total(i, axis) = sum;
        }
      }
      Kokkos::deep_copy(total, host_total);
      ReferenceForce const reference(host, 1.0, eps);
      CHECK(relative_difference(total, reference.acceleration) < tolerance<Real>);
    }
  }
}

TEST_CASE_TEMPLATE("pairs of panels add up to the total" * expensive, Number, forces::Single,
                   forces::Double, forces::Mixed) {
  {
    using Stored = typename Number::Stored;
    using Real = typename Number::Real;
    constexpr bool device = lane_exchange::width > 1;
    constexpr int lanes = device ? 1 : forces::Shapes<ExecutionSpace, Number>::pairwise_tile::lanes;
    using Shape = forces::Shape<forces::Staging::lanes, (device ? 128 : 1), lanes, 2, 128, 2>;
    using Law = forces::GravityLaw<Number, forces::PlummerSoftening,
                                   forces::Wants::acceleration_and_potential>;
    ExecutionSpace const space;
    for (std::size_t const count : {1, 700, 1537, 3000}) {
      for (std::size_t const panels : {1, 2, 3, 5}) {
        CAPTURE(count);
        CAPTURE(panels);
        auto const host = as_stored_in<Stored>(sample_bodies(count));
        auto const bodies = to_device<Stored>(space, host);
        VectorColumns<Stored> parts("apsis::testing::parts", panels * count);
        Column<double> depths("apsis::testing::depths", panels * count);
        Real const eps = Real(0.05);
        Law const law{
            {}, bodies.position, bodies.mass, bodies.position, parts, depths, {eps * eps}, 1, 0,
            {}};
        forces::PanelLoop<Law, Shape>(law, count, panels).launch(space, "apsis::testing::panels");
        space.fence();
        auto const host_parts = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), parts);
        auto const host_depths = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), depths);
        VectorColumns<double> total("apsis::testing::total", count);
        auto const host_total = Kokkos::create_mirror_view(total);
        ReferenceForce const reference(host, 1.0, eps);
        double worst = 0.0;
        for (std::size_t i = 0; i < count; ++i) {
          double depth = 0.0;
          for (std::size_t p = 0; p < panels; ++p) {
            depth += host_depths(p * count + i);
            for (int axis = 0; axis < 3; ++axis) {
              host_total(i, axis) += static_cast<double>(host_parts(p * count + i, axis));
            }
          }
          worst = std::max(worst, std::abs(depth - reference.potential[i]) /
                                      std::max(std::abs(reference.potential[i]), 1e-300));
        }
        Kokkos::deep_copy(total, host_total);
        CHECK(relative_difference(total, reference.acceleration) < tolerance<Real>);
        CHECK(worst < (sizeof(Real) == 8 ? 2e-15 : 2e-6));
      }
    }
  }
}

TEST_CASE("panels are whole blocks, and none is empty") {
  using Shape = forces::Shape<forces::Staging::lanes, 256, 1, 4, 256, 4>;
  CHECK(forces::panel_count<Shape>(1, 128) == 1);
  CHECK(forces::panel_count<Shape>(1024, 128) == 1);
  CHECK(forces::panel_count<Shape>(1025, 128) == 2);
  CHECK(forces::panel_count<Shape>(65536, 128) == 64);
  CHECK(forces::panel_count<Shape>(270336, 128) == 132);
  for (std::size_t n = 1; n < 100000000; n = n * 5 / 4 + 1) {
    std::size_t const panels = forces::panel_count<Shape>(n, 128);
    std::size_t const blocks = (n + 1023) / 1024;
    std::size_t const each = (blocks + panels - 1) / panels;
    CHECK(panels < 192);
    CHECK((panels - 1) * each < blocks);
  }
}

TEST_CASE("the sources of small runs are split, and never into more parts than tiles" *
          testing::thread_counts) {
  using Split = forces::Shape<forces::Staging::scratch, 128, 1, 2, 128, 8>;
  CHECK(forces::split_part_count<Split>(0, 0, 512) == 1);
  CHECK(forces::split_part_count<Split>(1, 1, 512) == 1);
  CHECK(forces::split_part_count<Split>(1024, 1024, 512) == 8);
  CHECK(forces::split_part_count<Split>(1 << 20, 1 << 20, 512) == 1);
  for (std::size_t n = 1; n < 2000000; n = n * 5 / 4 + 1) {
    CHECK(forces::split_part_count<Split>(n, n, 512) <= (n + 127) / 128);
  }
}

TEST_CASE("every solver has a name, a line of text and both precisions") {
  for (auto const& entry : forces::solvers()) {
    CHECK(!entry.name.empty());
    CHECK(!entry.doc.empty());
    Values values;
    values.set("kernel", std::string("auto"));
    using forces::Precision;
    CHECK(entry.make<float>({{}, Precision::single_precision, values}) != nullptr);
    CHECK(entry.make<double>({{}, Precision::double_precision, values}) != nullptr);
    CHECK(entry.make<double>({{}, Precision::mixed, values}) != nullptr);
  }
}

namespace {
/// Accelerations by a named kernel, and the potentials that come with them.
template <class Number>
struct EvaluatedKernel {
  Bodies<typename Number::Stored> bodies;
  Column<double> potential;

  EvaluatedKernel(HostBodies const& host, forces::Gravity gravity, std::string const& kernel) {
    using Stored = typename Number::Stored;
    ExecutionSpace const space;
    bodies = to_device<Stored>(space, host);
    potential = Column<double>("apsis::testing::potential", host.size());
    Kokkos::deep_copy(space, bodies.acceleration, Stored(-77));
    Kokkos::deep_copy(space, potential, -77.0);
    forces::Direct<Number>(gravity, forces::DirectOptions{kernel})
        .evaluate(space, forces::accelerations_of(bodies, &potential));
    space.fence();
  }
};

}  // namespace

TEST_CASE_TEMPLATE("every kernel of the ladder agrees with a plain loop for any N" * expensive,
                   Number, forces::Single, forces::Double, forces::Mixed) {
  bool const wide = sizeof(typename Number::Real) == 8;
  for (auto const& kernel : forces::kernels()) {
    if (!kernel.available()) continue;
    // The atomic additions have no tiles that would limit the growth of their rounding error.
    double const bound =
        tolerance<typename Number::Real> * (kernel.name == "pairwise_atomic" ? 2 : 1);
    for (std::size_t const count : {0, 1, 2, 31, 257, 1000, 1537}) {
      for (double const softening : {0.0, 0.05}) {
        CAPTURE(kernel.name);
        CAPTURE(count);
        CAPTURE(softening);
        auto const host = as_stored_in<typename Number::Stored>(sample_bodies(count));
        double const eps = wide ? softening : double(static_cast<float>(softening));
        ReferenceForce const reference(host, 1.7, eps);
        EvaluatedKernel<Number> const evaluated(host, {1.7, softening}, kernel.name);
        CHECK(relative_difference(evaluated.bodies.acceleration, reference.acceleration) < bound);
        auto const phi =
            Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), evaluated.potential);
        double worst = 0.0;
        for (std::size_t i = 0; i < count; ++i) {
          double const size = std::max(std::abs(reference.potential[i]), 1e-300);
          worst = std::max(worst, std::abs(phi(i) - reference.potential[i]) / size);
        }
        // Terms of one sign: within a tile of 512 the rounding of single adds up to its root.
        CHECK(worst < (wide ? 2e-15 : 2e-6));
      }
    }
  }
}

TEST_CASE("mixed precision holds far from the origin, where single does not") {
  auto host = sample_bodies(1000);
  for (auto& x : host.position) x += Vec3<double>{1e6, -1e6, 1e6};
  ReferenceForce const reference(host, 1.0, double(0.05f));
  EvaluatedKernel<forces::Mixed> const mixed(host, {1.0, 0.05}, "auto");
  CHECK(relative_difference(mixed.bodies.acceleration, reference.acceleration) < 4e-7);
  EvaluatedKernel<forces::Single> const single(host, {1.0, 0.05}, "auto");
  CHECK(relative_difference(single.bodies.acceleration, reference.acceleration) > 1e-3);
}
