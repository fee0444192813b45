// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/core/execution.hpp>
#include <apsis/core/saved_state.hpp>
#include <apsis/forces/all_sources.hpp>
#include <apsis/forces/few_bodies.hpp>
#include <apsis/forces/gravity.hpp>
#include <apsis/forces/massive_sources.hpp>
#include <apsis/forces/request.hpp>
#include <apsis/forces/solver_entry.hpp>

#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace apsis::forces {

class ExtraForces;

/// The species of the bodies of a run.
struct SpeciesOfBodies {
  std::vector<std::uint8_t> species{};  ///< of all bodies, on the leader rank; empty: all `dark`
  std::size_t first = 0;                ///< index of the first body of this rank
  std::size_t count = 0;                ///< bodies of this rank
  std::size_t total = 0;                ///< bodies of all ranks
};

/// Evaluates gravity, and owns the workspaces for that. `Stored` is the type in which bodies are
/// stored.
template <class Stored>
class Solver {
 public:
  explicit Solver(Gravity const& gravity) : gravity_(gravity) {}
  virtual ~Solver() = default;
  Solver(Solver const&) = delete;
  Solver& operator=(Solver const&) = delete;

  Gravity const& gravity() const { return gravity_; }

  /// Overwrites the requested columns, a row for each target. Potentials without accelerations are
  /// evaluated and summed in double, with the softening of the forces. Potentials with
  /// accelerations come from the same pairs in the arithmetic of the forces, with sums in double,
  /// and cost a few percent of the sweep. Fences only if ranks share the bodies, or if a force
  /// besides gravity reacts on its source. Gravity of few bodies in host memory is summed by the
  /// calling thread, see FewBodySums.
  void evaluate(Context const& context, Request<Stored> const& request);

  /// Adds forces besides gravity to all further results; null: none.
  void set_extra_forces(std::shared_ptr<ExtraForces> forces) { extra_forces_ = std::move(forces); }
  /// The forces besides gravity; null if there are none.
  ExtraForces* extra_forces() const { return extra_forces_.get(); }

  /// Time of the positions of the next request [time], for forces that depend on it.
  double time() const { return time_; }
  void set_time(double time) { time_ = time; }
  /// Integrators call it when the bodies have moved by dt [time].
  void pass_time(double dt) { time_ += dt; }

  /// Excludes massless sources from all further requests with this column of masses, which must not
  /// change. Returns the number of massive bodies of all ranks. O(N) on the host; fences.
  virtual std::size_t exclude_massless_sources(Context const& context, Column<Stored> const& mass) {
    std::size_t const count = massive_sources_.detect(context, mass);
    if (massive_sources_.is_active() && !is_exclusion_faster(count, massive_sources_.bodies()))
      massive_sources_ = {};
    return count;
  }

  /// Sets the species of all bodies of the run, for softening lengths by species; empty: all
  /// `dark`. Call it before exclude_massless_sources(). Collective; fences.
  virtual void set_species(Context const& /*context*/, SpeciesOfBodies const& /*bodies*/) {}

  /// Returns the sums over all pairs for few bodies, which give the bits of evaluate() without a
  /// kernel launch. Empty for too many bodies, if the bodies are shared among ranks, and if this
  /// solver sums in another way or there are other forces. The caller reports their interactions
  /// by count().
  std::optional<FewBodySums<Stored>> few_body_sums(Context const& context,
                                                   Bodies<Stored> const& bodies) const;
  /// Arithmetic of FewBodySums that has the bits of this solver for so many bodies, if any.
  virtual std::optional<Precision> few_body_precision(std::size_t /*bodies*/) const {
    return std::nullopt;
  }

  /// Whether potentials of all bodies that come with their accelerations are as exact as potentials
  /// alone, and leave every bit of the accelerations unchanged.
  virtual bool has_exact_potential(std::size_t bodies) const = 0;

  /// Relative errors of accelerations that the solver trades for speed; 0: rounding only.
  virtual double accuracy() const { return 0.0; }

  /// Measured errors, if the solver controls its accuracy; empty before the first measurement.
  virtual std::optional<ForceErrors> errors() const { return std::nullopt; }

  /// Whether the last evaluation of all bodies fell back to sums over all pairs because the
  /// solver's own method cannot handle these bodies.
  virtual bool falls_back() const { return false; }

  /// Whether the cost of all targets cannot be extrapolated from that of a few targets.
  virtual bool needs_full_sweep() const { return false; }

  /// Describes the evaluation of all bodies with a number of derivatives of the acceleration: for
  /// `direct` the name of the kernel. Kernels that evaluate each pair once need all bodies as
  /// sources.
  virtual std::string describe(std::size_t bodies, int derivatives = 0,
                               bool each_pair_once = true) const = 0;
  /// Describes the evaluations of a run: without kernels for few bodies, and from one side of each
  /// pair if massless sources are excluded.
  std::string describe_evaluation(Context const& context, std::size_t bodies,
                                  int derivatives) const {
    if (sums_few(context, bodies)) return "few_bodies";
    return describe(bodies, derivatives, !massive_sources_.is_active());
  }

  /// Interactions evaluated so far, by the convention of the field (N^2 for an all-pairs sweep, n N
  /// for n targets and N sources; potentials alone are not counted). A double, because one
  /// GPU evaluates 2^63 of them in 38 days.
  virtual double interactions() const { return interactions_; }
  /// Counts interactions that an integrator evaluated by a pair loop of its own.
  void count(double interactions) { interactions_ += interactions; }

  /// Exchanges the state that persists between evaluations.
  virtual void exchange(SavedState& state) { state.exchange("solver/interactions", interactions_); }

 protected:
  /// Returns the gathered sources in the columns that the request reads: row i is body i. For ranks
  /// that share the bodies.
  Sources<Stored> all_sources(Context const& context, Request<Stored> const& request) {
    return all_sources_.gather(context, request);
  }

  /// Whether sums over the massive bodies alone cost less than sweeps over all bodies.
  virtual bool is_exclusion_faster(std::size_t /*massive*/, std::size_t /*bodies*/) const {
    return true;
  }

  /// Returns the number of force interactions of all ranks together.
  virtual double do_evaluate(Context const& context, Request<Stored> const& request) = 0;

 private:
  /// Whether the calling thread can sum so many bodies.
  bool sums_few(Context const& context, std::size_t bodies) const {
    return bodies_on_host && bodies <= max_few_bodies && !is_shared(context) &&
           few_body_precision(bodies).has_value();
  }
  std::optional<FewBodySums<Stored>> few_body_sums(Context const& context,
                                                   Column<Stored> const& mass) const;
  /// Returns the sums if they can serve the request.
  std::optional<FewBodySums<Stored>> few_body_sums(Context const& context,
                                                   Request<Stored> const& request) const;
  double evaluate_gravity(Context const& context, Request<Stored> const& request);
  double evaluate_few(FewBodySums<Stored>& sums, Request<Stored> const& request);
  double evaluate_shared(Context const& context, Request<Stored> request);
  double evaluate_massive(Context const& context, Request<Stored> const& request);

  Gravity gravity_;
  MassiveSources<Stored> massive_sources_;
  AllSources<Stored> all_sources_;
  std::shared_ptr<ExtraForces> extra_forces_;
  double interactions_ = 0.0;
  double time_ = 0.0;
};

template <class Stored>
std::unique_ptr<Solver<Stored>> SolverEntry::make(Demand const& demand) const {
  if constexpr (sizeof(Stored) == sizeof(float)) {
    APSIS_EXPECT(demand.precision == Precision::single_precision,
                 "floats are for single precision");
  } else {
    APSIS_EXPECT(demand.precision != Precision::single_precision,
                 "doubles are for the other precisions");
  }
  return std::get<std::unique_ptr<Solver<Stored>>>(make_by_species(*this, demand));
}

extern template class Solver<float>;
extern template class Solver<double>;

}  // namespace apsis::forces
