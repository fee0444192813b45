// SPDX-License-Identifier: Apache-2.0
#include "apsis/forces/massive_sources.hpp"

#include "core/transport.hpp"
#include <apsis/bodies/transfer.hpp>
#include <apsis/core/backend.hpp>
#include <apsis/core/error.hpp>
#include <apsis/core/views.hpp>

#include <span>
#include <utility>
#include <vector>

namespace apsis::forces {

namespace {

constexpr int most_columns = 4;

/// Copies rows of some columns in the order of a list.
template <class Stored>
void gather(ExecutionSpace const& space, BodyList const& order, std::size_t count,
            Kokkos::Array<VectorColumns<Stored>, most_columns> const& source_columns,
            Kokkos::Array<VectorColumns<Stored>, most_columns> const& target_columns, int columns) {
  for_each_body(
      space, "apsis::forces::massive_sources::gather", count, KOKKOS_LAMBDA(std::size_t row) {
        for (int k = 0; k < columns; ++k) {
          for (int axis = 0; axis < 3; ++axis)
            target_columns[k](row, axis) = source_columns[k](order(row), axis);
        }
      });
}

/// Copies to the bodies of this rank, the first of which has number `first`.
void scatter(ExecutionSpace const& space, BodyList const& order, Column<double> const& source,
             std::size_t first, std::size_t count, Column<double> const& target) {
  for_each_body(
      space, "apsis::forces::massive_sources::scatter", order.extent(0),
      KOKKOS_LAMBDA(std::size_t row) {
        std::size_t const i = order(row) - first;  // wraps around for bodies of lower ranks
        if (i < count) target(i) = source(row);
      });
}

}  // namespace

template <class Stored>
std::size_t MassiveSources<Stored>::detect(Context const& context, Column<Stored> const& mass) {
  *this = {};
  auto const& space = context.space;
  std::vector<Stored> host(mass.extent(0));
  Kokkos::deep_copy(space, unmanaged(host), mass);
  space.fence("apsis::forces::massive_sources: the host reads masses");
  host = gather_values(context, std::move(host));
  std::vector<std::size_t> order, massless;
  std::vector<Stored> masses;
  for (std::size_t i = 0; i < host.size(); ++i) {
    bool const is_massive = host[i] != Stored(0);
    (is_massive ? order : massless).push_back(i);
    if (is_massive) masses.push_back(host[i]);
  }
  std::size_t const count = order.size();
  // Evaluating each pair once takes two thirds of the work of evaluating it from both sides.
  is_active_ = 3 * count < 2 * host.size();
  if (!is_active_) return count;
  all_masses_ = mass;
  has_massive_first_ = count == 0 || order.back() == count - 1;
  order.insert(order.end(), massless.begin(), massless.end());
  massive_ = copy_to_device(space, masses, "apsis::forces::massive_sources::mass");
  order_ = copy_to_device(space, order, "apsis::forces::massive_sources::order");
  space.fence("apsis::forces::massive_sources: what was copied is freed");
  return count;
}

template <class Stored>
Sources<Stored> MassiveSources<Stored>::sources(ExecutionSpace const& space,
                                                Request<Stored> const& request) {
  auto massive = request.sources;
  massive.mass = massive_;
  massive.total = massive_.extent(0);
  if (has_massive_first_) return massive;
  // Potentials of all bodies need the positions of all bodies.
  std::size_t const count =
      request.wanted.has(Wants::potential) ? order_.extent(0) : massive_.extent(0);
  Kokkos::Array<VectorColumns<Stored>, most_columns> original, gathered;
  int columns = 0;
  auto const add_column = [&](auto& column, auto& buffer, char const* label) {
    grow(space, buffer, label, count);
    original[columns] = column;
    gathered[columns] = column = buffer;
    ++columns;
  };
  bool const snaps = request.wanted.has(Wants::snap);
  add_column(massive.position, position_, "apsis::forces::massive_sources::position");
  if (snaps || request.wanted.has(Wants::jerk)) {
    add_column(massive.velocity, velocity_, "apsis::forces::massive_sources::velocity");
  }
  if (snaps) {
    add_column(massive.acceleration, acceleration_, "apsis::forces::massive_sources::acceleration");
  }
  if (massive.has_low_parts) {
    add_column(massive.position_low, position_low_, "apsis::forces::massive_sources::position_low");
  }
  gather<Stored>(space, order_, count, original, gathered, columns);
  massive.first = 0;
  return massive;
}

template <class Stored>
Request<Stored> MassiveSources<Stored>::potential_request(Context const& context,
                                                          Request<Stored> const& request) {
  std::size_t const count = order_.extent(0);
  Share rows{0, count};
  if (is_shared(context)) {
    rows = share_of(count, context.communicator->rank(), context.communicator->size());
  }
  fit(context.space, potential_, "apsis::forces::massive_sources::potential", rows.count);
  auto result = request;
  result.sources.position = position_;
  result.sources.has_low_parts = false;
  result.sources.mass = massive_;
  result.sources.first = 0;
  result.sources.total = massive_.extent(0);
  result.targets = {position_, {}, {}, BodyRows::range(rows.first, rows.count), count};
  result.wanted = Field<Stored>::potentials(potential_);
  return result;
}

template <class Stored>
void MassiveSources<Stored>::scatter_potentials(Context const& context,
                                                Request<Stored> const& request) {
  auto values = potential_;
  if (is_shared(context)) {
    grow(context.space, potentials_, "apsis::forces::massive_sources::potentials",
         order_.extent(0));
    auto const& communicator = *context.communicator;
    std::vector<std::size_t> first_rows;
    for (std::size_t k = 0; k <= communicator.size(); ++k) {
      first_rows.push_back(share_of(order_.extent(0), k, communicator.size()).first);
    }
    std::vector<std::span<std::byte const>> sent;
    std::vector<std::span<std::byte>> received;
    append_bytes(sent, potential_, potential_.extent(0));
    append_bytes(received, potentials_, order_.extent(0));
    communicator.transport().gather(context.space, sent, received, first_rows);
    values = potentials_;
  }
  auto const& targets = request.targets;
  scatter(context.space, order_, values, targets.first.value_or(0), targets.size(),
          request.wanted.potential);
}

template class MassiveSources<float>;
template class MassiveSources<double>;

}  // namespace apsis::forces
