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

namespace apsis::driver {

struct Configuration;
struct ConfiguredDeck;
class Simulation;

/// One of the processes that share a run.
struct Member {
  std::string host;
  std::string device;
  std::string address{};     ///< which of its host's devices that is; empty for its processors
  std::string executable{};  ///< this_executable()
  int threads = 1;           ///< of the host
  /// Of its host, that it may run on: a '1' for each by its number, a '0' for each other; empty if
  /// they are not known.
  std::string processors{};
  std::string words{};    ///< it was started with
  std::string problem{};  ///< why it cannot take part; may be empty
  std::string advice{};   ///< what to do about that
  ExitStatus status{};    ///< that one process with this problem ends with
};

/// How processes begin to share runs.
struct Sharing {
  std::optional<int> threads{};  ///< of each process; all that are its own if it is empty
  bool share_devices = false;    ///< several processes may use one accelerator
  bool heeds_signals = false;    ///< signals are requests to the leader, whoever gets them
};

/// The first of the processes that share a run, to the others. It alone decides, reads and writes:
/// what it does to a simulation it tells them, and they do the same to theirs. Its simulation looks
/// from outside like any other.
class Leader {
 public:
  explicit Leader(std::shared_ptr<Communicator const> others);
  Leader(Leader const&) = delete;
  Leader& operator=(Leader const&) = delete;

  /// Lets all begin, as this process has already begun as `own`. Throws what the first rank that
  /// cannot begin would end with as one process; an internal error if words, executables or devices
  /// are not alike, on which bits depend; a usage error if several use one accelerator and may not.
  void begin(Sharing const& how, Member const& own);
  /// All of them, the first included, in their order; nobody before begin().
  std::vector<Member> const& members() const { return members_; }
  /// Hosts on which more threads are to run than there are processors that their ranks may use, as
  /// text; empty if there are none.
  std::string crowds() const;
  /// A note on ranks that have none of so many bodies; empty if each rank has some.
  std::string idle_ranks(std::uint64_t bodies) const;
  /// "a: 2 x H100; b: 1 x H100".
  std::string places() const;
  /// "3 processes: a: 2 x H100; b: 1 x H100; bodies move by NCCL 2.28.3".
  std::string summary() const;

  /// As make_simulation() and restore_simulation(), on all processes, of the deck that was share()d
  /// last.
  std::unique_ptr<Simulation> make(Configuration const& run, HostBodies const& start);
  std::unique_ptr<Simulation> restore(Configuration const& run, std::size_t count,
                                      SavedState& state);

  /// What moves bodies between the processes, in words; empty before begin().
  std::string const& carrier() const { return carrier_; }

  /// All gather so many bytes of each, where the bodies live, so many times: what each time takes
  /// [s].
  std::vector<double> echo(std::size_t bytes, int times);
  /// What this process has heard of the others.
  Traffic traffic() const;
  /// Whether it waits for what moves, so that traffic() sees the time of it.
  void time_moves(bool timed) const;

  /// Whether an exception has left the others in the middle of what is done together: nothing but
  /// to end them all is left.
  bool is_torn() const { return torn_; }
  /// Lets the others go, who end with this status. Once.
  void release(ExitStatus status);

 private:
  friend void share(ConfiguredDeck& deck, std::shared_ptr<Leader> const& leader);

  std::shared_ptr<Communicator const> others_;
  std::vector<Member> members_;
  std::string carrier_;
  std::string deck_;        ///< resolved, which the others configure
  std::uint64_t made_ = 0;  ///< simulations so far
  bool torn_ = false;
};

/// Simulations of this deck are shared from now on, until another deck is; nobody: they are this
/// process's alone.
void share(ConfiguredDeck& deck, std::shared_ptr<Leader> const& leader);

/// What every other process does: whatever the leader tells it, until it lets it go. `begin` makes
/// it ready and says as whom. Returns the status to end with.
ExitStatus follow(std::shared_ptr<Communicator const> const& leader,
                  std::function<Member(Sharing const&, std::shared_ptr<void>& kept)> const& begin);

}  // namespace apsis::driver
