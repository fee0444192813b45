// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/forces/direct.hpp>
#include <apsis/forces/fmm.hpp>

#include <cstddef>
#include <optional>
#include <string>

namespace apsis::forces {

/// The solver `fmm`: evaluates a request with the fast multipole method where that is possible and
/// faster, otherwise with sums over all pairs:
///
/// - requests for jerk or snap;
/// - at most 1024 targets, or targets that are not bodies;
/// - fewer bodies than FmmOptions::min_bodies, or at least 2^30;
/// - more bodies in one place than the interaction lists allow (hundreds of thousands).
///
/// describe() returns "fmm", or the name of the all-pairs kernel if that evaluates all bodies.
template <class Number>
class FmmOrDirect final : public Solver<typename Number::Stored> {
 public:
  using Stored = typename Number::Stored;

  explicit FmmOrDirect(Gravity const& gravity, FmmOptions const& options = {});

  /// True for fmm: potentials alone come from the same sums as those with accelerations.
  bool has_exact_potential(std::size_t bodies) const override;
  std::optional<Precision> few_body_precision(std::size_t bodies) const override;
  double accuracy() const override { return fmm_.options().accuracy; }
  std::optional<ForceErrors> errors() const override;
  bool falls_back() const override { return has_fallen_back_; }
  bool needs_full_sweep() const override { return true; }
  std::string describe(std::size_t bodies, int derivatives = 0,
                       bool each_pair_once = true) const override;
  void exchange(SavedState& state) override;

 private:
  bool is_exclusion_faster(std::size_t massive, std::size_t bodies) const override;
  double do_evaluate(Context const& context, Request<Stored> const& request) override;
  /// Whether the number of bodies is in the range of the fast multipole method.
  bool is_in_range(std::size_t bodies) const;
  /// Whether the fast multipole method is tried for a request. Agrees on all ranks.
  bool prefers_fmm(Context const& context, Request<Stored> const& request) const;
  /// Returns false if an interaction list was too long.
  bool evaluate_cells(Context const& context, Request<Stored> const& request);
  void sum_over_all_pairs(Context const& context, Request<Stored> const& request);

  Fmm<Number> fmm_;
  Direct<Number> direct_;
  bool has_fallen_back_ = false;  ///< in the last evaluation of all bodies
};

extern template class FmmOrDirect<Single>;
extern template class FmmOrDirect<Double>;
extern template class FmmOrDirect<Mixed>;

}  // namespace apsis::forces
