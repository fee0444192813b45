// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/bodies/bodies.hpp>
#include <apsis/driver/configuration.hpp>
#include <apsis/driver/run_output.hpp>
#include <apsis/forces/solver.hpp>

#include <cstdint>
#include <future>
#include <optional>

namespace apsis::driver {

/// The snapshots of a run: when each is due, and the thread that writes it while the run goes on.
/// The bodies are copied to memory of the host that the device can reach fast, and the run waits
/// for no more than that copy, and for the snapshot before if it is still being written.
template <class Real>
class Snapshots {
 public:
  /// Snapshots in a row that may fail before the run ends for it.
  static constexpr int most_failures = 3;

  /// `run` and `output` must outlive it.
  Snapshots(Configuration const& run, RunOutput& output) : run_(run), output_(output) {}
  ~Snapshots();

  /// Whether the schedule asks for one: at the start and at every interval.
  bool due(std::uint64_t step) const {
    return run_.snapshot_steps && step % *run_.snapshot_steps == 0;
  }
  bool wanted() const { return run_.snapshot_steps.has_value(); }

  /// Copies the bodies and hands them to the thread. `potential` is theirs if it `is_known`, and is
  /// overwritten with theirs if snapshots have potentials. Throws as settle() does.
  void write(ExecutionSpace const& space, Bodies<Real> const& bodies, forces::Solver<Real>& solver,
             Column<double> const& potential, bool is_known, std::uint64_t step);

  /// Waits until everything is on the disk. A snapshot that could not be written is a warning, and
  /// an input/output error if it is one too many in a row.
  void settle();

  /// Numbers used so far, and how to go back to an earlier count or on from one.
  std::uint64_t count() const { return count_; }
  void count_from(std::uint64_t count) { count_ = count; }

 private:
  void copy(ExecutionSpace const& space, Bodies<Real> const& bodies, forces::Solver<Real>& solver,
            Column<double> const& potential, bool is_known);

#ifdef KOKKOS_HAS_SHARED_HOST_PINNED_SPACE
  using CopySpace = Kokkos::SharedHostPinnedSpace;
#else
  using CopySpace = Kokkos::HostSpace;
#endif
  template <class Data>
  using Copy = Kokkos::View<Data, Kokkos::LayoutLeft, CopySpace>;

  Configuration const& run_;
  RunOutput& output_;
  std::uint64_t count_ = 0;
  int failures_ = 0;  ///< in a row
  Copy<Real*[3]> position_, velocity_, acceleration_;
  Copy<Real*> mass_;
  Copy<std::uint64_t*> id_;
  Copy<double*> potential_;
  std::future<std::optional<Problem>> writing_;  ///< what went wrong, if anything did
};

extern template class Snapshots<float>;
extern template class Snapshots<double>;

}  // namespace apsis::driver
