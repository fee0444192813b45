// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/bodies/share.hpp>
#include <apsis/forces/direct.hpp>
#include <apsis/forces/fmm_options.hpp>
#include <apsis/forces/solver.hpp>

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace apsis::forces {

namespace fmm {
class Calibration;
template <class Number>
struct Kept;
template <class Number>
struct FmmEvaluation;
}  // namespace fmm

/// Fast multipole method, O(N): cells on cells far away, pairs nearby (src/forces/fmm). What two
/// cells do to each other cancels, so that momentum is conserved to rounding where all bodies are
/// evaluated. For some of them it sweeps over the cells that they are in, in O(N) for the cells and
/// in proportion to their number for all else; each gets what it would get among all.
///
/// It decides by the accelerations of the evaluation before, which are part of a saved state; the
/// first one finds some first. So rows must stay those of the same bodies. Summed over all pairs
/// instead are requests that want derivatives, for a thousand bodies or less, for places where no
/// bodies are, 2^30 bodies and more, and bodies of which more are near each other than lists are
/// for (hundreds of thousands in one place): describe() then says what did that. Potentials alone
/// are as exact as forces, not summed in double.
///
/// How strict it has to be for its accuracy it finds out, unless the options say what is opened:
/// where all bodies are evaluated for a run, at the start and then from time to time, thousands of
/// them are summed over all pairs too, and where their errors are too large it begins again.
///
/// Processes that share the bodies each make the cells of all, sweep over their part of the leaves
/// and give each other what they found: O(N) memory and traffic. The bits depend neither on the
/// number of threads nor of processes.
template <class Number>
class Fmm final : public Solver<typename Number::Stored> {
 public:
  using Stored = typename Number::Stored;

  explicit Fmm(Gravity const& gravity, FmmOptions const& options = {});
  ~Fmm() override;

  /// A potential alone comes from the same sums.
  bool has_exact_potential(std::size_t bodies) const override;
  double accuracy() const override { return options_.accuracy; }
  std::optional<ForceErrors> errors() const override;
  bool falls_back() const override;
  bool sweeps_all_for_few() const override { return true; }
  std::string describe(std::size_t bodies, int derivatives = 0,
                       bool each_pair_once = true) const override;
  void exchange(SavedState& state) override;

 private:
  bool pays_to_leave_out(std::size_t massive, std::size_t bodies) const override;
  double do_evaluate(Context const& context, Request<Stored> const& request) override;
  bool takes(std::size_t bodies) const;
  bool can_sweep(Request<Stored> const& request) const;
  bool decides_by_pulls() const { return !options_.opening_angle; }
  bool sweep(Context const& context, Request<Stored> const& request);
  void sum_over_all_pairs(Context const& context, Request<Stored> const& request);
  /// Where a sweep writes: columns of its own where processes share the bodies.
  Field<Stored> room_for(ExecutionSpace const& space, Field<Stored> const& wanted,
                         fmm::FmmEvaluation<Number> const& of);
  /// Chooses the leaves that this process sweeps over, where all bodies are targets or some;
  /// returns the first leaf of each process, and the one behind them all.
  std::vector<std::size_t> own_leaves(Context const& context, bool all,
                                      fmm::FmmEvaluation<Number>& of) const;
  /// What each process found of its leaves, to all.
  void gather_along_the_leaves(Context const& context, std::vector<std::size_t> firsts,
                               Field<Stored> const& own);

  FmmOptions options_;
  Direct<Number> direct_;
  Column<Stored> pull_;  ///< of each body at the evaluation before, over G [mass / length^2]
  Field<Stored> spare_, whole_;
  bool gave_up_ = false;  ///< where all bodies were evaluated last
  std::unique_ptr<fmm::Calibration> calibration_;
  std::unique_ptr<fmm::Kept<Number>> kept_;
};

extern template class Fmm<Single>;
extern template class Fmm<Double>;
extern template class Fmm<Mixed>;

}  // namespace apsis::forces
