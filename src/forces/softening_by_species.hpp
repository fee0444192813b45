// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/forces/solver.hpp>

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace apsis::forces {

/// Gravity with a softening length for each species. The larger length of a pair applies to both
/// bodies: their forces are opposite, and the potential belongs to them.
///
/// Species with the same length form a class; classes are in the order of their lengths. The field
/// is a sum of passes, each by a solver with one length:
///
///   pass        sources              targets              length
///   within k    bodies of class k    classes 0 ... k      of class k
///   below k     classes 0 ... k-1    bodies of class k    of class k
///
///   halo (0.1) and disk (0.02):      sources   disk           halo
///                          targets   disk      within 0       within 1
///                                    halo      below 1        within 1
///
/// So each pair is in one pass from each side. Passes without sources or targets are left out. In
/// the sources of a pass all other bodies have mass 0, and the solver omits them (MassiveSources).
/// `direct` evaluates N^2 interactions, as with one length. `fmm` sweeps over all bodies in each
/// pass: with two classes three times. Its passes do not conserve momentum to rounding, but to the
/// accuracy of the forces, since the two directions of a pair are in different passes.
template <class Stored>
class SofteningBySpecies final : public Solver<Stored> {
 public:
  using MakeSolver = std::function<std::unique_ptr<Solver<Stored>>(Gravity const&)>;

  /// `make` makes a solver with one softening length.
  SofteningBySpecies(Gravity const& gravity, MakeSolver const& make);

  void set_species(Context const& context, SpeciesOfBodies const& bodies) override;
  std::size_t exclude_massless_sources(Context const& context, Column<Stored> const& mass) override;
  bool has_exact_potential(std::size_t bodies) const override;
  double accuracy() const override { return passes_.front().solver->accuracy(); }
  /// The largest errors of all passes, each relative to the accelerations of its pass.
  std::optional<ForceErrors> errors() const override;
  bool falls_back() const override;
  bool needs_full_sweep() const override { return passes_.front().solver->needs_full_sweep(); }
  std::string describe(std::size_t bodies, int derivatives, bool each_pair_once) const override;
  void exchange(SavedState& state) override;

 private:
  struct Pass {
    std::unique_ptr<Solver<Stored>> solver;
    std::size_t length_class;     ///< of the softening length
    bool is_within;               ///< `within` in the table above, otherwise `below`
    Column<Stored> mass{};        ///< of the sources, 0 for all other bodies
    BodyList targets{};           ///< rows of the targets among the bodies of this rank
    std::size_t all_targets = 0;  ///< number of targets of all ranks
    std::size_t all_sources = 0;  ///< number of sources of all ranks

    bool has_source(std::size_t body_class) const {
      return is_within ? body_class == length_class : body_class < length_class;
    }
    bool has_target(std::size_t body_class) const {
      return is_within ? body_class <= length_class : body_class == length_class;
    }
    bool is_empty() const { return all_targets == 0 || all_sources == 0; }
  };

  double do_evaluate(Context const& context, Request<Stored> const& request) override;
  void add_pass(Context const& context, Pass& pass, Request<Stored> const& request);
  /// Sets the masses of the sources of each pass.
  void select_sources(ExecutionSpace const& space, Column<Stored> const& mass);
  /// Returns columns for the results of a pass.
  Field<Stored> pass_field(ExecutionSpace const& space, Field<Stored> const& wanted,
                           std::size_t rows);

  std::vector<double> lengths_;  ///< of each class, rising [length]
  std::vector<std::size_t> class_of_species_;
  std::vector<Pass> passes_;
  Column<std::uint8_t> body_class_;  ///< of the bodies of this rank
  Column<Stored> bound_mass_;        ///< column from which select_sources() took the masses
  VectorColumns<Stored> acceleration_, jerk_, snap_;  ///< results of a pass
  Column<double> potential_;
};

extern template class SofteningBySpecies<float>;
extern template class SofteningBySpecies<double>;

}  // namespace apsis::forces
