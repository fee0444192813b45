// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/core/context.hpp>
#include <apsis/core/error.hpp>

#include <cstddef>
#include <memory>
#include <span>
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

  class Player final : public Communicator {
   public:
    Player(Rehearsal& of, std::size_t rank) : of_(of), rank_(rank) {}

    std::size_t rank() const override { return rank_; }
    std::size_t size() const override { return of_.processes_; }

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
  };

  std::size_t processes_;
  std::vector<Call> calls_;
};

}  // namespace apsis::testing
