// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/core/context.hpp>
#include <apsis/core/saved_state.hpp>
#include <apsis/forces/all_sources.hpp>
#include <apsis/forces/force_errors.hpp>
#include <apsis/forces/massive_sources.hpp>
#include <apsis/forces/request.hpp>
#include <apsis/forces/solver_entry.hpp>

#include <optional>
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
  /// and cost a few percent of the sweep. Does not fence but where processes share the bodies.
  void evaluate(Context const& context, Request<Stored> const& request);

  /// From now on leaves the massless among the sources out of requests with this column of masses,
  /// which must not change. Returns how many bodies of all processes have mass. O(N) on the host;
  /// fences.
  std::size_t leave_out_massless(Context const& context, Column<Stored> const& mass) {
    std::size_t const count = massive_.find(context, mass);
    if (massive_.fewer() && !pays_to_leave_out(count, massive_.bodies())) massive_ = {};
    return count;
  }

  /// Whether a potential of all of so many bodies that comes with their accelerations is as exact
  /// as one wanted alone, and leaves every bit of the accelerations what it is.
  virtual bool has_exact_potential(std::size_t bodies) const = 0;

  /// Relative errors of accelerations that it takes in exchange for speed; 0: none but rounding.
  virtual double accuracy() const { return 0.0; }

  /// Those of its accuracy that it looks after; nothing where it has not looked.
  virtual std::optional<ForceErrors> errors() const { return std::nullopt; }

  /// Whether it last summed all pairs of all bodies because its own method cannot do these bodies.
  virtual bool falls_back() const { return false; }

  /// Whether a few targets cost as much as all of them.
  virtual bool sweeps_all_for_few() const { return false; }

  /// How all of so many bodies are evaluated, with so many derivatives of the acceleration: for
  /// `direct` the kernel by its name in the table of kernels. Kernels that meet each pair once can
  /// do so where all bodies pull.
  virtual std::string describe(std::size_t bodies, int derivatives = 0,
                               bool each_pair_once = true) const = 0;
  /// The same for the bodies whose massless ones it leaves out: their pairs are met from one side.
  std::string describe_evaluation(std::size_t bodies, int derivatives) const {
    return describe(bodies, derivatives, !massive_.fewer());
  }

  /// Interactions evaluated so far, by the field's count (N^2 an all-pairs sweep, n N for n
  /// targets and N sources; potentials alone are not counted). A double: 2^63 of them are 38 days
  /// of one GPU.
  virtual double interactions() const { return interactions_; }

  /// What it keeps from one evaluation for the next.
  virtual void exchange(SavedState& state) { state.exchange("solver/interactions", interactions_); }

 protected:
  /// Row i is body i, in the columns that the request reads; where processes share them.
  Sources<Stored> all_sources(Context const& context, Request<Stored> const& request) {
    return all_.gather(context, request);
  }

  /// Whether sums over so many massive bodies alone cost less than sweeps over all bodies.
  virtual bool pays_to_leave_out(std::size_t /*massive*/, std::size_t /*bodies*/) const {
    return true;
  }

  /// Returns how many interactions of forces that took, of all processes together.
  virtual double do_evaluate(Context const& context, Request<Stored> const& request) = 0;

 private:
  double evaluate_shared(Context const& context, Request<Stored> request);
  double evaluate_massive(Context const& context, Request<Stored> const& request);

  Gravity gravity_;
  MassiveSources<Stored> massive_;
  AllSources<Stored> all_;
  double interactions_ = 0.0;
};

extern template class Solver<float>;
extern template class Solver<double>;

}  // namespace apsis::forces
