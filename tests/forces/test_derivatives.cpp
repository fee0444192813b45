// SPDX-License-Identifier: Apache-2.0
#include "support/expensive.hpp"
#include "support/norms.hpp"
#include "support/reference_force.hpp"
#include "support/sample_bodies.hpp"
#include <apsis/bodies/transfer.hpp>
#include <apsis/core/lane_exchange.hpp>
#include <apsis/forces/direct.hpp>

#include <doctest/doctest.h>

#include <numeric>

using namespace apsis;
using namespace apsis::testing;

namespace {

/// Acceleration, jerk and snap of some bodies as the engine finds them.
template <class Number>
struct Found {
  using Stored = typename Number::Stored;
  forces::Field<Stored> of;
  forces::Direct<Number> solver;

  Found(HostBodies const& host, std::vector<Vec3<double>> const& accelerations,
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
    of.acceleration = VectorColumns<Stored>("apsis::testing::acceleration", targets);
    of.jerk = VectorColumns<Stored>("apsis::testing::jerk", targets);
    if (snap) of.snap = VectorColumns<Stored>("apsis::testing::snap", targets);
    // Every element must be written. (nvcc cannot loop over a list of Views.)
    Kokkos::deep_copy(of.acceleration, Stored(-77));
    Kokkos::deep_copy(of.jerk, Stored(-77));
    Kokkos::deep_copy(of.snap, Stored(-77));
    solver.evaluate(space, listed.empty() ? forces::field_of(bodies, of)
                                          : forces::field_at(bodies, list, targets, of));
    space.fence();
  }
};

std::vector<Vec3<double>> only(std::vector<Vec3<double>> const& all,
                               std::vector<std::size_t> const& listed) {
  std::vector<Vec3<double>> some;
  for (auto const i : listed) some.push_back(all[i]);
  return some;
}

/// Bodies and accelerations as the arithmetic sees them.
template <class Number>
HostBodies as_seen(HostBodies const& host) {
  return sizeof(typename Number::Stored) == 4 ? rounded_to_single(host) : host;
}

using forces::SofteningKernel;

/// How well the differences are known, or single precision computes.
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
      auto const host = as_seen<Number>(sample_bodies(count));
      double const eps = kernel == SofteningKernel::none ? 0.0 : double(0.25f);
      forces::Gravity const gravity{1.7, eps, kernel};
      ReferenceForce const force(host, 1.7, eps, kernel);
      Bounds<Number> const bounds(kernel);
      // Any accelerations will do for the snap, not only gravity's own.
      auto a = host.velocity;
      for (auto& x : a) x = Vec3<double>{x.y, 0.5 * x.z, -x.x};
      ReferenceMotion const motion(host, a, 1.7, eps, kernel);
      Found<Number> const found(host, a, gravity);
      CHECK(relative_difference(found.of.acceleration, force.acceleration) < bounds.acceleration);
      CHECK(relative_difference(found.of.jerk, motion.jerk) < bounds.jerk);
      CHECK(relative_difference(found.of.snap, motion.snap) < bounds.snap);
    }
  }
}

TEST_CASE_TEMPLATE("some bodies have the derivatives that they have among all" * expensive, Number,
                   forces::Single, forces::Double, forces::Mixed) {
  for (auto const kernel : {SofteningKernel::plummer, SofteningKernel::spline}) {
    for (std::size_t const few : {1, 3, 16, 70, 500}) {
      CAPTURE(few);
      auto const host = as_seen<Number>(sample_bodies(700));
      forces::Gravity const gravity{1.0, double(0.25f), kernel};
      std::vector<std::size_t> listed;
      for (std::size_t i = 0; i < few; ++i) listed.push_back(i * 699 / few + 1);
      ReferenceForce const force(host, 1.0, gravity.softening, kernel);
      ReferenceMotion const motion(host, force.acceleration, 1.0, gravity.softening, kernel);
      Found<Number> const found(host, force.acceleration, gravity, listed);
      Bounds<Number> const bounds(kernel);
      CHECK(relative_difference(found.of.acceleration, only(force.acceleration, listed)) <
            bounds.acceleration);
      CHECK(relative_difference(found.of.jerk, only(motion.jerk, listed)) < bounds.jerk);
      CHECK(relative_difference(found.of.snap, only(motion.snap, listed)) < bounds.snap);
      CHECK(found.solver.interactions() == few * 700);
    }
  }
}

TEST_CASE_TEMPLATE("each pair once gives what all ordered pairs give" * expensive, Number,
                   forces::Single, forces::Double, forces::Mixed) {
  // So many that all bodies are evaluated by pairs, and those of a list by the tile loop.
  std::size_t const count = lane_exchange::width > 1 ? 16500 : 4500;
  auto const host = as_seen<Number>(sample_bodies(count));
  std::vector<std::size_t> everybody(count);
  std::iota(everybody.begin(), everybody.end(), std::size_t{0});
  for (bool const snap : {false, true}) {
    for (double const softening : {0.0, 0.25}) {
      forces::Gravity const gravity{1.0, softening};
      Found<Number> const pairs(host, host.velocity, gravity, {}, snap);
      Found<Number> const tiles(host, host.velocity, gravity, everybody, snap);
      bool const wide = sizeof(typename Number::Real) == 8;
      auto const same = [&](auto const& a, auto const& b) {
        CHECK(relative_difference(a, as_vectors(b)) < (wide ? 2e-15 : 2e-6));
      };
      same(pairs.of.acceleration, tiles.of.acceleration);
      same(pairs.of.jerk, tiles.of.jerk);
      if (snap) same(pairs.of.snap, tiles.of.snap);
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
    Found<forces::Double> const found(host, host.velocity, gravity);
    CHECK(relative_difference(found.of.acceleration, force.acceleration) < 1e-15);
    CHECK(relative_difference(found.of.jerk, motion.jerk) < 1e-12);
  }
}
