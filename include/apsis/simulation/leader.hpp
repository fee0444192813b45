// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/bodies/host_bodies.hpp>
#include <apsis/core/communicator.hpp>
#include <apsis/core/error.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace apsis {
class SavedState;
}

namespace apsis::deck {
struct Configuration;
struct ConfiguredDeck;
}  // namespace apsis::deck

namespace apsis::simulation {

class Simulation;

/// Description of one of the ranks that share a run.
struct RankInfo {
  std::string host;
  std::string device;
  std::string address{};     ///< of the accelerator within its host; empty for CPUs
  std::string executable{};  ///< this_executable()
  int threads = 1;           ///< on the host
  /// Processors of the host that the rank may use: '1' or '0' for each processor number; empty if
  /// unknown.
  std::string processors{};
  std::string command_line{};
  std::string problem{};  ///< why the rank cannot take part; empty if it can
  std::string advice{};   ///< what to do about the problem
  ExitStatus status{};    ///< exit status of a single process with this problem
};

/// Options of the ranks of a shared run.
struct SharingOptions {
  std::optional<int> threads{};  ///< threads of each rank; default: all processors available to it
  bool share_devices = false;    ///< several ranks may use one accelerator
  bool heeds_signals = false;    ///< followers catch signals, which are requests to the leader rank
};

/// Leader rank (rank 0) of a run that several ranks share. It alone makes decisions and reads and
/// writes files. Every operation on its simulations is broadcast to the follower ranks, which apply
/// it to theirs. To its callers a shared simulation looks like any other.
///
///     leader rank (rank 0)                           follower ranks (1 ... n - 1)
///     ------------------------------------------     ----------------------------
///     run -> SharedSimulation::advance()             follow(): loop
///              broadcast_call(advance, 1)  --------->  receive_call()
///              own share: advance(1)       <-------->  own share: advance(1)
///                                        collective
///                                       communication
///     run <- result                                    result is unused
///              ...                                     ...
///            Leader::release(status)       --------->  return status
class Leader {
 public:
  explicit Leader(std::shared_ptr<Communicator const> communicator);
  Leader(Leader const&) = delete;
  Leader& operator=(Leader const&) = delete;

  /// Initialises all ranks. This process is already initialised and described by `own_info`. Throws
  /// the error of the first rank that cannot take part; an internal error if command lines,
  /// executables or devices differ, because results depend on them; a usage error if several ranks
  /// use one accelerator without permission.
  void begin(SharingOptions const& options, RankInfo const& own_info);
  /// Descriptions of all ranks in rank order, rank 0 first; empty before begin().
  std::vector<RankInfo> const& ranks() const { return ranks_; }
  /// Describes the hosts on which the ranks have more threads than processors; empty if there are
  /// none.
  std::string oversubscription() const;
  /// Returns a note on ranks that have none of `bodies` bodies; empty if each rank has some.
  std::string idle_ranks(std::uint64_t bodies) const;
  /// Returns the devices of each host: "a: 2 x H100; b: 1 x H100".
  std::string devices_by_host() const;
  /// Returns a line such as "3 processes: a: 2 x H100; b: 1 x H100; transport NCCL 2.28.3".
  std::string summary() const;

  /// Collective versions of make_simulation() and restore_simulation(), for the deck of the last
  /// set_leader().
  std::unique_ptr<Simulation> make(deck::Configuration const& run, HostBodies const& start);
  std::unique_ptr<Simulation> restore(deck::Configuration const& run, std::size_t count,
                                      SavedState& state);

  /// Name of the transport between the ranks; empty before begin().
  std::string const& transport_name() const { return transport_name_; }

  /// Measures the wall time of each of `times` collective gathers of `bytes` bytes per rank, in the
  /// memory space of the bodies [s].
  std::vector<double> time_gathers(std::size_t bytes, int times);
  /// Communication statistics of this process.
  Traffic traffic() const;
  /// Whether to wait for each transfer, so that traffic() includes its time.
  void set_timed(bool timed) const;

  /// Whether an exception has left the other ranks waiting in a collective operation. The only
  /// remedy is to abort all ranks.
  bool is_broken() const { return broken_; }
  /// Tells all follower ranks to exit with this status. Call once.
  void release(ExitStatus status);

 private:
  friend void set_leader(deck::ConfiguredDeck& deck, std::shared_ptr<Leader> const& leader);

  std::shared_ptr<Communicator const> communicator_;
  std::vector<RankInfo> ranks_;
  std::string transport_name_;
  std::string deck_;                    ///< resolved; sent to the follower ranks
  std::uint64_t simulation_count_ = 0;  ///< simulations made so far
  bool broken_ = false;
};

/// Makes the simulations of this deck shared by the ranks of `leader`. With null they belong to
/// this process alone. Throws a usage error for decks with collisions, removal or encounters, which
/// one process handles.
void set_leader(deck::ConfiguredDeck& deck, std::shared_ptr<Leader> const& leader);

/// Main loop of a follower rank: executes the calls of the leader rank until it is released.
/// `begin` initialises the process, stores what must stay alive in `session` and returns the
/// description of the rank. Returns the exit status.
ExitStatus follow(
    std::shared_ptr<Communicator const> const& communicator,
    std::function<RankInfo(SharingOptions const&, std::shared_ptr<void>& session)> const& begin);

}  // namespace apsis::simulation
