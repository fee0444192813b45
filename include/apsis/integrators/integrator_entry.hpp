// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/core/parameter.hpp>
#include <apsis/core/registry.hpp>
#include <apsis/integrators/stepping.hpp>

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace apsis::integrators {

template <class Real>
class Integrator;
template <class Real>
class Stepper;

/// Forces besides gravity that a scheme can integrate.
struct ExtraForceSupport {
  bool velocities = false;  ///< those that depend on velocities, besides those of positions
  bool time = false;        ///< those that depend on time
  /// On massless bodies too, and on any number of bodies; otherwise on few bodies with mass.
  bool massless = true;
};

/// Entry of the table of integrators.
struct IntegratorEntry {
  std::string name;
  std::string doc;
  int order;  ///< order of the energy error in dt
  std::vector<Parameter> parameters;
  std::function<std::unique_ptr<Integrator<float>>(Values const&)> make_single;
  std::function<std::unique_ptr<Integrator<double>>(Values const&)> make_double;
  bool symplectic;                    ///< energy errors are bounded; L is conserved to rounding
  bool time_reversible;               ///< steps of -dt lead back to the start
  std::size_t workspace_vectors = 0;  ///< memory of the scheme per body, in vectors of 3 Reals
  int derivatives = 0;                ///< number of derivatives of the acceleration it evaluates
  std::string criterion{};            ///< its own time step criterion; empty if it has none
  /// Creates the stepper with individual block steps; empty if the scheme has none.
  std::function<std::unique_ptr<Stepper<float>>(Values const&, BlockSteps const&)>
      make_block_single{};
  std::function<std::unique_ptr<Stepper<double>>(Values const&, BlockSteps const&)>
      make_block_double{};
  bool needs_double = false;  ///< computes in double itself: other precisions are refused
  /// Splits Newton's law into orbits about a body of dominating mass: softening and variable steps
  /// are refused.
  bool needs_dominant_body = false;
  /// Returns contradictions between the values, each with its key; empty if there are none.
  std::vector<Problem> (*check)(Values const&) = nullptr;
  /// Throws a bad-input error if the scheme cannot advance bodies of these masses; null: any.
  void (*check_masses)(std::vector<double> const&) = nullptr;
  /// Creates the stepper of a scheme that chooses its steps itself; empty for others. Such a scheme
  /// has no other stepping, and no make_single and make_double.
  std::function<std::unique_ptr<Stepper<double>>(OwnSteps const&)> make_own{};
  /// Whether errors of forces must be rounding errors of double precision.
  bool needs_exact_forces = false;
  /// Whether the scheme moves a tangent vector along with the bodies, but not with block steps.
  bool has_tangent_flow = false;
  /// Forces besides gravity that the scheme can integrate.
  ExtraForceSupport extra_forces{};
  std::vector<std::string> cite{};  ///< keys of the works to cite, of citations()

  bool has_own_steps() const { return make_own != nullptr; }
  bool has_blocks() const { return make_block_double != nullptr; }

  /// Whether positions and velocities are compensated (Kahan) sums.
  static bool compensated(Values const& values) {
    return values.has("compensated") && values.boolean("compensated");
  }
  /// Memory per body with these values, in vectors; block steps need one for levels and lists.
  std::size_t vectors(Values const& values) const {
    return workspace_vectors + (compensated(values) ? 2 : 0) +
           (step_mode(values) == StepMode::block ? 1 : 0);
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

/// Table of all integrators, those of Apsis and those that a program has added; the first one is
/// the default.
Registry<IntegratorEntry> const& integrators();
/// Adds an integrator of a program that uses Apsis. Call before the first use of integrators(),
/// which reading a deck is; throws an internal error afterwards.
void add_integrator(IntegratorEntry entry);

}  // namespace apsis::integrators
