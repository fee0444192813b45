// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/core/parameter.hpp>
#include <apsis/core/registry.hpp>
#include <apsis/forces/gravity.hpp>
#include <apsis/forces/precision.hpp>

#include <cstdint>
#include <memory>
#include <string>
#include <variant>
#include <vector>

namespace apsis::forces {

template <class Stored>
class Solver;

/// A solver for bodies stored as floats or as doubles.
using AnySolver = std::variant<std::unique_ptr<Solver<float>>, std::unique_ptr<Solver<double>>>;

/// Requirements of a run on a solver.
struct Demand {
  Gravity gravity;
  Precision precision = Precision::double_precision;
  Values values{};                   ///< values of the solver's parameters
  int derivatives = 0;               ///< derivatives of the acceleration
  bool has_subset_requests = false;  ///< also requests forces of subsets of the bodies
  bool needs_exact_forces = false;   ///< errors of forces must be rounding errors of doubles
  std::string integrator_name{};     ///< name of the integrator
};

/// An entry of the table of solvers.
struct SolverEntry {
  std::string name;
  std::string doc;
  std::vector<Parameter> parameters;
  int derivatives;    ///< largest derivative of the acceleration that it computes
  int cost_exponent;  ///< the cost of one evaluation grows as N to this power
  /// Returns the unsupported requirements, each with its deck key; empty if all are supported.
  std::vector<Problem> (*check)(Demand const&);
  /// Memory in addition to that of the bodies, with one softening length [bytes].
  double (*workspace_bytes)(Demand const&, std::uint64_t bodies);
  /// Makes the solver for bodies stored as demand.precision says, with one softening length.
  AnySolver (*make_any)(Demand const&);
  /// Largest number of bodies; null: unlimited.
  std::uint64_t (*max_bodies)(Demand const&) = nullptr;
  std::vector<std::string> cite{};  ///< keys of the works to cite, of citations()

  /// `Stored` is float for single precision, double for the others. Defined in solver.hpp, because
  /// the result needs the complete class.
  template <class Stored>
  std::unique_ptr<Solver<Stored>> make(Demand const& demand) const;
};

/// Makes a solver. With several softening lengths it consists of solvers with one each
/// (softening_by_species.hpp).
AnySolver make_by_species(SolverEntry const& entry, Demand const& demand);

/// Memory of a solver in addition to that of the bodies [bytes].
double workspace_bytes(SolverEntry const& entry, Demand const& demand, std::uint64_t bodies);

/// All solvers, the default first.
Registry<SolverEntry> const& solvers();

}  // namespace apsis::forces
