// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/core/parameter.hpp>

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace apsis::integrators {

template <class Real>
class Integrator;

/// One line of the table of integrators.
struct IntegratorEntry {
  std::string name;
  std::string doc;
  int order;  ///< of the energy error in dt
  std::vector<Parameter> parameters;
  std::function<std::unique_ptr<Integrator<float>>(Values const&)> make_single;
  std::function<std::unique_ptr<Integrator<double>>(Values const&)> make_double;
  bool symplectic;                    ///< energy errors stay bounded; L is kept to rounding
  bool time_reversible;               ///< steps of -dt lead back to the start
  std::size_t workspace_vectors = 0;  ///< memory of its own for each body, in vectors of 3 Reals
  int derivatives = 0;                ///< of the acceleration that it asks the solver for
  std::string criterion{};            ///< of its own for the time step; empty if it has none
  bool block = false;                 ///< whether bodies may have steps of their own

  template <class Real>
  std::unique_ptr<Integrator<Real>> make(Values const& values) const {
    if constexpr (sizeof(Real) == sizeof(float)) {
      return make_single(values);
    } else {
      return make_double(values);
    }
  }
};

/// Every integrator, the default first.
std::vector<IntegratorEntry> const& integrators();

/// `stepping`, the part of an integrator's parameters that says how long its steps are.
Parameter stepping_parameter(IntegratorEntry const& entry);

}  // namespace apsis::integrators
