// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "pair.hpp"
#include <apsis/bodies/bodies.hpp>
#include <apsis/forces/precision.hpp>
#include <apsis/forces/request.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

/// Columns in the form that laws store: base pointers, half the size of a View. Kernels with more
/// than 512 bytes of arguments reach a GPU by a slower way (Kokkos' ConstantMemoryUseThreshold),
/// which cost the jerks and snaps of 4096 bodies 8 to 21 % of their rate (H200, 2026-11-21).
namespace apsis::forces {

template <class T>
struct Rows {
  T* data = nullptr;

  Rows() = default;
  explicit Rows(T* first) : data(first) {}
  template <class View>
  Rows(View const& view) : data(view.data()) {}
  KOKKOS_FORCEINLINE_FUNCTION T& operator()(std::size_t i) const { return data[i]; }
};

template <class Real>
struct VectorRows {
  Real* data = nullptr;
  std::size_t stride = 0;

  VectorRows() = default;
  VectorRows(Real* first, std::size_t step) : data(first), stride(step) {}
  VectorRows(VectorColumns<std::remove_const_t<Real>> const& view)
      : data(view.data()), stride(view.stride(1)) {}
  KOKKOS_FORCEINLINE_FUNCTION Real& operator()(std::size_t i, int axis) const {
    return data[i + static_cast<std::size_t>(axis) * stride];
  }
};

/// Low parts of the positions of sources and targets, in arithmetics that have them.
template <class Number, bool has_low_columns = Number::has_low_columns>
struct LowRows {};
template <class Number>
struct LowRows<Number, true> {
  VectorRows<typename Number::Stored const> position_low;  ///< of sources
  VectorRows<typename Number::Stored const> target_position_low;
};

/// Stores a value, or adds it: known at compile time, so that G times a sum is added with a single
/// rounding.
template <bool more, class T>
KOKKOS_FORCEINLINE_FUNCTION void store_value(T& stored, T value) {
  stored = more ? stored + value : value;
}

/// Gravity as a law of the tile loop. `Number` is the arithmetic, `wants` acceleration, potential
/// or both. A target is row `listed(i)` if there is a list.
template <class Number, template <class> class Softening, Wants wants>
struct GravityLaw : LowRows<Number> {
  using Real = typename Number::Real;
  using Stored = typename Number::Stored;
  using Sums = typename Number::Total;
  /// Whether the pair law has coordinates in two numbers.
  static constexpr bool in_two_parts = Number::split || Number::has_low_columns;
  using Source = std::conditional_t<in_two_parts, SplitPointMass<Real>, PointMass<Real>>;
  template <class Lanes>
  using Target = std::conditional_t<in_two_parts, SplitPoint<Lanes>, Point<Lanes>>;

  static constexpr bool accelerates = has_any(wants, Wants::acceleration);
  static constexpr bool excludes_self = has_any(wants, Wants::potential);

  template <class Lanes>
  struct Sum {
    Lanes x{}, y{}, z{}, depth{};
  };
  /// Depths are added up in double in any precision of the bodies.
  template <int lanes>
  struct Total {
    typename simd::Pack<typename Number::Total, lanes>::type x{}, y{}, z{};
    typename simd::Pack<double, lanes>::type depth{};

    template <class Lanes>
    KOKKOS_FORCEINLINE_FUNCTION void add(Sum<Lanes> const& sum) {
      if constexpr (accelerates) {
        x += simd::widened<typename Number::Total, Real>(sum.x);
        y += simd::widened<typename Number::Total, Real>(sum.y);
        z += simd::widened<typename Number::Total, Real>(sum.z);
      }
      if constexpr (excludes_self) depth += simd::widened<double, Real>(sum.depth);
    }
  };

  VectorRows<Stored const> position;  ///< of sources
  Rows<Stored const> mass;
  VectorRows<Stored const> target_position;
  VectorRows<Stored> acceleration;  ///< of each row, unless only the potential is requested
  Rows<double> potential;           ///< of each row, if requested
  Softening<Real> softening;
  typename Number::Total G;
  std::ptrdiff_t first_self;  ///< source index of the target of row 0
  Rows<std::size_t> listed;   ///< row of each target; null: target i is row i

  KOKKOS_FORCEINLINE_FUNCTION Source source(std::size_t j) const {
    Source s;
    s.m = static_cast<Real>(mass(j));
    load_position<true>(s, 0, j);
    if constexpr (in_two_parts) s.unused = Real(0);
    return s;
  }
  KOKKOS_FORCEINLINE_FUNCTION std::size_t row_of(std::size_t i) const {
    return listed.data == nullptr ? i : listed(i);
  }
  template <class Place>
  KOKKOS_FORCEINLINE_FUNCTION void set(Place& target, int lane, std::size_t i) const {
    load_target(target, lane, row_of(i));
  }
  /// Sets all lanes, to the consecutive rows from `row`. Host only.
  template <class Place>
  void load_targets(Place& target, std::size_t row) const {
    auto const whole = [](auto const& x) { return x; };
    set_axes(target.x, target.y, target.z, target_position, row, whole);
    if constexpr (Number::split) {
      set_axes(target.x_low, target.y_low, target.z_low, target_position, row, [](auto const& x) {
        return x - simd::widened<Stored, Real>(simd::widened<Real, Stored>(x));
      });
    }
    if constexpr (Number::has_low_columns) {
      set_axes(target.x_low, target.y_low, target.z_low, this->target_position_low, row, whole);
    }
  }
  template <class Place>
  KOKKOS_FORCEINLINE_FUNCTION void load_target(Place& target, int lane, std::size_t row) const {
    load_position<false>(target, lane, row);
  }
  KOKKOS_FORCEINLINE_FUNCTION std::ptrdiff_t self_source(std::size_t i) const {
    return first_self + static_cast<std::ptrdiff_t>(row_of(i));
  }
  KOKKOS_FORCEINLINE_FUNCTION bool is_scattered() const { return listed.data != nullptr; }
  template <class Lanes>
  KOKKOS_FORCEINLINE_FUNCTION void add(Sum<Lanes>& sum, Target<Lanes> const& target,
                                       Source const& source) const {
    auto const r = separation(target, source, softening.offset());
    Lanes const f = softening.acceleration_factor(source.m, r);
    if constexpr (accelerates) accelerate(sum, f, r);
    if constexpr (excludes_self) sum.depth += softening.depth(source.m, f, r);
  }
  /// A target that is also a source.
  template <class Lanes>
  struct MassiveTarget {
    Target<Lanes> position;
    Lanes m;
  };
  /// One source for each lane.
  template <class Lanes>
  using Sources = std::conditional_t<in_two_parts, SplitPointMass<Lanes>, PointMass<Lanes>>;

  template <class Lanes>
  KOKKOS_FORCEINLINE_FUNCTION void set_massive(MassiveTarget<Lanes>& target, int lane,
                                               std::size_t i, bool has_mass) const {
    load_position<true>(target.position, lane, i);
    simd::set_lane<Real>(target.m, lane, has_mass ? static_cast<Real>(mass(i)) : Real(0));
  }
  /// Adds the interactions of the targets to `sum`, and the reactions on the sources to `reaction`.
  template <class Lanes>
  KOKKOS_FORCEINLINE_FUNCTION void add_mutual(Sum<Lanes>& sum, Sum<Lanes>& reaction,
                                              MassiveTarget<Lanes> const& target,
                                              Sources<Lanes> const& source) const {
    auto const r = separation(target.position, source, softening.offset());
    auto const f = mutual_factors<Real>(softening, source.m, target.m, r);
    if constexpr (accelerates) {
      accelerate(sum, f.target, r);
      accelerate(reaction, -f.source, r);
    }
    if constexpr (excludes_self) {
      sum.depth += softening.depth(source.m, f.target, r);
      reaction.depth += softening.depth(target.m, f.source, r);
    }
  }
  /// Replaces each component x in use of a sum by function(x).
  template <class Lanes, class Function>
  KOKKOS_FORCEINLINE_FUNCTION static void transform(Sum<Lanes>& sum, Function const& function) {
    if constexpr (accelerates) {
      sum.x = function(sum.x);
      sum.y = function(sum.y);
      sum.z = function(sum.z);
    }
    if constexpr (excludes_self) sum.depth = function(sum.depth);
  }
  /// Excludes the self-interaction, which is in lane `self`, by index. Subtracting it afterwards
  /// would cancel digits if the softening length is small. The mass in that lane is set to zero, so
  /// that all other lanes round exactly as in add(): which of the two functions evaluates a pair
  /// depends on the distribution of the targets.
  template <class Lanes>
  KOKKOS_FORCEINLINE_FUNCTION void add_excluding_self(Sum<Lanes>& sum, Target<Lanes> const& target,
                                                      Source const& source,
                                                      std::ptrdiff_t self_lane) const {
    auto const r = separation(target, source, softening.offset());
    Lanes const f = softening.acceleration_factor(source.m, r);
    if constexpr (accelerates) accelerate(sum, f, r);
    Lanes m = Lanes{} + source.m, factor = f;
    constexpr int lanes = simd::lane_count<Real, Lanes>;
    if (self_lane >= 0 && self_lane < lanes) {
      simd::set_lane<Real>(m, static_cast<int>(self_lane), Real(0));
      simd::set_lane<Real>(factor, static_cast<int>(self_lane), Real(0));
    }
    sum.depth += softening.depth(m, factor, r);
  }
  /// Stores the accelerations of all lanes in consecutive rows. Host only.
  template <int lanes>
  void store_all(std::size_t row, Total<lanes> const& total) const {
    simd::store(&acceleration(row, 0), simd::widened<Stored, Sums>(G * total.x));
    simd::store(&acceleration(row, 1), simd::widened<Stored, Sums>(G * total.y));
    simd::store(&acceleration(row, 2), simd::widened<Stored, Sums>(G * total.z));
  }
  /// Stores the total of one lane; with `more` adds it to the stored value.
  template <bool more = false, int lanes>
  KOKKOS_FORCEINLINE_FUNCTION void store(std::size_t row, Total<lanes> const& total,
                                         int lane) const {
    if constexpr (accelerates) {
      store_value<more>(acceleration(row, 0),
                        static_cast<Stored>(G * simd::lane<Sums>(total.x, lane)));
      store_value<more>(acceleration(row, 1),
                        static_cast<Stored>(G * simd::lane<Sums>(total.y, lane)));
      store_value<more>(acceleration(row, 2),
                        static_cast<Stored>(G * simd::lane<Sums>(total.z, lane)));
    }
    if constexpr (excludes_self) {
      store_value<more>(potential(row),
                        -static_cast<double>(G) * simd::lane<double>(total.depth, lane));
    }
  }

 private:
  /// Sets the axes to `part` of the stored vectors from `row`, rounded to Real.
  template <class Lanes, class Part>
  static void set_axes(Lanes& x, Lanes& y, Lanes& z, VectorRows<Stored const> const& columns,
                       std::size_t row, Part const& part) {
    using Wide = typename simd::Pack<Stored, simd::lane_count<Real, Lanes>>::type;
    auto const axis = [&](int k) {
      return simd::widened<Real, Stored>(part(simd::loaded<Wide>(&columns(row, k))));
    };
    x = axis(0);
    y = axis(1);
    z = axis(2);
  }
  /// Loads the position of a source or of a target into one lane.
  template <bool is_source, class Target>
  KOKKOS_FORCEINLINE_FUNCTION void load_position(Target& target, int lane, std::size_t i) const {
    auto const& columns = is_source ? position : target_position;
    set_axis(target.x, lane, columns(i, 0));
    set_axis(target.y, lane, columns(i, 1));
    set_axis(target.z, lane, columns(i, 2));
    if constexpr (Number::split) {
      set_low(target.x_low, lane, columns(i, 0));
      set_low(target.y_low, lane, columns(i, 1));
      set_low(target.z_low, lane, columns(i, 2));
    }
    if constexpr (Number::has_low_columns) {
      auto const& low = is_source ? this->position_low : this->target_position_low;
      set_axis(target.x_low, lane, low(i, 0));
      set_axis(target.y_low, lane, low(i, 1));
      set_axis(target.z_low, lane, low(i, 2));
    }
  }
  template <class Lanes>
  KOKKOS_FORCEINLINE_FUNCTION static void accelerate(Sum<Lanes>& sum, Lanes f,
                                                     Separation<Lanes> const& r) {
    sum.x += f * r.x;
    sum.y += f * r.y;
    sum.z += f * r.z;
  }
  template <class Lanes>
  KOKKOS_FORCEINLINE_FUNCTION static void set_axis(Lanes& axis, int lane, Stored x) {
    simd::set_lane<Real>(axis, lane, static_cast<Real>(x));
  }
  template <class Lanes>
  KOKKOS_FORCEINLINE_FUNCTION static void set_low(Lanes& axis, int lane, Stored x) {
    simd::set_lane<Real>(axis, lane,
                         static_cast<Real>(x - static_cast<Stored>(static_cast<Real>(x))));
  }
};

}  // namespace apsis::forces
