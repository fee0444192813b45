// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/core/error.hpp>
#include <apsis/core/parameter.hpp>
#include <apsis/forces/gravity.hpp>
#include <apsis/forces/precision.hpp>

#include <memory>
#include <string>
#include <vector>

namespace apsis::forces {

template <class Stored>
class Solver;

/// One line of the table of solvers.
struct SolverEntry {
  std::string name;
  std::string doc;
  std::vector<Parameter> parameters;
  std::unique_ptr<Solver<float>> (*make_single)(Gravity const&, Values const&);
  std::unique_ptr<Solver<double>> (*make_double)(Gravity const&, Values const&);
  std::unique_ptr<Solver<double>> (*make_mixed)(Gravity const&, Values const&);

  /// `Stored` is float for single precision, double for the others.
  template <class Stored>
  std::unique_ptr<Solver<Stored>> make(Precision precision, Gravity const& gravity,
                                       Values const& values) const {
    if constexpr (sizeof(Stored) == sizeof(float)) {
      APSIS_EXPECT(precision == Precision::single_precision, "floats are for single precision");
      return make_single(gravity, values);
    } else {
      APSIS_EXPECT(precision != Precision::single_precision, "doubles are for the others");
      return precision == Precision::mixed ? make_mixed(gravity, values)
                                           : make_double(gravity, values);
    }
  }
};

/// Every solver, the default first.
std::vector<SolverEntry> const& solvers();

}  // namespace apsis::forces
