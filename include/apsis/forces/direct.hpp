// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/forces/body_range.hpp>
#include <apsis/forces/kernel.hpp>
#include <apsis/forces/solver.hpp>

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace apsis::forces {

/// A kernel of the ladder as it was compiled: in the ladder's own shape, or in another to compare
/// with.
struct CompiledKernel {
  std::string kernel;
  std::optional<ShapeNumbers> shape;  ///< nothing for kernels that are no tile loop
  bool candidate;                     ///< not the ladder's own shape
  std::size_t index;                  ///< in the ladder, or among the candidates
};

/// The kernels that this executable has for a precision: the ladder, then the candidates.
std::vector<CompiledKernel> compiled_kernels(Precision precision);

struct DirectOptions {
  std::string kernel = "auto";  ///< a name of the table of kernels
};

/// All pairs, O(N^2), any N. Softening 0 is allowed: bodies in one place then exert no force on
/// each other, and their potential is infinite. `Number` is the arithmetic: Single, Double, Mixed.
/// Kernels that meet each pair once evaluate all bodies; some of them are swept in the shape
/// `split` whatever the kernel.
template <class Number>
class Direct final : public Solver<typename Number::Stored> {
 public:
  using Stored = typename Number::Stored;

  /// Throws a bad-input error for a kernel that this executable lacks.
  explicit Direct(Gravity const& gravity, DirectOptions const& options = {});
  Direct(Gravity const& gravity, CompiledKernel const& kernel);
  ~Direct() override;

  /// Does the work that some of the bodies cause, to time it; leaves accelerations without meaning.
  /// Does not fence, and is not counted.
  void rehearse(Context const& context, Bodies<Stored> const& bodies, BodyRange targets);

  bool has_exact_potential(std::size_t bodies) const override;
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
