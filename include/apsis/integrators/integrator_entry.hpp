// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/core/parameter.hpp>
#include <apsis/core/registry.hpp>

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace apsis::integrators {

template <class Real>
class Integrator;
template <class Real>
class Stepper;
struct BlockSteps;

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
  /// The scheme with steps of their own for the bodies; nothing if it has none.
  std::function<std::unique_ptr<Stepper<float>>(Values const&, BlockSteps const&)>
      make_block_single{};
  std::function<std::unique_ptr<Stepper<double>>(Values const&, BlockSteps const&)>
      make_block_double{};

  bool has_blocks() const { return make_block_double != nullptr; }

  /// Whether positions and velocities are compensated sums.
  static bool compensated(Values const& values) {
    return values.has("compensated") && values.boolean("compensated");
  }
  /// Memory for each body with these values, in vectors; with block steps one for levels and lists.
  std::size_t vectors(Values const& values) const {
    bool const block = values.has("stepping") && values.object("stepping").text("mode") == "block";
    return workspace_vectors + (compensated(values) ? 2 : 0) + (block ? 1 : 0);
  }

  template <class Real>
  std::unique_ptr<Integrator<Real>> make(Values const& values) const {
    if constexpr (sizeof(Real) == sizeof(float)) {
      return make_single(values);
    } else {
      return make_double(values);
    }
  }
  template <class Real>
  std::unique_ptr<Stepper<Real>> make_block(Values const& values, BlockSteps const& steps) const {
    if constexpr (sizeof(Real) == sizeof(float)) {
      return make_block_single(values, steps);
    } else {
      return make_block_double(values, steps);
    }
  }
};

/// Every integrator, the default first.
Registry<IntegratorEntry> const& integrators();

}  // namespace apsis::integrators
