// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/bodies/bodies.hpp>

namespace apsis {

/// Columns of bodies, stored as float or double and read as double: the three of a vector, or one.
/// Does not own them: the View must live until the last kernel that reads it was launched.
class ReadColumns {
 public:
  ReadColumns() = default;
  template <class Real>
  ReadColumns(VectorColumns<Real> const& columns)
      : size_(columns.extent(0)), stride_(columns.stride(1)) {
    set(columns.data());
  }
  template <class Real>
  ReadColumns(Column<Real> const& column) : size_(column.extent(0)) {
    set(column.data());
  }

  /// Number of rows.
  KOKKOS_FUNCTION std::size_t size() const { return size_; }

  /// The columns of a vector if they are stored as doubles, otherwise without rows.
  VectorColumns<double const> doubles() const {
    return VectorColumns<double const>(double_, double_ != nullptr ? size_ : 0);
  }

  KOKKOS_FORCEINLINE_FUNCTION double operator()(std::size_t i, int axis = 0) const {
    std::size_t const element = i + static_cast<std::size_t>(axis) * stride_;
    return single_ != nullptr ? static_cast<double>(single_[element]) : double_[element];
  }

 private:
  void set(float const* data) { single_ = data; }
  void set(double const* data) { double_ = data; }

  float const* single_ = nullptr;
  double const* double_ = nullptr;
  std::size_t size_ = 0, stride_ = 0;
};

/// Vector of body i.
KOKKOS_FORCEINLINE_FUNCTION Vec3<double> row(ReadColumns const& columns, std::size_t i) {
  return {columns(i, 0), columns(i, 1), columns(i, 2)};
}

/// Bodies of this rank in either precision, read as double. Does not own their columns.
struct ReadBodies {
  ReadColumns position, velocity, acceleration, mass;  ///< as in Bodies
  std::uint64_t const* id = nullptr;                   ///< as in Bodies; null for sources
  std::size_t first = 0, total = 0;                    ///< as in Bodies

  ReadBodies() = default;
  /// Reads Bodies, or the Sources of a request.
  template <template <class> class Rows, class Real>
  ReadBodies(Rows<Real> const& bodies)
      : position(bodies.position),
        velocity(bodies.velocity),
        acceleration(bodies.acceleration),
        mass(bodies.mass),
        first(bodies.first),
        total(bodies.total) {
    if constexpr (requires { bodies.id.data(); }) id = bodies.id.data();
  }

  std::size_t size() const { return mass.size(); }
};

}  // namespace apsis
