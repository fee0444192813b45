// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/integrators/integrator.hpp>

/// The integrators, one function each; src/integrators/integrators.cpp is their table.
namespace apsis::integrators {

std::vector<IntegratorEntry> composition_entries();
IntegratorEntry euler_entry();
IntegratorEntry taylor2_entry();
IntegratorEntry rk4_entry();
IntegratorEntry hermite4_entry();
IntegratorEntry hermite6_entry();

enum class Kept { nothing, symplectic_form, symplectic_form_and_time_reversal };

/// The entry of a method that is made from what `read` takes from the values, or from nothing.
template <template <class> class Method, class... Read>
IntegratorEntry entry(std::string name, std::string doc, int order, Kept kept,
                      std::vector<Parameter> parameters, std::size_t workspace_vectors,
                      Read... read) {
  return {std::move(name),
          std::move(doc),
          order,
          std::move(parameters),
          [=](Values const& values) { return std::make_unique<Method<float>>(read(values)...); },
          [=](Values const& values) { return std::make_unique<Method<double>>(read(values)...); },
          kept != Kept::nothing,
          kept == Kept::symplectic_form_and_time_reversal,
          workspace_vectors};
}

}  // namespace apsis::integrators
