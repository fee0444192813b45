// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/core/parameter.hpp>
#include <apsis/core/registry.hpp>
#include <apsis/forces/gravity.hpp>
#include <apsis/forces/precision.hpp>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace apsis::forces {

template <class Stored>
class Solver;

/// What a run asks of a solver.
struct Demand {
  Gravity gravity;
  Precision precision = Precision::double_precision;
  Values values{};         ///< of the solver's parameters
  int derivatives = 0;     ///< of the acceleration
  bool of_some = false;    ///< wants forces of some of the bodies, too
  std::string asked_by{};  ///< the integrator that asks for them
};

/// One line of the table of solvers.
struct SolverEntry {
  std::string name;
  std::string doc;
  std::vector<Parameter> parameters;
  int derivatives;  ///< of the acceleration, that it can give
  int growth;       ///< of the cost of one evaluation: as N to this power
  /// What it cannot do, each with the deck's key; empty if it does what is asked.
  std::vector<Problem> (*check)(Demand const&);
  /// Memory that it needs beside the bodies, for so many of them [bytes].
  double (*workspace_bytes)(Demand const&, std::uint64_t bodies);
  std::unique_ptr<Solver<float>> (*make_single)(Demand const&);
  std::unique_ptr<Solver<double>> (*make_double)(Demand const&);
  std::unique_ptr<Solver<double>> (*make_mixed)(Demand const&);
  /// The largest number of bodies that it takes; null: any.
  std::uint64_t (*most_bodies)(Demand const&) = nullptr;

  /// `Stored` is float for single precision, double for the others.
  template <class Stored>
  std::unique_ptr<Solver<Stored>> make(Demand const& of) const {
    if constexpr (sizeof(Stored) == sizeof(float)) {
      APSIS_EXPECT(of.precision == Precision::single_precision, "floats are for single precision");
      return make_single(of);
    } else {
      APSIS_EXPECT(of.precision != Precision::single_precision, "doubles are for the others");
      return of.precision == Precision::mixed ? make_mixed(of) : make_double(of);
    }
  }
};

/// Every solver, the default first.
Registry<SolverEntry> const& solvers();

}  // namespace apsis::forces
