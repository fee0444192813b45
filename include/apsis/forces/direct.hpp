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

/// All pairs, O(N^2), any N. Softening 0 is allowed: bodies in one place then exert no force on
/// each other, and their potential is infinite. `Number` is the arithmetic: Single, Double, Mixed.
template <class Number>
class Direct final : public Solver<typename Number::Stored> {
 public:
  using Stored = typename Number::Stored;

  /// `kernel` is a name of the table of kernels. Throws a bad-input error for one that this
  /// executable lacks.
  explicit Direct(Gravity gravity, std::string const& kernel = "auto");
  Direct(Gravity gravity, CompiledKernel const& kernel);
  ~Direct() override;

  /// Does the work that some of the bodies cause, to time it; leaves accelerations without meaning.
  /// Does not fence, and is not counted.
  void rehearse(ExecutionSpace const& space, Bodies<Stored> const& bodies, BodyRange targets);

  void potential(ExecutionSpace const& space, Bodies<Stored> const& bodies,
                 Column<double> const& potential) override;
  std::string kernel(std::size_t bodies) const override;

 private:
  struct State;

  void do_accelerate(ExecutionSpace const& space, Bodies<Stored> const& bodies,
                     Column<double> const& potential) override;
  void do_differentiate(ExecutionSpace const& space, Bodies<Stored> const& bodies,
                        BodyList const& listed, std::size_t targets,
                        Derivatives<Stored> const& found) override;
  std::uint64_t interactions_each(std::size_t bodies) const override { return bodies; }

  std::unique_ptr<State> state_;
};

extern template class Direct<Single>;
extern template class Direct<Double>;
extern template class Direct<Mixed>;

}  // namespace apsis::forces
