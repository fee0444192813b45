// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/core/views.hpp>
#include <apsis/forces/extra.hpp>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

/// Source, targets and coefficients of a force. FormulaForce (extra_formula.hpp) adds the formula.
namespace apsis::forces {

/// Source and targets of a force, and the quantities that it conserves.
struct ForceSelection {
  std::string where{};                    ///< path in the deck, for errors
  std::optional<std::uint64_t> source{};  ///< id of the body from which the force comes
  std::string source_key = "body";        ///< key of that id
  bool reacts = false;                    ///< whether the source feels the opposite forces
  std::vector<std::uint64_t> targets{};   ///< further ids that must exist
  /// Number of each body that the formula reads, by its id, mass and species; null: 1. The force
  /// does not act on bodies with the number 0.
  std::function<double(std::uint64_t, double, std::uint8_t)> coefficient{};
  /// Quantities that the force conserves. `has_massive_targets`: whether it acts on a body with
  /// mass. `has_mass`: whether there is any such body.
  std::function<ConservedSums(bool has_massive_targets, bool has_mass)> conserved{};
};

/// Part of a force that does not depend on the formula: its source and the coefficients.
class BoundForce : public ExtraForce {
 public:
  explicit BoundForce(ForceSelection selection) : selection_(std::move(selection)) {}

  void check(std::vector<std::uint64_t> const& ids,
             std::vector<double> const& masses) const override;
  void bind(Context const& context, BodiesOfForces const& bodies) override;
  ConservedSums conserved() const override { return conserved_; }

 protected:
  /// The source as kernels read it: a row of columns.
  template <class Stored>
  struct Source {
    VectorColumns<Stored> position, velocity, acceleration;
    Column<Stored> mass;
    std::size_t row = no_row;      ///< row in these columns
    std::size_t own_row = no_row;  ///< row among the bodies of this rank
    bool exists = false;
  };
  static constexpr std::size_t no_row = ~std::size_t{0};

  /// `acceleration`: of all rows of the bodies. Collective; fences if ranks share the bodies.
  template <class Stored>
  Source<Stored> source_of(Context const& context, Sources<Stored> const& bodies,
                           VectorColumns<Stored> const& acceleration) const;

  bool has_source() const { return selection_.source.has_value(); }
  bool reacts() const { return selection_.reacts; }
  bool has_coefficients() const { return has_coefficients_; }
  /// Coefficients of the bodies of this rank; no rows if all are 1.
  Column<double> const& coefficients() const { return coefficients_; }
  double few_coefficient(std::size_t i) const {
    return has_coefficients() ? few_coefficients_[i] : 1.0;
  }
  std::size_t source_index() const { return source_; }

 private:
  ForceSelection selection_;
  ConservedSums conserved_;
  std::size_t source_ = no_row;  ///< index of the source among all bodies
  std::size_t first_ = 0;        ///< index of the first body of this rank
  bool has_coefficients_ = false;
  Column<double> coefficients_;
  std::vector<double> few_coefficients_;  ///< of all bodies of the run
};

extern template BoundForce::Source<float> BoundForce::source_of(Context const&,
                                                                Sources<float> const&,
                                                                VectorColumns<float> const&) const;
extern template BoundForce::Source<double> BoundForce::source_of(
    Context const&, Sources<double> const&, VectorColumns<double> const&) const;

}  // namespace apsis::forces
