// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/citation.hpp"
#include <apsis/integrators/integrator.hpp>
#include <apsis/integrators/stepper.hpp>

#include <memory>

/// Table entries of the integrators, one function each; src/integrators/integrators.cpp collects
/// them in a table.
namespace apsis::integrators {

std::vector<IntegratorEntry> composition_entries();
IntegratorEntry euler_entry();
IntegratorEntry taylor2_entry();
IntegratorEntry rk4_entry();
IntegratorEntry hermite4_entry();
IntegratorEntry hermite6_entry();
IntegratorEntry wisdom_holman_entry();
IntegratorEntry gauss_radau15_entry();

/// Geometric structure of the exact flow that a method preserves.
enum class Structure { none, symplectic, symplectic_and_reversible };

/// Returns the table entry of an integrator class. `read`, if present, converts the values of a
/// deck to the argument of the constructor of `Method`.
template <template <class> class Method, class... Read>
IntegratorEntry entry(std::string name, std::string doc, int order, Structure structure,
                      std::vector<Parameter> parameters, std::size_t workspace_vectors,
                      Read... read) {
  return {std::move(name),
          std::move(doc),
          order,
          std::move(parameters),
          [=](Values const& values) { return std::make_unique<Method<float>>(read(values)...); },
          [=](Values const& values) { return std::make_unique<Method<double>>(read(values)...); },
          structure != Structure::none,
          structure == Structure::symplectic_and_reversible,
          workspace_vectors};
}

/// Creates the stepper of leapfrog_kdk with individual block steps. With `compensated`, positions
/// and velocities are compensated (Kahan) sums.
template <class Real>
std::unique_ptr<Stepper<Real>> make_leapfrog_block(bool compensated, BlockSteps const& steps);

}  // namespace apsis::integrators
