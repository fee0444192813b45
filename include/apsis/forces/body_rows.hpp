// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/core/execution.hpp>

#include <cstddef>

namespace apsis::forces {

/// Bodies first ... first + count - 1.
struct BodyRange {
  std::size_t first;
  std::size_t count;
};

/// Row numbers in rising order.
using BodyList = Kokkos::View<std::size_t*, MemorySpace>;

/// Rows of columns that a loop visits: a range, or the rows of a list.
class BodyRows {
 public:
  BodyRows() = default;
  /// All `count` rows of the columns.
  static BodyRows all(std::size_t count) { return range(0, count); }
  static BodyRows range(std::size_t first, std::size_t count) {
    BodyRows rows;
    rows.range_ = {first, count};
    return rows;
  }
  /// The first `count` rows of a list, which may be longer.
  static BodyRows listed(BodyList const& list, std::size_t count) {
    auto rows = all(count);
    rows.list_ = list;
    rows.is_listed_ = true;
    return rows;
  }

  KOKKOS_FUNCTION std::size_t size() const { return range_.count; }
  KOKKOS_FUNCTION bool is_listed() const { return is_listed_; }
  /// Whether these are the first rows of the columns.
  bool begins_at_first() const { return !is_listed_ && range_.first == 0; }
  BodyList const& list() const { return list_; }
  /// Range of the rows or, with a list, of its elements.
  BodyRange bounds() const { return range_; }
  /// Row of the k-th visit, k < size().
  KOKKOS_FORCEINLINE_FUNCTION std::size_t operator[](std::size_t k) const {
    return is_listed_ ? list_(k) : range_.first + k;
  }

 private:
  BodyList list_;
  BodyRange range_{0, 0};
  bool is_listed_ = false;
};

}  // namespace apsis::forces
