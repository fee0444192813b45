// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/transport.hpp"
#include <apsis/core/error.hpp>
#include <apsis/core/execution.hpp>
#include <apsis/core/views.hpp>

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace apsis::testing {

/// Simulates the ranks of a run one after the other, in one process. Each rank is run again and
/// again from its beginning, each time with one more answer of the other ranks.
class SimulatedRanks {
 public:
  explicit SimulatedRanks(std::size_t processes) : processes_(processes) {}

  /// Calls `act(context)` for each rank until all of them finish. An action must depend on the
  /// context only.
  template <class Act>
  void play(Act const& act) {
    calls_.clear();
    for (bool all_finished = false; !all_finished;) {
      all_finished = true;
      calls_.emplace_back(processes_);
      for (std::size_t rank = 0; rank < processes_; ++rank) {
        try {
          act(Context({}, std::make_shared<SimulatedRank>(*this, rank)));
        } catch (AnswerMissing const&) {
          all_finished = false;
        }
      }
    }
  }

 private:
  struct AnswerMissing {};
  using Pieces = std::vector<std::vector<std::byte>>;

  /// Contributions of all ranks to one collective call: one piece for all ranks, or one for each.
  struct Call {
    std::vector<Pieces> contributions;
    bool to_each = false;
    explicit Call(std::size_t processes) : contributions(processes) {}
  };

  /// Transport that sends buffers as pieces of exchange().
  class HostTransport final : public Transport {
   public:
    explicit HostTransport(Communicator const& communicator)
        : Transport(communicator.rank(), communicator.size()), communicator_(communicator) {}

    std::string name() const override { return "a rehearsal"; }

   private:
    void do_move(ExecutionSpace const& space, std::vector<Outgoing> const& outgoing,
                 std::vector<Incoming> const& incoming) override {
      space.fence("apsis::testing::Rehearsal: the host gives buffers");
      Pieces pieces(communicator_.size());
      for (auto const& message : outgoing) {
        auto& piece = pieces.at(message.destination);
        piece.resize(piece.size() + message.bytes.size());
        Kokkos::deep_copy(unmanaged(std::span(piece).last(message.bytes.size())),
                          unmanaged<MemorySpace>(message.bytes));
      }
      auto received = communicator_.exchange(pieces);
      std::vector<std::size_t> offsets(communicator_.size(), 0);
      for (auto const& message : incoming) {
        auto& piece = received.at(message.origin);
        auto& begin = offsets[message.origin];
        APSIS_EXPECT(piece.size() >= begin + message.bytes.size(),
                     "both ranks agree on the length");
        Kokkos::deep_copy(unmanaged<MemorySpace>(message.bytes),
                          unmanaged(std::span(piece).subspan(begin, message.bytes.size())));
        begin += message.bytes.size();
      }
      for (std::size_t k = 0; k < received.size(); ++k) {
        APSIS_EXPECT(offsets[k] == received[k].size(), "all received bytes are used");
      }
    }

    Communicator const& communicator_;
  };

  class SimulatedRank final : public Communicator {
   public:
    SimulatedRank(SimulatedRanks& ranks, std::size_t rank) : ranks_(ranks), rank_(rank) {}

    std::size_t rank() const override { return rank_; }
    std::size_t size() const override { return ranks_.processes_; }
    Transport& transport() const override { return host_transport_; }

   private:
    std::vector<std::byte> do_gather(std::span<std::byte const> bytes) const override {
      std::vector<std::byte> gathered;
      for (auto const& pieces : collect({{bytes.begin(), bytes.end()}}, false)) {
        gathered.insert(gathered.end(), pieces.at(0).begin(), pieces.at(0).end());
      }
      return gathered;
    }
    Pieces do_exchange(Pieces const& pieces) const override {
      Pieces received;
      for (auto const& other_pieces : collect(pieces, true))
        received.push_back(other_pieces.at(rank_));
      return received;
    }

    std::vector<Pieces> const& collect(Pieces const& own_pieces, bool to_each) const {
      auto& call = ranks_.calls_.at(next_);
      bool const first = call.contributions == std::vector<Pieces>(ranks_.processes_);
      APSIS_EXPECT(first || call.to_each == to_each, "all ranks make the same calls");
      call.to_each = to_each;
      if (next_ + 1 == ranks_.calls_.size()) {  // the other ranks have not contributed yet
        call.contributions[rank_] = own_pieces;
        throw AnswerMissing{};
      }
      ++next_;
      return call.contributions;
    }

    SimulatedRanks& ranks_;
    std::size_t rank_;
    mutable std::size_t next_ = 0;
    mutable HostTransport host_transport_{*this};
  };

  std::size_t processes_;
  std::vector<Call> calls_;
};

}  // namespace apsis::testing
