// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/core/backend.hpp>
#include <apsis/forces/gravity.hpp>
#include <apsis/forces/precision.hpp>

#include <array>
#include <cstddef>
#include <optional>
#include <span>

/// Sums over all pairs of few bodies by one host thread, without a kernel launch and without Views:
/// for two to sixteen bodies a launch costs more than the sums. The pair law and the order of the
/// sums are those of Direct, so the bits are the same.
namespace apsis::forces {

/// Largest number of bodies that one host thread integrates without kernels.
inline constexpr std::size_t max_few_bodies = 64;

/// One vector per body: element (i, axis). Rows beyond the last body, up to a multiple of the
/// widest register, repeat it.
template <class Stored>
struct FewVectors {
  alignas(64) Stored columns[3][max_few_bodies];

  Stored& operator()(std::size_t i, int axis) { return columns[axis][i]; }
  Stored const& operator()(std::size_t i, int axis) const { return columns[axis][i]; }
};

/// Positions and their derivatives, which the sums read.
template <class Stored>
struct FewMotions {
  FewVectors<Stored> position;      ///< [length]
  FewVectors<Stored> velocity;      ///< [length / time]; read for a jerk
  FewVectors<Stored> acceleration;  ///< [length / time^2]; read for a snap
  /// Low parts of the positions [length]; read for jerks and snaps in double precision.
  FewVectors<Stored> position_low;
};

/// Acceleration and its derivatives, which the sums write.
template <class Stored>
struct FewForces {
  FewVectors<Stored> acceleration;  ///< [length / time^2]
  FewVectors<Stored> jerk;          ///< [length / time^3]
  FewVectors<Stored> snap;          ///< [length / time^4]
};

/// The sums for a number of bodies, their masses, a precision and a softening.
template <class Stored>
class FewBodySums {
 public:
  /// Returns the sums for these masses [mass]; empty if there are none or more than max_few_bodies,
  /// or if kernels run on a GPU. With `exclude_massless`, massless bodies are targets only.
  static std::optional<FewBodySums> make(Precision precision, Gravity const& gravity,
                                         std::span<Stored const> mass, bool exclude_massless);

  /// Sets the accelerations of all bodies.
  void accelerate(FewMotions<Stored> const& motions, FewForces<Stored>& forces) {
    accelerate_(*this, motions, forces);
    ++evaluations_;
  }
  /// Sets accelerations and jerks (`derivatives` 1), and snaps (2).
  template <int derivatives>
  void differentiate(FewMotions<Stored> const& motions, FewForces<Stored>& forces) {
    static_assert(derivatives == 1 || derivatives == 2);
    (derivatives == 1 ? jerks_ : snaps_)(*this, motions, forces);
    ++evaluations_;
  }

  /// Counts force evaluations that a scheme makes without this class.
  void add_evaluations(std::size_t evaluations) { evaluations_ += evaluations; }

  std::size_t count() const { return count_; }
  /// Rows in use, a multiple of the lanes of a register.
  std::size_t rows() const { return rows_; }
  /// Interactions of one evaluation for so many targets, by the convention of
  /// Solver::interactions().
  double interactions_of(std::size_t targets) const {
    return static_cast<double>(targets * source_count_);
  }
  /// Interactions evaluated so far.
  double interactions() const {
    return static_cast<double>(evaluations_) * interactions_of(count_);
  }

 private:
  using Function = void (*)(FewBodySums const&, FewMotions<Stored> const&, FewForces<Stored>&);
  template <class Number, template <class> class Softening>
  struct Kernels;

  std::size_t count_ = 0, rows_ = 0, source_count_ = 0, evaluations_ = 0;
  std::array<Stored, max_few_bodies> mass_{};
  std::array<std::size_t, max_few_bodies> source_{};  ///< rows of the massive bodies
  Gravity gravity_;
  Function accelerate_ = nullptr, jerks_ = nullptr, snaps_ = nullptr;
};

extern template class FewBodySums<float>;
extern template class FewBodySums<double>;

}  // namespace apsis::forces
