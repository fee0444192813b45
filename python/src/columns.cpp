// SPDX-License-Identifier: Apache-2.0
#include "module.hpp"
#include <apsis/core/backend.hpp>
#include <apsis/core/error.hpp>
#include <apsis/simulation/whole_bodies.hpp>

#include <algorithm>
#include <cstdint>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>
#include <string>
#include <utility>
#include <vector>

namespace apsis::python {

namespace {

/// A value and, for the end of the process, that there is one.
template <class Value>
struct CountedValue : Counted {
  Value value;
  explicit CountedValue(Value initial) : value(std::move(initial)) {}
};

/// Owner of an array: keeps `value` until the array is gone.
template <class Value>
nb::capsule keep(Value value) {
  return {new CountedValue<Value>(std::move(value)),
          // A forked process must not free memory of a device.
          [](void* owned) noexcept {
            if (!is_forked()) delete static_cast<CountedValue<Value>*>(owned);
          }};
}

constexpr bool host_reads_bodies =
    Kokkos::SpaceAccessibility<Kokkos::HostSpace, MemorySpace>::accessible;

int device_type() {
  if constexpr (host_reads_bodies) return nb::device::cpu::value;
  return std::string(ExecutionSpace::name()) == "HIP" ? nb::device::rocm::value
                                                      : nb::device::cuda::value;
}

/// Device number, as CUDA and HIP count those that this process sees.
int device_number() {
  return host_reads_bodies ? 0 : Kokkos::device_id();
}

/// Whether arrays are those of a device, as if the host could not read them; for tests.
bool pretends_device = false;

/// Returns an array of the module that the host cannot read: it is copied where the host needs it.
nb::object device_array(nb::object const& raw) {
  return nb::module_::import_("apsis.simulations.device_array").attr("DeviceArray")(raw);
}

/// Copies an array of the device to the host, read-only: writing to a copy would do nothing.
template <class Value>
nb::object host_copy(nb::ndarray<nb::ro> const& array) {
  // One dimension is contiguous; for transposed vectors it is the second one.
  std::size_t const dimensions = array.ndim();
  bool const is_transposed = dimensions == 2 && array.stride(0) != 1;
  std::size_t const rows = array.shape(is_transposed ? 1 : 0);
  std::size_t const columns = dimensions == 2 ? array.shape(is_transposed ? 0 : 1) : 1;
  std::int64_t const distance = dimensions == 2 ? array.stride(is_transposed ? 0 : 1) : 0;
  std::vector<Value> values(rows * columns);
  auto const* const source = static_cast<Value const*>(array.data());
  for (std::size_t k = 0; k < columns; ++k) {
    Kokkos::deep_copy(Kokkos::View<Value*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>(
                          values.data() + k * rows, rows),
                      Kokkos::View<Value const*, MemorySpace, Kokkos::MemoryUnmanaged>(
                          source + static_cast<std::ptrdiff_t>(k) * distance, rows));
  }
  std::size_t const shape[2] = {is_transposed ? columns : rows, is_transposed ? rows : columns};
  auto const long_stride = static_cast<std::int64_t>(rows);
  std::int64_t const strides[2] = {is_transposed ? long_stride : 1,
                                   is_transposed ? 1 : long_stride};
  auto* const data = values.data();
  return nb::cast(nb::ndarray<nb::numpy, Value, nb::ro>(data, dimensions, shape,
                                                        keep(std::move(values)), strides));
}

nb::object array_on_host(nb::ndarray<nb::ro> const& array) {
  check_not_forked();
  if (array.dtype() == nb::dtype<float>()) return host_copy<float>(array);
  if (array.dtype() == nb::dtype<double>()) return host_copy<double>(array);
  return host_copy<std::uint64_t>(array);
}

/// Returns the transposed array, in the same memory.
nb::object transposed(nb::object const& raw) {
  auto const array = nb::cast<nb::ndarray<nb::ro>>(raw);
  std::size_t const shape[2] = {array.shape(1), array.shape(0)};
  std::int64_t const strides[2] = {array.stride(1), array.stride(0)};
  return nb::cast(nb::ndarray<nb::array_api, nb::ro>(
      array.data(), 2, shape, raw, strides, array.dtype(), array.device_type(), array.device_id()));
}

template <class View>
nb::object array_view(View const& view) {
  using Value = typename View::non_const_value_type;
  std::size_t const rows = view.extent(0);
  std::size_t const shape[2] = {rows, 3};
  std::int64_t const strides[2] = {
      1, view.rank() == 2 ? static_cast<std::int64_t>(view.stride(1)) : 0};
  auto const make = [&]<class Framework>(Framework) {
    return nb::cast(nb::ndarray<Framework, nb::ro>(view.data(), view.rank(), shape, keep(view),
                                                   strides, nb::dtype<Value>(), device_type(),
                                                   device_number()));
  };
  if constexpr (host_reads_bodies) {
    if (!pretends_device) return make(nb::numpy{});
  }
  return device_array(make(nb::array_api{}));
}

template <class Value>
std::vector<Value> numbers_in(nb::dict const& columns, char const* name) {
  using Array = nb::ndarray<Value const, nb::shape<-1>, nb::device::cpu>;
  std::vector<Value> numbers;
  if (!columns.contains(name)) return numbers;
  Array array;
  if (!nb::try_cast<Array>(columns[name], array)) {
    throw Error(ExitStatus::usage, {name, "not one number for each body", "it has another shape",
                                    "give an array with one dimension"});
  }
  numbers.resize(array.shape(0));
  for (std::size_t i = 0; i < numbers.size(); ++i)
    numbers[i] = array.data()[static_cast<std::ptrdiff_t>(i) * array.stride(0)];
  return numbers;
}

std::vector<Vec3<double>> vectors_in(nb::dict const& columns, char const* name) {
  Vectors array;
  if (!columns.contains(name) || !nb::try_cast<Vectors>(columns[name], array)) {
    throw Error(ExitStatus::usage, {name, "not one vector for each body", "its shape is not (N, 3)",
                                    "give an array of N rows and three columns"});
  }
  return vectors_of(array);
}

}  // namespace

void bind_arrays(nb::module_& extension) {
  using namespace nb::literals;
  extension.def("array_on_host", array_on_host, "array"_a);
  extension.def("transposed", transposed, "array"_a);
  extension.def(
      "_pretend_device", [](bool pretends) { pretends_device = pretends; }, "pretends"_a);
}

nb::object column_of(simulation::Instant& now, BodyColumn column) {
  return simulation::on_whole(now, [&](Context const& context, auto const& bodies, auto const&) {
    context.space.fence("apsis::python: the reader of the array");
    switch (column) {
      case BodyColumn::position:
        return array_view(bodies.position);
      case BodyColumn::velocity:
        return array_view(bodies.velocity);
      case BodyColumn::acceleration:
        return array_view(bodies.acceleration);
      case BodyColumn::mass:
        return array_view(bodies.mass);
      case BodyColumn::id:
        break;
    }
    return array_view(bodies.id);
  });
}

nb::object species_of(simulation::Instant& now) {
  std::vector<std::uint8_t> species = *now.whole().species;
  if (species.empty()) species.assign(now.bodies().size(), species_types::dark);
  std::size_t const count = species.size();
  auto* const data = species.data();
  return nb::cast(nb::ndarray<nb::numpy, std::uint8_t>(data, {count}, keep(std::move(species))));
}

nb::object array_of(std::vector<double> values) {
  std::size_t const count = values.size();
  auto* const data = values.data();
  return nb::cast(nb::ndarray<nb::numpy, double>(data, {count}, keep(std::move(values))));
}

nb::object array_of(std::vector<Vec3<double>> const& vectors) {
  std::vector<double> values;
  values.reserve(3 * vectors.size());
  for (auto const& v : vectors) values.insert(values.end(), {v.x, v.y, v.z});
  auto* const data = values.data();
  return nb::cast(
      nb::ndarray<nb::numpy, double>(data, {vectors.size(), 3}, keep(std::move(values))));
}

std::vector<Vec3<double>> vectors_of(Vectors const& array) {
  std::vector<Vec3<double>> vectors(array.shape(0));
  for (std::size_t i = 0; i < vectors.size(); ++i) {
    double const* const row = array.data() + static_cast<std::ptrdiff_t>(i) * array.stride(0);
    vectors[i] = {row[0], row[array.stride(1)], row[2 * array.stride(1)]};
  }
  return vectors;
}

HostBodies bodies_of(nb::dict const& columns) {
  HostBodies bodies;
  bodies.mass = numbers_in<double>(columns, "mass");
  bodies.position = vectors_in(columns, "position");
  bodies.velocity = vectors_in(columns, "velocity");
  bodies.id = numbers_in<std::uint64_t>(columns, "id");
  if (!columns.contains("id")) bodies.id = HostBodies(bodies.size()).id;
  bodies.species = numbers_in<std::uint8_t>(columns, "species");
  bodies.radius = numbers_in<double>(columns, "radius");
  if (columns.contains("name")) bodies.name = nb::cast<std::vector<std::string>>(columns["name"]);
  return bodies;
}

nb::object array_of(std::vector<std::uint64_t> values) {
  std::size_t const count = values.size();
  auto* const data = values.data();
  return nb::cast(nb::ndarray<nb::numpy, std::uint64_t>(data, {count}, keep(std::move(values))));
}

nb::dict dictionary_of(HostBodies const& bodies) {
  nb::dict columns;
  columns["mass"] = array_of(bodies.mass);
  columns["position"] = array_of(bodies.position);
  columns["velocity"] = array_of(bodies.velocity);
  columns["id"] = array_of(bodies.id);
  if (!bodies.radius.empty()) columns["radius"] = array_of(bodies.radius);
  if (!bodies.name.empty()) columns["name"] = bodies.name;
  return columns;
}

}  // namespace apsis::python
