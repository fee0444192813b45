// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/core/context.hpp>
#include <apsis/core/error.hpp>
#include <apsis/core/transport.hpp>

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace apsis::testing {

/// Plays the processes of a run one after the other, in one process: each of them again and again
/// from its beginning, every time one answer of the others farther.
class Rehearsal {
 public:
  explicit Rehearsal(std::size_t processes) : processes_(processes) {}

  /// Calls `act(context)` of every process until all of them come to their end. What one does must
  /// depend on nothing but the context.
  template <class Act>
  void play(Act const& act) {
    calls_.clear();
    for (bool all = false; !all;) {
      all = true;
      calls_.emplace_back(processes_);
      for (std::size_t rank = 0; rank < processes_; ++rank) {
        try {
          act(Context({}, std::make_shared<Player>(*this, rank)));
        } catch (Waits const&) {
          all = false;
        }
      }
    }
  }

 private:
  struct Waits {};
  using Pieces = std::vector<std::vector<std::byte>>;

  /// What each process gave in one call: a piece for all, or one for each.
  struct Call {
    std::vector<Pieces> given;
    bool to_each = false;
    explicit Call(std::size_t processes) : given(processes) {}
  };

  /// Buffers go as pieces do.
  class ByHost final : public Transport {
   public:
    explicit ByHost(Communicator const& with) : Transport(with.rank(), with.size()), with_(with) {}

    std::string name() const override { return "a rehearsal"; }

   private:
    using Unmanaged = Kokkos::MemoryTraits<Kokkos::Unmanaged>;
    using Host = Kokkos::View<std::byte*, Kokkos::HostSpace, Unmanaged>;
    using Device = Kokkos::View<std::byte*, MemorySpace, Unmanaged>;

    void do_move(ExecutionSpace const& space, std::vector<Outgoing> const& give,
                 std::vector<Incoming> const& take) override {
      space.fence("apsis::testing::Rehearsal: the host gives buffers");
      Pieces pieces(with_.size());
      for (auto const& message : give) {
        auto& piece = pieces.at(message.destination);
        piece.resize(piece.size() + message.bytes.size());
        Kokkos::deep_copy(
            Host(piece.data() + piece.size() - message.bytes.size(), message.bytes.size()),
            Kokkos::View<std::byte const*, MemorySpace, Unmanaged>(message.bytes.data(),
                                                                   message.bytes.size()));
      }
      auto got = with_.exchange(pieces);
      std::vector<std::size_t> taken(with_.size(), 0);
      for (auto const& message : take) {
        auto& piece = got.at(message.origin);
        auto& begin = taken[message.origin];
        APSIS_EXPECT(piece.size() >= begin + message.bytes.size(), "both know how long it is");
        Kokkos::deep_copy(Device(message.bytes.data(), message.bytes.size()),
                          Host(piece.data() + begin, message.bytes.size()));
        begin += message.bytes.size();
      }
      for (std::size_t k = 0; k < got.size(); ++k) {
        APSIS_EXPECT(taken[k] == got[k].size(), "what is given is taken");
      }
    }

    Communicator const& with_;
  };

  class Player final : public Communicator {
   public:
    Player(Rehearsal& of, std::size_t rank) : of_(of), rank_(rank) {}

    std::size_t rank() const override { return rank_; }
    std::size_t size() const override { return of_.processes_; }
    Transport& transport() const override { return by_host_; }

   private:
    std::vector<std::byte> do_gather(std::span<std::byte const> own) const override {
      std::vector<std::byte> all;
      for (auto const& given : answered({{own.begin(), own.end()}}, false)) {
        all.insert(all.end(), given.at(0).begin(), given.at(0).end());
      }
      return all;
    }
    Pieces do_exchange(Pieces const& pieces) const override {
      Pieces got;
      for (auto const& given : answered(pieces, true)) got.push_back(given.at(rank_));
      return got;
    }

    std::vector<Pieces> const& answered(Pieces const& given, bool to_each) const {
      auto& call = of_.calls_.at(next_);
      bool const first = call.given == std::vector<Pieces>(of_.processes_);
      APSIS_EXPECT(first || call.to_each == to_each, "all processes make the same calls");
      call.to_each = to_each;
      if (next_ + 1 == of_.calls_.size()) {  // the others have not given yet
        call.given[rank_] = given;
        throw Waits{};
      }
      ++next_;
      return call.given;
    }

    Rehearsal& of_;
    std::size_t rank_;
    mutable std::size_t next_ = 0;
    mutable ByHost by_host_{*this};
  };

  std::size_t processes_;
  std::vector<Call> calls_;
};

}  // namespace apsis::testing
