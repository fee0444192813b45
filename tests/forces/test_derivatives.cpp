// SPDX-License-Identifier: Apache-2.0
#include "lanes/lane_exchange.hpp"
#include "support/norms.hpp"
#include "support/reference_force.hpp"
#include "support/sample_bodies.hpp"
#include "support/suites.hpp"
#include <apsis/bodies/transfer.hpp>
#include <apsis/forces/direct.hpp>

#include <doctest/doctest.h>

#include <numeric>

using namespace apsis;
using namespace apsis::testing;

namespace {

/// Acceleration, jerk and snap of some bodies, evaluated by the solver.
template <class Number>
struct Evaluated {
  using Stored = typename Number::Stored;
  forces::Field<Stored> field;
  forces::Direct<Number> solver;

  Evaluated(HostBodies const& host, std::vector<Vec3<double>> const& accelerations,
            forces::Gravity gravity, std::vector<std::size_t> const& listed = {}, bool snap = true)
      : solver(gravity) {
    ExecutionSpace const space;
    auto const bodies = to_device<Stored>(space, host);
    auto const a = Kokkos::create_mirror_view(bodies.acceleration);
    for (std::size_t i = 0; i < host.size(); ++i) {
      a(i, 0) = static_cast<Stored>(accelerations[i].x);
      a(i, 1) = static_cast<Stored>(accelerations[i].y);
      a(i, 2) = static_cast<Stored>(accelerations[i].z);
    }
    Kokkos::deep_copy(bodies.acceleration, a);
    forces::BodyList const list("apsis::testing::list", listed.size());
    auto const on_host = Kokkos::create_mirror_view(list);
    for (std::size_t k = 0; k < listed.size(); ++k) on_host(k) = listed[k];
    Kokkos::deep_copy(list, on_host);
    std::size_t const targets = listed.empty() ? host.size() : listed.size();
    field.acceleration = VectorColumns<Stored>("apsis::testing::acceleration", targets);
    field.jerk = VectorColumns<Stored>("apsis::testing::jerk", targets);
    field.wants = forces::Wants::acceleration | forces::Wants::jerk;
    if (snap) {
      field.snap = VectorColumns<Stored>("apsis::testing::snap", targets);
      field.wants = field.wants | forces::Wants::snap;
    }
    // Every element must be written. (nvcc cannot loop over a list of Views.)
    Kokkos::deep_copy(field.acceleration, Stored(-77));
    Kokkos::deep_copy(field.jerk, Stored(-77));
    Kokkos::deep_copy(field.snap, Stored(-77));
    solver.evaluate(space,
                    listed.empty()
                        ? forces::field_of(bodies, field)
                        : forces::field_at(bodies, forces::BodyRows::listed(list, targets), field));
    space.fence();
  }
};

std::vector<Vec3<double>> select_rows(std::vector<Vec3<double>> const& vectors,
                                      std::vector<std::size_t> const& listed) {
  std::vector<Vec3<double>> selected;
  for (auto const i : listed) selected.push_back(vectors[i]);
  return selected;
}

/// Bodies rounded to the arithmetic.
template <class Number>
HostBodies stored_as(HostBodies const& host) {
  return sizeof(typename Number::Stored) == 4 ? rounded_to_single(host) : host;
}

using forces::SofteningKernel;

/// Accuracy of the finite differences, or of single precision.
template <class Number>
struct Bounds {
  double acceleration, jerk, snap;

  explicit Bounds(SofteningKernel kernel) {
    bool const smooth = kernel == SofteningKernel::plummer || kernel == SofteningKernel::none;
    bool const wide = sizeof(typename Number::Real) == 8;
    acceleration = wide ? 1e-15 : 1e-6;
    jerk = wide ? (smooth ? 1e-12 : 1e-11) : 3e-6;
    snap = wide ? (smooth ? 1e-10 : 1e-8) : 5e-6;
  }
};

}  // namespace

TEST_CASE_TEMPLATE("acceleration, jerk and snap agree with differences of a plain loop" * expensive,
                   Number, forces::Single, forces::Double, forces::Mixed) {
  for (auto const kernel : {SofteningKernel::plummer, SofteningKernel::spline,
                            SofteningKernel::wendland_c2, SofteningKernel::none}) {
    for (std::size_t const count : {1, 2, 31, 257, 700}) {
      CAPTURE(static_cast<int>(kernel));
      CAPTURE(count);
      auto const host = stored_as<Number>(sample_bodies(count));
      double const eps = kernel == SofteningKernel::none ? 0.0 : double(0.25f);
      forces::Gravity const gravity{1.7, eps, kernel};
      ReferenceForce const force(host, 1.7, eps, kernel);
      Bounds<Number> const bounds(kernel);
      // The snap must hold for any accelerations, not only those of gravity.
      auto a = host.velocity;
      for (auto& x : a) x = Vec3<double>{x.y, 0.5 * x.z, -x.x};
      ReferenceMotion const motion(host, a, 1.7, eps, kernel);
      Evaluated<Number> const evaluated(host, a, gravity);
      CHECK(relative_difference(evaluated.field.acceleration, force.acceleration) <
            bounds.acceleration);
      CHECK(relative_difference(evaluated.field.jerk, motion.jerk) < bounds.jerk);
      CHECK(relative_difference(evaluated.field.snap, motion.snap) < bounds.snap);
    }
  }
}

TEST_CASE_TEMPLATE("some bodies have the derivatives that they have among all" * expensive, Number,
                   forces::Single, forces::Double, forces::Mixed) {
  for (auto const kernel : {SofteningKernel::plummer, SofteningKernel::spline}) {
    for (std::size_t const few : {1, 3, 16, 70, 500}) {
      CAPTURE(few);
      auto const host = stored_as<Number>(sample_bodies(700));
      forces::Gravity const gravity{1.0, double(0.25f), kernel};
      std::vector<std::size_t> listed;
      for (std::size_t i = 0; i < few; ++i) listed.push_back(i * 699 / few + 1);
      ReferenceForce const force(host, 1.0, gravity.softening, kernel);
      ReferenceMotion const motion(host, force.acceleration, 1.0, gravity.softening, kernel);
      Evaluated<Number> const evaluated(host, force.acceleration, gravity, listed);
      Bounds<Number> const bounds(kernel);
      CHECK(relative_difference(evaluated.field.acceleration,
                                select_rows(force.acceleration, listed)) < bounds.acceleration);
      CHECK(relative_difference(evaluated.field.jerk, select_rows(motion.jerk, listed)) <
            bounds.jerk);
      CHECK(relative_difference(evaluated.field.snap, select_rows(motion.snap, listed)) <
            bounds.snap);
      CHECK(evaluated.solver.interactions() == few * 700);
    }
  }
}

TEST_CASE_TEMPLATE("each pair once gives what all ordered pairs give" * expensive, Number,
                   forces::Single, forces::Double, forces::Mixed) {
  // Enough bodies that all of them are evaluated by pairs; those of a list use the tile loop.
  std::size_t const count = lane_exchange::width > 1 ? 16500 : 4500;
  auto const host = stored_as<Number>(sample_bodies(count));
  std::vector<std::size_t> all_rows(count);
  std::iota(all_rows.begin(), all_rows.end(), std::size_t{0});
  for (bool const snap : {false, true}) {
    for (double const softening : {0.0, 0.25}) {
      forces::Gravity const gravity{1.0, softening};
      Evaluated<Number> const pairs(host, host.velocity, gravity, {}, snap);
      Evaluated<Number> const tiles(host, host.velocity, gravity, all_rows, snap);
      bool const wide = sizeof(typename Number::Real) == 8;
      auto const same = [&](auto const& a, auto const& b) {
        CHECK(relative_difference(a, as_vectors(b)) < (wide ? 2e-15 : 2e-6));
      };
      same(pairs.field.acceleration, tiles.field.acceleration);
      same(pairs.field.jerk, tiles.field.jerk);
      if (snap) same(pairs.field.snap, tiles.field.snap);
    }
  }
}

TEST_CASE("massless bodies have derivatives and cause none") {
  auto host = sample_bodies(40);
  for (std::size_t i = 0; i < 40; i += 2) host.mass[i] = 0.0;
  host.position[2] = host.position[0];
  for (double const softening : {0.0, 0.1}) {
    forces::Gravity const gravity{1.0, softening};
    ReferenceForce const force(host, 1.0, softening);
    ReferenceMotion const motion(host, host.velocity, 1.0, softening, SofteningKernel::plummer);
    Evaluated<forces::Double> const evaluated(host, host.velocity, gravity);
    CHECK(relative_difference(evaluated.field.acceleration, force.acceleration) < 1e-15);
    CHECK(relative_difference(evaluated.field.jerk, motion.jerk) < 1e-12);
  }
}
