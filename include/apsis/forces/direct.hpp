// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/forces/solver.hpp>

namespace apsis::forces {

/// All pairs, O(N^2), any N. Softening 0 is allowed: bodies in one place then exert no force on
/// each other, and their potential is infinite.
template <class Real>
class Direct final : public Solver<Real> {
 public:
  using Solver<Real>::Solver;

  void potential(ExecutionSpace const& space, Bodies<Real> const& bodies,
                 Column<double> const& potential) override;

 private:
  void do_accelerate(ExecutionSpace const& space, Bodies<Real> const& bodies) override;
  std::uint64_t interactions_each(std::size_t bodies) const override {
    return static_cast<std::uint64_t>(bodies) * bodies;
  }

  VectorColumns<Real> partial_;       ///< sums per chunk: row chunk * N + i; empty for one chunk
  Column<double> partial_potential_;  ///< likewise
};

extern template class Direct<float>;
extern template class Direct<double>;

}  // namespace apsis::forces
