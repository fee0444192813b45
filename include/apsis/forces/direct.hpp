// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/forces/body_rows.hpp>
#include <apsis/forces/kernel.hpp>
#include <apsis/forces/solver.hpp>

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace apsis::forces {

/// A compiled kernel of the ladder: in the shape of the ladder, or in another one for comparison.
struct CompiledKernel {
  std::string kernel;
  std::optional<ShapeNumbers> shape;  ///< empty for kernels that are not tile loops
  bool candidate;                     ///< has a shape other than the ladder's
  std::size_t index;                  ///< index in the ladder, or among the candidates
};

/// Returns the kernels compiled for a precision: the ladder, then the candidates, which only the
/// program of `bench` has.
std::vector<CompiledKernel> compiled_kernels(Precision precision);

struct DirectOptions {
  std::string kernel = "auto";  ///< name in the table of kernels
};

/// Sums over all pairs: O(N^2), any N. A softening length of 0 is allowed: coincident bodies then
/// exert no force on each other, and their potential is infinite. `Number` is the arithmetic:
/// Single, Double, Mixed. Kernels that evaluate each pair once serve requests for all bodies;
/// requests for some bodies use the shape `split` whatever the kernel.
template <class Number>
class Direct final : public Solver<typename Number::Stored> {
 public:
  using Stored = typename Number::Stored;

  /// Throws a bad-input error for a kernel that is not compiled.
  explicit Direct(Gravity const& gravity, DirectOptions const& options = {});
  Direct(Gravity const& gravity, CompiledKernel const& kernel);
  ~Direct() override;

  /// Does the work of evaluating some of the bodies, for timing. The accelerations are undefined
  /// afterwards. Does not fence, and is not counted.
  void rehearse(Context const& context, Bodies<Stored> const& bodies, BodyRange targets);

  bool has_exact_potential(std::size_t bodies) const override;
  std::optional<Precision> few_body_precision(std::size_t bodies) const override;
  std::string describe(std::size_t bodies, int derivatives = 0,
                       bool each_pair_once = true) const override;

 private:
  struct State;

  double do_evaluate(Context const& context, Request<Stored> const& request) override;
  void evaluate_pairs(Context const& context, Request<Stored> const& request);

  std::unique_ptr<State> state_;
};

extern template class Direct<Single>;
extern template class Direct<Double>;
extern template class Direct<Mixed>;

}  // namespace apsis::forces
