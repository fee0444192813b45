// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/bodies/share.hpp>
#include <apsis/forces/direct.hpp>
#include <apsis/forces/fmm_options.hpp>
#include <apsis/forces/solver.hpp>

#include <memory>
#include <string>

namespace apsis::forces {

namespace fmm {
template <class Number>
struct Kept;
}

/// Fast multipole method, O(N): cells on cells far away, pairs nearby (src/forces/fmm). What two
/// cells do to each other cancels, so that momentum is conserved to rounding. It decides by the
/// accelerations of the evaluation before, which are part of a saved state; the first one finds
/// some first. So rows must stay those of the same bodies. Summed over all pairs instead are
/// requests that are not for all bodies or want derivatives, 2^30 bodies and more, and bodies of
/// which most are near each other. Potentials alone are as exact as forces, not summed in double.
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
  bool sweeps_all_for_few() const override { return true; }
  std::string describe(std::size_t bodies, int derivatives = 0,
                       bool each_pair_once = true) const override;
  void exchange(SavedState& state) override;

 private:
  bool pays_to_leave_out(std::size_t massive) const override;
  double do_evaluate(Context const& context, Request<Stored> const& request) override;
  bool sweep(Context const& context, Request<Stored> const& request);
  /// Where processes share the bodies: room for what each finds of its leaves, and all of it.
  Field<Stored> room_along_the_curve(ExecutionSpace const& space, Field<Stored> const& wanted,
                                     std::size_t bodies, Share const& leaves);
  void gather_along_the_curve(Context const& context, Field<Stored> const& own, std::size_t bodies);

  FmmOptions options_;
  Direct<Number> direct_;
  Column<Stored> pull_;  ///< of each body at the evaluation before, over G [mass / length^2]
  Field<Stored> spare_, whole_;
  std::unique_ptr<fmm::Kept<Number>> kept_;
};

extern template class Fmm<Single>;
extern template class Fmm<Double>;
extern template class Fmm<Mixed>;

}  // namespace apsis::forces
