// SPDX-License-Identifier: Apache-2.0
#include "module.hpp"
#include <apsis/core/machine.hpp>
#include <apsis/domain/processes.hpp>
#include <apsis/simulation/leader.hpp>

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <utility>

namespace apsis::python {

namespace {

/// The ranks of a communicator of mpi4py, of which rank 0 leads and the others follow.
class Ranks {
 public:
  explicit Ranks(int communicator)
      : processes_(domain::CommunicatorHandle{communicator}), place_(processes_.place()) {}

  std::size_t rank() const { return processes_.rank(); }
  std::size_t size() const { return processes_.size(); }

  /// Rank 0: initialises all ranks; simulations and runs are then shared until release().
  void lead(std::optional<int> threads) {
    leader_ = std::make_shared<simulation::Leader>(processes_.communicator());
    start_kokkos(threads, place_.threads);
    leader_->begin({.threads = threads}, info());
    current_leader() = leader_;
  }
  /// Rank 0: lets the other ranks return from follow(). All shared simulations must be gone.
  void release() {
    current_leader().reset();
    if (leader_) std::exchange(leader_, nullptr)->release(ExitStatus::conserved);
  }
  bool is_broken() const { return leader_ && leader_->is_broken(); }

  /// The other ranks: takes part in what rank 0 does.
  void follow() {
    auto const begin = [this](simulation::SharingOptions const& options, std::shared_ptr<void>&) {
      start_kokkos(options.threads, place_.threads);
      return info();
    };
    simulation::follow(processes_.communicator(), begin);
  }

 private:
  simulation::RankInfo info() const {
    simulation::RankInfo member;
    member.host = host_name();
    member.device = device_name();
    member.address = device_address();
    member.executable = this_executable();
    member.threads = host_threads();
    member.processors = place_.processors;
    return member;
  }

  domain::Processes processes_;
  domain::Place place_;
  std::shared_ptr<simulation::Leader> leader_;
};

}  // namespace

void bind_mpi(nb::module_& extension) {
  using namespace nb::literals;
  extension.def("mpi_library", domain::mpi_library);
  nb::class_<Ranks> type(extension, "Ranks", "The ranks of a communicator, see apsis.mpi.");
  type.def(nb::init<int>(), "communicator"_a);
  type.def_prop_ro("rank", &Ranks::rank);
  type.def_prop_ro("size", &Ranks::size);
  type.def_prop_ro("is_broken", &Ranks::is_broken);
  type.def("lead", &Ranks::lead, "threads"_a = nb::none());
  type.def("release", &Ranks::release);
  type.def("follow", &Ranks::follow, nb::call_guard<nb::gil_scoped_release>());
}

}  // namespace apsis::python
