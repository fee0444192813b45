// SPDX-License-Identifier: Apache-2.0
#include "support/integrators.hpp"
#include "support/sample_bodies.hpp"
#include "support/suites.hpp"
#include <apsis/bodies/transfer.hpp>
#include <apsis/core/backend.hpp>
#include <apsis/forces/direct.hpp>
#include <apsis/integrators/stepper.hpp>

#include <doctest/doctest.h>

#include <limits>

using namespace apsis;
using namespace apsis::testing;

namespace {

constexpr double everywhere = std::numeric_limits<double>::max();

Values values_of(bool compensated) {
  Values stepping;
  stepping.set("mode", std::string("fixed"));
  Values values;
  values.set("corrections", std::int64_t{2});
  values.set("damping", 1.0);
  values.set("compensated", compensated);
  values.set("stepping", std::make_shared<Values const>(stepping));
  return values;
}

HostBodies bodies_with_massless(std::size_t count, std::size_t massless) {
  auto bodies = sample_bodies(count);
  for (std::size_t k = 0; k < massless; ++k) bodies.mass[(3 * k + 1) % count] = 0.0;
  return bodies;
}

/// Bodies, solver and stepper of one run.
template <class Number>
struct FewRun {
  using Stored = typename Number::Stored;
  ExecutionSpace space;
  forces::Direct<Number> solver;
  Bodies<Stored> bodies;
  std::unique_ptr<integrators::Stepper<Stored>> stepper;

  FewRun(std::string const& name, forces::Gravity const& gravity, HostBodies const& host,
         bool compensated, std::string const& kernel = "auto")
      : solver(gravity, forces::DirectOptions{kernel}),
        bodies(to_device<Stored>(space, host)),
        stepper(integrators::make_stepper<Stored>(integrator(name), values_of(compensated))) {
    solver.exclude_massless_sources(space, bodies.mass);
    stepper->start(space, bodies, solver, time_step);
  }

  static constexpr double time_step = 0.013;  // not a power of two: products round

  void advance(int times) {
    for (int i = 0; i < times; ++i) stepper->advance(space, bodies, solver, time_step);
  }
  std::uint64_t advance_few(std::uint64_t times, double largest_square = everywhere) {
    return stepper->advance_few(space, bodies, solver, time_step, times, largest_square);
  }
};

template <class Columns>
bool same_columns(Columns const& a, Columns const& b) {
  auto const x = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), a);
  auto const y = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), b);
  for (std::size_t i = 0; i < x.extent(0); ++i) {
    for (int axis = 0; axis < 3; ++axis) {
      if (x(i, axis) != y(i, axis)) return false;
    }
  }
  return true;
}

/// The kernel that `auto` would use if it launched one.
std::string kernel_for(forces::Gravity const& gravity) {
  return forces::has_size(gravity) ? forces::compact_kernel : "register_tile";
}

template <class Number>
void check_same_bits(std::string const& name, forces::Gravity const& gravity,
                     HostBodies const& host, bool compensated) {
  FewRun<Number> kernels(name, gravity, host, compensated, kernel_for(gravity));
  FewRun<Number> few(name, gravity, host, compensated);
  kernels.advance(12);
  CHECK(few.advance_few(7) == 7);
  few.advance(1);  // both paths leave the same state behind
  CHECK(few.advance_few(4) == 4);
  CHECK(same_columns(kernels.bodies.position, few.bodies.position));
  CHECK(same_columns(kernels.bodies.velocity, few.bodies.velocity));
  CHECK(same_columns(kernels.bodies.acceleration, few.bodies.acceleration));
  CHECK(kernels.solver.interactions() == few.solver.interactions());
  CHECK(kernels.stepper->steps() == few.stepper->steps());
}

}  // namespace

TEST_CASE_TEMPLATE("few bodies on one thread have the bits of the kernels" * testing::thread_counts,
                   Number, forces::Single, forces::Double, forces::Mixed) {
  if (!bodies_on_host) return;
  using forces::SofteningKernel;
  for (std::string const name : {"leapfrog_kdk", "leapfrog_dkd", "pefrl", "blanes_casas8",
                                 "hermite4", "hermite6", "euler", "taylor2", "rk4"}) {
    for (auto const kernel : {SofteningKernel::none, SofteningKernel::plummer,
                              SofteningKernel::spline, SofteningKernel::wendland_c2}) {
      forces::Gravity const gravity{1.5, kernel == SofteningKernel::none ? 0.0 : 0.125, kernel};
      for (std::size_t const count : {1, 2, 3, 8, 9, 17, 64}) {
        for (bool const compensated : {false, true}) {
          CAPTURE(name);
          CAPTURE(count);
          CAPTURE(compensated);
          CAPTURE(static_cast<int>(kernel));
          check_same_bits<Number>(name, gravity, bodies_with_massless(count, count / 4),
                                  compensated);
        }
      }
    }
  }
}

TEST_CASE_TEMPLATE("few bodies have the bits of the kernels at any targets" *
                       testing::thread_counts,
                   Number, forces::Single, forces::Double, forces::Mixed) {
  if (!bodies_on_host) return;
  using Stored = typename Number::Stored;
  ExecutionSpace const space;
  for (double const softening : {0.0, 0.125}) {
    forces::Gravity const gravity{1.5, softening};
    for (std::size_t const count : {2, 9, 64}) {
      auto const bodies = to_device<Stored>(space, bodies_with_massless(count, count / 4));
      Kokkos::deep_copy(space, bodies.acceleration, bodies.velocity);
      forces::BodyList const odd("odd", count / 2);
      for (std::size_t k = 0; k < count / 2; ++k) odd(k) = 2 * k + 1;
      for (auto const wants :
           {forces::Wants::acceleration, forces::Wants::jerk,
            forces::Wants::acceleration | forces::Wants::jerk, forces::Wants::forces}) {
        for (auto const& rows :
             {forces::BodyRows::all(count), forces::BodyRows::listed(odd, count / 2)}) {
          forces::Field<Stored> results[2];
          double interactions[2];
          for (int few = 0; few < 2; ++few) {
            forces::Direct<Number> solver(
                gravity, forces::DirectOptions{few == 1 ? "auto" : kernel_for(gravity)});
            solver.exclude_massless_sources(space, bodies.mass);
            auto& field = results[few];
            field.wants = wants;
            for (auto* column : {&field.acceleration, &field.jerk, &field.snap}) {
              *column = VectorColumns<Stored>("result", rows.size());
            }
            solver.evaluate(Context(space), forces::field_at(bodies, rows, field));
            interactions[few] = solver.interactions();
          }
          CAPTURE(count);
          CAPTURE(softening);
          CAPTURE(static_cast<int>(wants));
          CHECK(interactions[0] == interactions[1]);
          CHECK(same_columns(results[0].acceleration, results[1].acceleration));
          CHECK(same_columns(results[0].jerk, results[1].jerk));
          CHECK(same_columns(results[0].snap, results[1].snap));
        }
      }
    }
  }
}

TEST_CASE("few bodies on one thread stop after a state that is not finite" *
          testing::thread_counts) {
  if (!bodies_on_host) return;
  HostBodies host = sample_bodies(5);
  for (auto& m : host.mass) m = 0.0;
  for (auto& v : host.velocity) v = {};
  for (auto& x : host.position) x = {};
  host.velocity[3] = {1.0, 0.0, 0.0};
  FewRun<forces::Double> run("leapfrog_kdk", {1.0, 0.25}, host, false);
  // At speed 1 the eleventh step is the first beyond 10.5 steps.
  double const farthest = 10.5 * run.time_step;
  CHECK(run.advance_few(1000, farthest * farthest) == 11);
  CHECK(run.advance_few(1000, 0.0) == 1);
  CHECK(run.advance_few(1000) == 1000);
  // Two steps in each advance: an advance is completed although its first step is beyond.
  FewRun<forces::Double> refined("leapfrog_kdk", {1.0, 0.25}, host, false);
  refined.stepper->refine();
  CHECK(refined.advance_few(1000, 100.25 * refined.time_step * refined.time_step) == 11);
  CHECK(refined.stepper->steps() == 22);
  host.velocity[3].y = std::numeric_limits<double>::quiet_NaN();
  FewRun<forces::Double> bad("leapfrog_kdk", {1.0, 0.25}, host, false);
  CHECK(bad.advance_few(1000) == 1);
}

TEST_CASE("many bodies and kernels of scalars have no path for few bodies") {
  FewRun<forces::Double> many("leapfrog_kdk", {1.0, 0.25}, sample_bodies(65), false);
  CHECK(many.advance_few(3) == 0);
  ExecutionSpace const space;
  auto const bodies = to_device<double>(space, sample_bodies(4));
  forces::Direct<forces::Double> const naive({1.0, 0.25}, forces::DirectOptions{"naive"});
  CHECK(!naive.few_body_sums(space, bodies));
}
