// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/bodies/host_bodies.hpp>
#include <apsis/simulation/simulation.hpp>

#include <atomic>
#include <cstddef>
#include <memory>
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <optional>
#include <string>
#include <vector>

namespace apsis::simulation {
class Leader;
}

/// The extension _apsis of the Python module apsis: a thin layer, which the package apsis gives its
/// public form.
namespace apsis::python {

namespace nb = nanobind;

/// Translates errors to exceptions that the package has set by `set_error_type`.
void bind_errors(nb::module_& extension);
void bind_arrays(nb::module_& extension);
void bind_simulation(nb::module_& extension);
void bind_run(nb::module_& extension);
void bind_mpi(nb::module_& extension);

/// Whether this is a child process of fork() and Kokkos ran in its parent.
bool is_forked();
/// Throws a usage error in a child process of fork() if Kokkos ran in its parent: the threads of
/// OpenMP do not exist there, and the first kernel would wait for them for ever.
void check_not_forked();
/// Initialises Kokkos unless it is already, with `threads`, otherwise with `default_threads`. It is
/// finalised at the end of the process, but not if an object that Python has not destroyed by then
/// still owns a View: that would abort the process.
void start_kokkos(std::optional<int> threads, std::optional<int> default_threads = {});

/// The leader of the ranks that share what this process computes, or null: this process alone. It
/// is set within apsis.mpi.lead.
std::shared_ptr<simulation::Leader>& current_leader();

/// Counts objects that own memory of Kokkos: it is finalised at the end of a process that has none
/// left.
class Counted {
 public:
  Counted() { ++count; }
  Counted(Counted const&) { ++count; }
  Counted& operator=(Counted const&) = default;
  ~Counted() { --count; }
  static std::atomic<std::size_t> count;
};

/// Name of a column of the bodies.
enum class BodyColumn { position, velocity, acceleration, mass, id };

/// Returns a read-only array of the stored column without a copy, (N, 3) or (N): for NumPy where
/// the host can read it, otherwise an apsis.simulations.device_array.DeviceArray. The array keeps
/// the memory alive.
nb::object column_of(simulation::Instant& now, BodyColumn column);
template <class Holder, BodyColumn column>
nb::object column_property(Holder& holder) {
  check_not_forked();
  return column_of(holder.now(), column);
}
/// Returns the species of all bodies as an array of unsigned 8-bit numbers, copied.
nb::object species_of(simulation::Instant& now);
/// Returns a NumPy array that owns these numbers: (N), or (N, 3) for vectors.
nb::object array_of(std::vector<double> values);
nb::object array_of(std::vector<std::uint64_t> values);
nb::object array_of(std::vector<Vec3<double>> const& vectors);

/// Reads (N, 3) numbers of the host in any layout.
using Vectors = nb::ndarray<double const, nb::shape<-1, 3>, nb::device::cpu>;
using Numbers = nb::ndarray<double const, nb::shape<-1>, nb::device::cpu>;
std::vector<Vec3<double>> vectors_of(Vectors const& array);

/// Reads a dictionary of arrays: mass, position, velocity and, optionally, id, species, radius and
/// name.
HostBodies bodies_of(nb::dict const& columns);
/// Returns such a dictionary, copied.
nb::dict dictionary_of(HostBodies const& bodies);

}  // namespace apsis::python
