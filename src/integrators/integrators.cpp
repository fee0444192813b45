// SPDX-License-Identifier: Apache-2.0
#include <apsis/integrators/composition.hpp>
#include <apsis/integrators/euler.hpp>
#include <apsis/integrators/hermite_block.hpp>
#include <apsis/integrators/leapfrog.hpp>
#include <apsis/integrators/runge_kutta.hpp>
#include <apsis/integrators/taylor.hpp>

namespace apsis::integrators {

namespace {

EulerOptions euler_options(Values const& values) {
  return {values.number("damping")};
}
HermiteOptions hermite_options(Values const& values) {
  return {static_cast<int>(values.integer("corrections"))};
}

/// From its options, read from the values, or from nothing.
template <class Method, class... Read>
std::unique_ptr<Method> made(Values const& values, Read const&... read) {
  return std::make_unique<Method>(read(values)...);
}

enum class Kept { nothing, symplectic_form, symplectic_form_and_time_reversal };

template <template <class> class Method, class... Read>
IntegratorEntry entry(std::string name, std::string doc, int order, Kept kept,
                      std::vector<Parameter> parameters, std::size_t workspace_vectors,
                      Read... read) {
  return {std::move(name),
          std::move(doc),
          order,
          std::move(parameters),
          [=](Values const& values) { return made<Method<float>>(values, read...); },
          [=](Values const& values) { return made<Method<double>>(values, read...); },
          kept != Kept::nothing,
          kept == Kept::symplectic_form_and_time_reversal,
          workspace_vectors};
}

template <class Real>
std::unique_ptr<Stepper<Real>> blocks(Values const& values, BlockSteps const& steps) {
  return std::make_unique<HermiteBlock<Real>>(hermite_options(values), steps);
}

/// One entry for each of a scheme's names.
void append(std::vector<IntegratorEntry>& table, Scheme const& scheme) {
  for (auto const& name : scheme.names) {
    table.push_back(
        {name,
         scheme.doc,
         scheme.order,
         {},
         [&scheme](Values const&) { return std::make_unique<Composition<float>>(scheme); },
         [&scheme](Values const&) { return std::make_unique<Composition<double>>(scheme); },
         true,
         true});
  }
}

std::vector<IntegratorEntry> make_table() {
  std::vector<IntegratorEntry> table{
      entry<LeapfrogKdk>("leapfrog_kdk", "leapfrog, kick-drift-kick: order 2, symplectic", 2,
                         Kept::symplectic_form_and_time_reversal, {}, 0),
  };
  for (auto const& scheme : schemes()) append(table, scheme);
  table.push_back(entry<Euler>(
      "euler", "semi-implicit Euler of the CUDA nbody sample: order 1, symplectic", 1,
      Kept::symplectic_form,
      {number("damping", "factor on the velocities after each kick; 1 conserves energy")
           .above(0.0)
           .at_most(1.0)
           .or_else(1.0)},
      0, euler_options));
  table.push_back(entry<Taylor2>(
      "taylor2", "x += v dt + a dt^2 / 2, v += a dt, of early OpenCL tutorials: order 1", 1,
      Kept::nothing, {}, 0));
  table.push_back(entry<RungeKutta4>(
      "rk4", "classical Runge-Kutta: order 4, not symplectic, energy drifts; 4 forces a step", 4,
      Kept::nothing, {}, RungeKutta4<double>::workspace_vectors));
  auto const corrections =
      integer("corrections", "times that a step is evaluated and corrected, the n of P(EC)^n")
          .at_least(1)
          .at_most(10)
          .or_else(std::int64_t{1});
  table.push_back(entry<Hermite4>(
      "hermite4", "Hermite scheme of accelerations and jerks: order 4; shared or block steps", 4,
      Kept::nothing, {corrections}, Hermite4<double>::workspace_vectors, hermite_options));
  table.back().derivatives = 1;
  table.back().criterion = "aarseth";
  table.back().make_block_single = blocks<float>;
  table.back().make_block_double = blocks<double>;
  table.push_back(entry<Hermite6>(
      "hermite6", "Hermite scheme of accelerations, jerks and snaps: order 6", 6, Kept::nothing,
      {corrections}, Hermite6<double>::workspace_vectors, hermite_options));
  table.back().derivatives = 2;
  table.back().criterion = "nitadori_makino";
  return table;
}

}  // namespace

Registry<IntegratorEntry> const& integrators() {
  static Registry<IntegratorEntry> const table("integrator", make_table());
  return table;
}

}  // namespace apsis::integrators
