// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/core/backend.hpp>
#include <apsis/core/execution.hpp>

#include <cstddef>
#include <iterator>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

/// Allocation of Views, Views of host memory, and the bytes of columns.
namespace apsis {

/// Allocates a View without initialising it.
template <class View, class... Extents>
View uninitialised(ExecutionSpace const& space, std::string const& label, Extents... extents) {
  return View(Kokkos::view_alloc(space, Kokkos::WithoutInitializing, label), extents...);
}

/// Allocates `view` with exactly `rows` rows (and `columns` columns unless that extent is static),
/// without initialising it. Keeps the present allocation if it has the same number of rows.
template <class View, class... Extents>
void fit(ExecutionSpace const& space, View& view, std::string const& label, std::size_t rows,
         Extents... columns) {
  if (view.is_allocated() && view.extent(0) == rows) return;
  view = View();
  view = uninitialised<View>(space, label, rows, columns...);
}

/// Allocates `view` like fit() if it has fewer than `rows` rows. Never shrinks, since the number of
/// targets may vary from step to step.
template <class View, class... Extents>
void grow(ExecutionSpace const& space, View& view, std::string const& label, std::size_t rows,
          Extents... columns) {
  if (view.extent(0) < rows) fit(space, view, label, rows, columns...);
}

/// View of contiguous `values` in memory of `Space`, which it does not own.
template <class Space = Kokkos::HostSpace, class Values>
auto unmanaged(Values&& values) {
  using Pointer = decltype(std::data(values));
  return Kokkos::View<Pointer, Space, Kokkos::MemoryTraits<Kokkos::Unmanaged>>(std::data(values),
                                                                               std::size(values));
}

/// Sets a View with one row per body to `source`: another View of the same shape, or a value for
/// all elements. Few bodies in host memory are copied by the calling thread, without the fences of
/// Kokkos::deep_copy().
template <class View, class Source>
void copy_bodies(ExecutionSpace const& space, View const& view, Source const& source) {
  if constexpr (bodies_on_host) {
    if (is_loop_faster(view.extent(0))) {
      auto const copy = [&](auto... index) {
        if constexpr (Kokkos::is_view_v<Source>) {
          view(index...) = source(index...);
        } else {
          view(index...) = source;
        }
      };
      for (std::size_t i = 0; i < view.extent(0); ++i) {
        if constexpr (View::rank() == 2) {
          for (std::size_t k = 0; k < view.extent(1); ++k) copy(i, k);
        } else {
          copy(i);
        }
      }
      return;
    }
  }
  Kokkos::deep_copy(space, view, source);
}

/// Copies a host mirror back to `view`; fences. Does nothing if the mirror is the View itself, as
/// on a host.
template <class View, class Mirror>
void copy_from_mirror(View const& view, Mirror const& mirror) {
  if (view.data() != mirror.data()) Kokkos::deep_copy(view, mirror);
}

/// Copies contiguous values of the host to a new View. Does not fence: the values must live until
/// the copy is complete.
template <class Values>
auto copy_to_device(ExecutionSpace const& space, Values const& values, std::string const& label) {
  using Element = std::remove_cvref_t<decltype(*std::data(values))>;
  auto const view =
      uninitialised<Kokkos::View<Element*, MemorySpace>>(space, label, std::size(values));
  Kokkos::deep_copy(space, view, unmanaged(values));
  return view;
}

/// Appends the bytes of the first `rows` rows of a column, or of the three columns of a vector, to
/// a list for a Transport.
template <class Byte, class View>
void append_bytes(std::vector<std::span<Byte>>& list, View const& view, std::size_t rows) {
  constexpr bool is_vector = View::rank() == 2;
  static_assert(!is_vector || View::static_extent(1) == 3);
  for (std::size_t axis = 0; axis < (is_vector ? 3 : 1); ++axis) {
    auto* const column = view.data() + (is_vector ? axis * view.stride(1) : 0);
    list.emplace_back(reinterpret_cast<Byte*>(column), rows * sizeof(*column));
  }
}

}  // namespace apsis
