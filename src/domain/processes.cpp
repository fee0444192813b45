// SPDX-License-Identifier: Apache-2.0
#include "messages.hpp"
#include "transports.hpp"
#include <apsis/core/error.hpp>
#include <apsis/domain/processes.hpp>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <memory>
#include <mpi.h>
#include <numeric>
#include <sched.h>
#include <span>
#include <string>
#include <vector>

namespace apsis::domain {

namespace {

using Bytes = std::vector<std::byte>;

class World final : public Communicator {
 public:
  World() {
    int rank = 0, size = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    rank_ = static_cast<std::size_t>(rank);
    size_ = static_cast<std::size_t>(size);
  }

  std::size_t rank() const override { return rank_; }
  std::size_t size() const override { return size_; }

  /// Made when it is asked for first, and gone before the memory that it moves.
  Transport& transport() const override {
    if (!transport_) {
      auto const made = std::make_shared<std::unique_ptr<Transport>>(make_transport(*this));
      Kokkos::push_finalize_hook([made] { made->reset(); });
      transport_ = made;
    }
    APSIS_EXPECT(*transport_, "buffers move as long as Kokkos lives");
    return **transport_;
  }

 private:
  /// The length of a message, and all of it if it is short: most are, and come in one call.
  struct Head {
    std::uint64_t length;
    std::byte bytes[56];
  };

  Bytes do_gather(std::span<std::byte const> own) const override {
    Head head{own.size(), {}};
    std::copy_n(own.begin(), std::min(own.size(), sizeof head.bytes), head.bytes);
    std::vector<Head> heads(size_);
    MPI_Allgather(&head, sizeof head, MPI_BYTE, heads.data(), sizeof head, MPI_BYTE,
                  MPI_COMM_WORLD);
    std::vector<std::size_t> lengths;
    for (auto const& each : heads) lengths.push_back(each.length);
    Bytes all(std::accumulate(lengths.begin(), lengths.end(), std::size_t{0}));
    if (*std::max_element(lengths.begin(), lengths.end()) <= sizeof head.bytes) {
      auto to = all.begin();
      for (auto const& each : heads) to = std::copy_n(each.bytes, each.length, to);
      return all;
    }
    if (all.size() <= static_cast<std::size_t>(std::numeric_limits<int>::max())) {
      std::vector<int> counts(lengths.begin(), lengths.end()), places(size_, 0);
      std::partial_sum(counts.begin(), counts.end() - 1, places.begin() + 1);
      MPI_Allgatherv(own.data(), static_cast<int>(own.size()), MPI_BYTE, all.data(), counts.data(),
                     places.data(), MPI_BYTE, MPI_COMM_WORLD);
      return all;
    }
    std::vector<Outgoing> give;
    std::vector<Incoming> take;
    std::span<std::byte> rest(all);
    for (std::size_t k = 0; k < size_; ++k) {
      auto const part = rest.first(lengths[k]);
      rest = rest.subspan(lengths[k]);
      if (k == rank_) {
        std::copy(own.begin(), own.end(), part.begin());
        continue;
      }
      give.push_back({k, own});
      take.push_back({k, part});
    }
    send_and_receive(give, take);
    return all;
  }

  std::vector<Bytes> do_exchange(std::vector<Bytes> const& pieces) const override {
    APSIS_EXPECT(pieces.size() == size_, "there is a piece for each process");
    std::vector<std::uint64_t> given, got(size_);
    for (auto const& piece : pieces) given.push_back(piece.size());
    MPI_Alltoall(given.data(), 1, MPI_UINT64_T, got.data(), 1, MPI_UINT64_T, MPI_COMM_WORLD);
    std::vector<Bytes> answers(size_);
    std::vector<Outgoing> give;
    std::vector<Incoming> take;
    for (std::size_t k = 0; k < size_; ++k) {
      if (k == rank_) {
        answers[k] = pieces[k];
        continue;
      }
      answers[k].resize(got[k]);
      give.push_back({k, pieces[k]});
      take.push_back({k, answers[k]});
    }
    send_and_receive(give, take);
    return answers;
  }

  std::size_t rank_ = 0, size_ = 1;
  mutable std::shared_ptr<std::unique_ptr<Transport>> transport_;
};

/// Of a host. (nvcc 13.0 crashes on vectors of structs that have no name but a typedef's.)
struct Processors {
  cpu_set_t set;
};

}  // namespace

bool launched() {
  // Open MPI, PMIx (its successors, Slurm), MPICH and Intel MPI, MVAPICH.
  for (auto const* variable : {"OMPI_COMM_WORLD_SIZE", "PMIX_RANK", "PMI_RANK", "PMI_SIZE",
                               "MPI_LOCALNRANKS", "MV2_COMM_WORLD_SIZE"}) {
    if (std::getenv(variable) != nullptr) return true;
  }
  return false;
}

Processes::Processes() {
  int level = MPI_THREAD_SINGLE;
  MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &level);
  APSIS_EXPECT(level >= MPI_THREAD_FUNNELED, "MPI lets a program with threads communicate");
  communicator_ = std::make_shared<World>();
}

Processes::~Processes() {
  MPI_Finalize();
}

Place Processes::place() const {
  MPI_Comm here = MPI_COMM_NULL;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &here);
  int size = 1;
  MPI_Comm_size(here, &size);
  Processors own, of_all;
  CPU_ZERO(&own.set);
  CPU_ZERO(&of_all.set);
  sched_getaffinity(0, sizeof own.set, &own.set);
  std::vector<Processors> each(static_cast<std::size_t>(size));
  MPI_Allgather(&own, sizeof own, MPI_BYTE, each.data(), sizeof own, MPI_BYTE, here);
  MPI_Comm_free(&here);
  int in_all = 0;
  for (auto const& of_one : each) {
    in_all += CPU_COUNT(&of_one.set);
    CPU_OR(&of_all.set, &of_all.set, &of_one.set);
  }
  // Those that a launcher bound have processors of their own, the others share them.
  int const processors = CPU_COUNT(&of_all.set);
  int const threads = in_all == processors ? CPU_COUNT(&own.set) : processors / size;
  std::string own_processors;
  for (int k = 0, left = CPU_COUNT(&own.set); left > 0; ++k) {
    bool const is_own = CPU_ISSET(k, &own.set);
    own_processors += is_own ? '1' : '0';
    left -= is_own;
  }
  return {std::max(1, threads), own_processors};
}

void Processes::abort(int status) const {
  MPI_Abort(MPI_COMM_WORLD, status);
  std::abort();  // MPI_Abort may return where nothing is left to end
}

}  // namespace apsis::domain
