// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/integrators/hermite.hpp>
#include <apsis/integrators/levels.hpp>
#include <apsis/integrators/stepper.hpp>

namespace apsis::integrators {

/// The Hermite scheme of order 4 with individual time steps in blocks of powers of two (Makino
/// 1991, PASJ 43, 859): at each time only those bodies that are due are evaluated and corrected, in
/// the field of all bodies predicted to that time. Every body is due at synchronised times.
template <class Real>
class HermiteBlock final : public Stepper<Real> {
 public:
  static constexpr std::size_t workspace_vectors = HermiteColumns<Real, 4>::vectors + 2;

  HermiteBlock(HermiteOptions const& method, BlockSteps const& steps);

  void start(Context const& context, Bodies<Real> const& bodies, forces::Solver<Real>& solver,
             double time_step) override;
  void advance(Context const& context, Bodies<Real> const& bodies, forces::Solver<Real>& solver,
               double time_step, Column<double> const& potential) override;
  void refine() override;

  // What device lambdas are made in must be public.
  void assign_levels(Context const& context, double time_step);
  std::size_t list_due(ExecutionSpace const& space, std::uint64_t now);
  int choose_levels(Context const& context, std::size_t due, std::uint64_t now, double time_step);

 private:
  void prepare(ExecutionSpace const& space, Bodies<Real> const& bodies) override;
  void do_exchange(ExecutionSpace const& space, SavedState& state) override;
  void allocate_levels(ExecutionSpace const& space, std::size_t count);

  Hermite<Real, 4> method_;  ///< owns the columns, takes the trial step
  HermiteOptions options_;
  double eta_;
  int highest_ = 0;                                 ///< no level above this
  int deepest_ = 0;                                 ///< of any body
  Kokkos::View<int*, MemorySpace> level_;           ///< of each body
  Kokkos::View<std::uint64_t*, MemorySpace> time_;  ///< of each body [ticks], in an advance
  forces::BodyList due_;
};

extern template class HermiteBlock<float>;
extern template class HermiteBlock<double>;

}  // namespace apsis::integrators
