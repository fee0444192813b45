// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/bodies/bodies.hpp>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace apsis::forces {

/// The law of gravity of a run.
struct Gravity {
  double G = 1.0;          ///< [length^3 / (mass time^2)]
  double softening = 0.0;  ///< Plummer eps [length], >= 0
};

/// Evaluates gravity between the bodies; owns the workspaces that takes.
template <class Real>
class Solver {
 public:
  explicit Solver(Gravity gravity) : gravity_(gravity) {}
  virtual ~Solver() = default;
  Solver(Solver const&) = delete;
  Solver& operator=(Solver const&) = delete;

  Gravity const& gravity() const { return gravity_; }

  /// Overwrites bodies.acceleration with that of the bodies where they are. Does not fence.
  void accelerate(ExecutionSpace const& space, Bodies<Real> const& bodies) {
    do_accelerate(space, bodies);
    interactions_ += interactions_each(bodies.size());
  }

  /// Overwrites `potential` (N values) with each body's potential in the field of all others
  /// [length^2 / time^2], evaluated and summed in double with the force's own softening: the energy
  /// it gives is that of the scheme that moves the bodies. Does not fence.
  virtual void potential(ExecutionSpace const& space, Bodies<Real> const& bodies,
                         Column<double> const& potential) = 0;

  /// Interactions evaluated by accelerate() so far, by the field's count (N^2 an all-pairs sweep).
  std::uint64_t interactions() const { return interactions_; }

 protected:
  virtual void do_accelerate(ExecutionSpace const& space, Bodies<Real> const& bodies) = 0;
  virtual std::uint64_t interactions_each(std::size_t bodies) const = 0;

 private:
  Gravity gravity_;
  std::uint64_t interactions_ = 0;
};

/// One line of the table of solvers.
struct SolverEntry {
  std::string name;
  std::string doc;
  std::unique_ptr<Solver<float>> (*make_single)(Gravity const&);
  std::unique_ptr<Solver<double>> (*make_double)(Gravity const&);

  template <class Real>
  std::unique_ptr<Solver<Real>> make(Gravity const& gravity) const {
    if constexpr (sizeof(Real) == sizeof(float)) {
      return make_single(gravity);
    } else {
      return make_double(gravity);
    }
  }
};

/// Every solver, the default first.
std::vector<SolverEntry> const& solvers();

}  // namespace apsis::forces
