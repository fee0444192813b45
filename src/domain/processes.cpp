// SPDX-License-Identifier: Apache-2.0
#include "apsis/domain/processes.hpp"

#include "transports.hpp"
#include <apsis/core/error.hpp>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <numeric>
#include <sched.h>
#include <span>

namespace apsis::domain {

namespace {

using Bytes = std::vector<std::byte>;

bool is_initialised() {
  int answer = 0;
  MPI_Initialized(&answer);
  return answer != 0;
}

bool is_finalised() {
  int answer = 0;
  MPI_Finalized(&answer);
  return answer != 0;
}

void check_thread_level(int level) {
  if (level >= MPI_THREAD_FUNNELED) return;
  throw Error(ExitStatus::internal,
              {"MPI", "has too low a thread level", "MPI_THREAD_FUNNELED is needed",
               "initialise MPI with MPI_Init_thread, or use another MPI"});
}

/// The ranks of a communicator of MPI.
class Ranks final : public Communicator {
 public:
  /// With `duplicates`, messages go through a duplicate of the communicator.
  Ranks(MPI_Comm communicator, bool duplicates) : comm_(communicator), duplicates_(duplicates) {
    if (duplicates) {
      if (MPI_Comm_dup(communicator, &comm_) != MPI_SUCCESS) {
        MPI_Abort(communicator, static_cast<int>(ExitStatus::internal));
      }
      // A program such as mpi4py may have chosen that errors are returned.
      MPI_Comm_set_errhandler(comm_, MPI_ERRORS_ARE_FATAL);
    }
    int rank = 0, size = 0;
    MPI_Comm_rank(comm_, &rank);
    MPI_Comm_size(comm_, &size);
    rank_ = static_cast<std::size_t>(rank);
    size_ = static_cast<std::size_t>(size);
  }
  ~Ranks() override {
    if (transport_) transport_->reset();  // a hook of Kokkos::finalize() has it as well
    if (duplicates_ && !is_finalised()) MPI_Comm_free(&comm_);
  }
  Ranks(Ranks const&) = delete;
  Ranks& operator=(Ranks const&) = delete;

  MPI_Comm comm() const { return comm_; }

  std::size_t rank() const override { return rank_; }
  std::size_t size() const override { return size_; }

  /// Creates the transport on the first call. Kokkos::finalize() destroys it in time.
  Transport& transport() const override {
    if (!transport_) {
      auto const created = std::make_shared<std::unique_ptr<Transport>>(make_transport(*this));
      Kokkos::push_finalize_hook([created] { created->reset(); });
      transport_ = created;
    }
    APSIS_EXPECT(*transport_, "the transport is not used after Kokkos::finalize()");
    return **transport_;
  }

 private:
  /// Length of a message, and its content if it is short. Most messages are, and need one MPI call.
  struct Head {
    std::uint64_t length;
    std::byte bytes[56];
  };

  Bytes do_gather(std::span<std::byte const> message) const override {
    Head head{message.size(), {}};
    std::copy_n(message.begin(), std::min(message.size(), sizeof head.bytes), head.bytes);
    std::vector<Head> heads(size_);
    MPI_Allgather(&head, sizeof head, MPI_BYTE, heads.data(), sizeof head, MPI_BYTE, comm_);
    std::vector<std::size_t> lengths;
    for (auto const& each : heads) lengths.push_back(each.length);
    Bytes result(std::accumulate(lengths.begin(), lengths.end(), std::size_t{0}));
    if (*std::max_element(lengths.begin(), lengths.end()) <= sizeof head.bytes) {
      auto end = result.begin();
      for (auto const& each : heads) end = std::copy_n(each.bytes, each.length, end);
      return result;
    }
    if (result.size() <= static_cast<std::size_t>(std::numeric_limits<int>::max())) {
      std::vector<int> counts(lengths.begin(), lengths.end()), offsets(size_, 0);
      std::partial_sum(counts.begin(), counts.end() - 1, offsets.begin() + 1);
      MPI_Allgatherv(message.data(), static_cast<int>(message.size()), MPI_BYTE, result.data(),
                     counts.data(), offsets.data(), MPI_BYTE, comm_);
      return result;
    }
    std::vector<Outgoing> outgoing;
    std::vector<Incoming> incoming;
    std::span<std::byte> rest(result);
    for (std::size_t k = 0; k < size_; ++k) {
      auto const part = rest.first(lengths[k]);
      rest = rest.subspan(lengths[k]);
      if (k == rank_) {
        std::copy(message.begin(), message.end(), part.begin());
        continue;
      }
      outgoing.push_back({k, message});
      incoming.push_back({k, part});
    }
    send_and_receive(comm_, outgoing, incoming);
    return result;
  }

  std::vector<Bytes> do_exchange(std::vector<Bytes> const& pieces) const override {
    APSIS_EXPECT(pieces.size() == size_, "there is a piece for each rank");
    std::vector<std::uint64_t> sent_lengths, received_lengths(size_);
    for (auto const& piece : pieces) sent_lengths.push_back(piece.size());
    MPI_Alltoall(sent_lengths.data(), 1, MPI_UINT64_T, received_lengths.data(), 1, MPI_UINT64_T,
                 comm_);
    std::vector<Bytes> received(size_);
    std::vector<Outgoing> outgoing;
    std::vector<Incoming> incoming;
    for (std::size_t k = 0; k < size_; ++k) {
      if (k == rank_) {
        received[k] = pieces[k];
        continue;
      }
      received[k].resize(received_lengths[k]);
      outgoing.push_back({k, pieces[k]});
      incoming.push_back({k, received[k]});
    }
    send_and_receive(comm_, outgoing, incoming);
    return received;
  }

  MPI_Comm comm_;
  bool duplicates_;
  std::size_t rank_ = 0, size_ = 1;
  mutable std::shared_ptr<std::unique_ptr<Transport>> transport_;
};

/// Set of processors of a host. (nvcc 13.0 crashes on vectors of structs that are named by a
/// typedef only.)
struct Processors {
  cpu_set_t set;
};

}  // namespace

bool launched() {
  // Set by Open MPI, PMIx (used by its successors and Slurm), MPICH and Intel MPI, and MVAPICH.
  for (auto const* variable : {"OMPI_COMM_WORLD_SIZE", "PMIX_RANK", "PMI_RANK", "PMI_SIZE",
                               "MPI_LOCALNRANKS", "MV2_COMM_WORLD_SIZE"}) {
    if (std::getenv(variable) != nullptr) return true;
  }
  return false;
}

std::string mpi_library() {
  char text[MPI_MAX_LIBRARY_VERSION_STRING];
  int length = 0;
  MPI_Get_library_version(text, &length);
  return {text, static_cast<std::size_t>(length)};
}

MPI_Comm mpi_communicator(Communicator const& communicator) {
  return dynamic_cast<Ranks const&>(communicator).comm();
}

Processes::Processes() : finalises_(!is_initialised()) {
  int level = MPI_THREAD_SINGLE;
  if (finalises_) {
    MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &level);
  } else {
    MPI_Query_thread(&level);
  }
  check_thread_level(level);
  communicator_ = std::make_shared<Ranks>(MPI_COMM_WORLD, !finalises_);
}

Processes::Processes(CommunicatorHandle handle) {
  auto const check = [](bool valid, std::string const& problem, std::string const& advice) {
    if (!valid) throw Error(ExitStatus::usage, {"communicator", problem, "", advice});
  };
  check(is_initialised() && !is_finalised(), "MPI is not initialised",
        "initialise MPI first, and finalise it later");
  int level = MPI_THREAD_SINGLE, is_inter = 0;
  MPI_Query_thread(&level);
  check_thread_level(level);
  MPI_Comm const communicator = MPI_Comm_f2c(handle.fortran);
  check(communicator != MPI_COMM_NULL, "is MPI_COMM_NULL", "call this on its ranks only");
  MPI_Comm_test_inter(communicator, &is_inter);
  check(is_inter == 0, "is an intercommunicator", "give an intracommunicator");
  communicator_ = std::make_shared<Ranks>(communicator, true);
}

Processes::~Processes() {
  if (finalises_) MPI_Finalize();
}

Place Processes::place() const {
  MPI_Comm host = MPI_COMM_NULL;
  MPI_Comm_split_type(mpi_communicator(*communicator_), MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL,
                      &host);
  int size = 1;
  MPI_Comm_size(host, &size);
  Processors allowed, joint;
  CPU_ZERO(&allowed.set);
  CPU_ZERO(&joint.set);
  sched_getaffinity(0, sizeof allowed.set, &allowed.set);
  std::vector<Processors> ranks(static_cast<std::size_t>(size));
  MPI_Allgather(&allowed, sizeof allowed, MPI_BYTE, ranks.data(), sizeof allowed, MPI_BYTE, host);
  MPI_Comm_free(&host);
  int sum = 0;
  for (auto const& each : ranks) {
    sum += CPU_COUNT(&each.set);
    CPU_OR(&joint.set, &joint.set, &each.set);
  }
  // If the launcher bound the ranks, their sets are disjoint and each rank uses its own set.
  // Otherwise the ranks share the processors equally.
  int const processors = CPU_COUNT(&joint.set);
  int const threads = sum == processors ? CPU_COUNT(&allowed.set) : processors / size;
  std::string allowed_processors;
  for (int k = 0, left = CPU_COUNT(&allowed.set); left > 0; ++k) {
    bool const is_allowed = CPU_ISSET(k, &allowed.set);
    allowed_processors += is_allowed ? '1' : '0';
    left -= is_allowed;
  }
  return {std::max(1, threads), allowed_processors};
}

void Processes::abort(int status) const {
  MPI_Abort(mpi_communicator(*communicator_), status);
  std::abort();  // MPI_Abort may return if there is no other process to terminate
}

}  // namespace apsis::domain
