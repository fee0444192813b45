// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/core/context.hpp>
#include <apsis/core/saved_state.hpp>
#include <apsis/forces/request.hpp>
#include <apsis/forces/solver_entry.hpp>

#include <string>

namespace apsis::forces {

/// Evaluates gravity; owns the workspaces that takes. `Stored` is the type that the bodies are
/// stored in.
template <class Stored>
class Solver {
 public:
  explicit Solver(Gravity const& gravity) : gravity_(gravity) {}
  virtual ~Solver() = default;
  Solver(Solver const&) = delete;
  Solver& operator=(Solver const&) = delete;

  Gravity const& gravity() const { return gravity_; }

  /// Overwrites what the request wants, a row for each target. Potentials that are wanted alone are
  /// evaluated and summed in double, with the force's own softening; those wanted along with
  /// accelerations come from the same pairs in the arithmetic of the forces, with sums in double,
  /// and cost a few percent of the sweep. Does not fence.
  void evaluate(Context const& context, Request<Stored> const& request) {
    double const pairs = do_evaluate(context, request);
    if (request.counted) interactions_ += pairs;
  }

  /// Whether a potential of all of so many bodies that comes with their accelerations is as exact
  /// as one wanted alone, and leaves every bit of the accelerations what it is.
  virtual bool has_exact_potential(std::size_t bodies) const = 0;

  /// How all of so many bodies are evaluated, with so many derivatives of the acceleration: for
  /// `direct` the kernel by its name in the table of kernels.
  virtual std::string describe(std::size_t bodies, int derivatives = 0) const = 0;

  /// Interactions evaluated so far, by the field's count (N^2 an all-pairs sweep, n N for n
  /// targets; potentials alone are not counted). A double: 2^63 of them are 38 days of one GPU.
  virtual double interactions() const { return interactions_; }

  /// What it keeps from one evaluation for the next.
  virtual void exchange(SavedState& state) { state.exchange("solver/interactions", interactions_); }

 protected:
  /// Returns how many interactions of forces that took.
  virtual double do_evaluate(Context const& context, Request<Stored> const& request) = 0;

 private:
  Gravity gravity_;
  double interactions_ = 0.0;
};

}  // namespace apsis::forces
