// SPDX-License-Identifier: Apache-2.0
#include "domain/transports.hpp"
#include "support/sample_bodies.hpp"
#include <apsis/bodies/transfer.hpp>
#include <apsis/core/reductions.hpp>
#include <apsis/core/views.hpp>
#include <apsis/domain/processes.hpp>
#include <apsis/forces/direct.hpp>

#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>

#include <cstdlib>
#include <cstring>
#include <mpi.h>
#include <string>

/// Run by mpirun with different numbers of ranks; each rank checks the data that it receives.
using namespace apsis;

namespace {

domain::Processes* processes = nullptr;

Context shared() {
  return {{}, processes->communicator()};
}

/// Returns `count` bytes that are specific to a sender and a receiver.
std::vector<std::byte> bytes_of(std::size_t sender, std::size_t receiver, std::size_t count) {
  std::vector<std::byte> bytes(count);
  for (std::size_t i = 0; i < count; ++i) {
    bytes[i] = static_cast<std::byte>((i * 31 + sender * 7 + receiver * 3 + 1) % 251);
  }
  return bytes;
}

}  // namespace

TEST_CASE("messages of all ranks are gathered in their order, empty and large ones") {
  for (std::size_t const most : {0, 1, 1000, 3000000}) {
    std::vector<std::byte> expected;
    for (std::size_t k = 0; k < processes->size(); ++k) {
      auto const each = bytes_of(k, 0, k % 2 == 0 ? most : most / 3);
      expected.insert(expected.end(), each.begin(), each.end());
    }
    auto const message =
        bytes_of(processes->rank(), 0, processes->rank() % 2 == 0 ? most : most / 3);
    CHECK(processes->communicator()->gather(message) == expected);
  }
}

TEST_CASE("each rank receives the messages sent to it, empty and large ones") {
  auto const length = [](std::size_t sender, std::size_t receiver) {
    return (sender + 2 * receiver) % 3 * 100000 + sender;
  };
  std::vector<std::vector<std::byte>> pieces, expected;
  for (std::size_t k = 0; k < processes->size(); ++k) {
    pieces.push_back(bytes_of(processes->rank(), k, length(processes->rank(), k)));
    expected.push_back(bytes_of(k, processes->rank(), length(k, processes->rank())));
  }
  CHECK(processes->communicator()->exchange(pieces) == expected);
}

namespace {

using Buffer = Kokkos::View<std::byte*, MemorySpace>;

/// Queues a copy of the bytes to a buffer, as kernels before and after a message are queued.
void fill(ExecutionSpace const& space, Buffer const& buffer, std::size_t begin,
          std::vector<std::byte> const& bytes) {
  Buffer const copy("apsis::test::copy", bytes.size());
  Kokkos::deep_copy(copy, unmanaged(bytes));
  Kokkos::parallel_for(
      "apsis::test::fill", Kokkos::RangePolicy<ExecutionSpace>(space, 0, bytes.size()),
      KOKKOS_LAMBDA(std::size_t i) { buffer(begin + i) = copy(i); });
}

std::vector<std::byte> read(ExecutionSpace const& space, Buffer const& buffer) {
  Buffer const copy("apsis::test::copy", buffer.size());
  Kokkos::parallel_for(
      "apsis::test::read", Kokkos::RangePolicy<ExecutionSpace>(space, 0, buffer.size()),
      KOKKOS_LAMBDA(std::size_t i) { copy(i) = buffer(i); });
  space.fence();
  std::vector<std::byte> bytes(buffer.size());
  Kokkos::deep_copy(unmanaged(bytes), copy);
  return bytes;
}

/// Returns all transports that work on this machine.
std::vector<std::unique_ptr<Transport>> transports() {
  std::vector<std::unique_ptr<Transport>> result;
  auto const& communicator = *processes->communicator();
  for (auto const& make : {domain::nccl_transport, domain::mpi_transport, domain::pinned_transport,
                           domain::make_transport}) {
    if (auto transport = make(communicator)) result.push_back(std::move(transport));
  }
  return result;
}

}  // namespace

TEST_CASE("columns in the memory of bodies are gathered in the order of queued kernels") {
  auto const rank = processes->rank(), size = processes->size();
  ExecutionSpace const space;
  for (auto const& transport : transports()) {
    CAPTURE(transport->name());
    for (std::size_t const most : {0, 8, 1000, 1000000}) {
      std::vector<std::size_t> firsts{0};
      for (std::size_t k = 0; k < size; ++k) {
        firsts.push_back(firsts.back() + (k % 2 == 0 ? most : most / 3));
      }
      // Rows of 4, 1 and 3 bytes.
      std::vector<std::size_t> const widths{4, 1, 3};
      std::vector<std::vector<std::byte>> expected;
      std::vector<Buffer> local, columns;
      std::vector<std::span<std::byte const>> outgoing;
      std::vector<std::span<std::byte>> incoming;
      for (std::size_t c = 0; c < widths.size(); ++c) {
        expected.emplace_back();
        for (std::size_t k = 0; k < size; ++k) {
          auto const each = bytes_of(k + 10 * c, 0, (firsts[k + 1] - firsts[k]) * widths[c]);
          expected[c].insert(expected[c].end(), each.begin(), each.end());
        }
        columns.emplace_back("apsis::test::column", expected[c].size());
        incoming.emplace_back(columns[c].data(), columns[c].size());
        local.emplace_back("apsis::test::own", (firsts[rank + 1] - firsts[rank]) * widths[c]);
        outgoing.emplace_back(local[c].data(), local[c].size());
      }
      for (int repetition = 0; repetition < 3; ++repetition) {
        for (std::size_t c = 0; c < widths.size(); ++c) {
          Kokkos::deep_copy(space, columns[c], std::byte{0});
          fill(space, local[c], 0, bytes_of(rank + 10 * c, 0, local[c].size()));
        }
        transport->gather(space, outgoing, incoming, firsts);
        for (std::size_t c = 0; c < widths.size(); ++c) {
          CHECK(read(space, columns[c]) == expected[c]);
          Kokkos::deep_copy(space, local[c], std::byte{0});
        }
      }
    }
  }
}

TEST_CASE("buffers in the memory of bodies are exchanged, several or none per pair of ranks") {
  auto const rank = processes->rank(), size = processes->size();
  ExecutionSpace const space;
  auto const length = [](std::size_t sender, std::size_t receiver, std::size_t k) {
    return (sender + 2 * receiver + k) % 3 * 100000 + sender;
  };
  for (auto const& transport : transports()) {
    CAPTURE(transport->name());
    std::vector<Outgoing> outgoing;
    std::vector<Incoming> incoming;
    std::vector<Buffer> out, in;
    std::vector<std::vector<std::byte>> expected;
    for (std::size_t other = 0; other < size; ++other) {
      if (other == rank) continue;
      for (std::size_t k = 0; k < 3; ++k) {
        out.emplace_back("apsis::test::out", length(rank, other, k));
        fill(space, out.back(), 0, bytes_of(rank + 10 * k, other, length(rank, other, k)));
        outgoing.push_back({other, {out.back().data(), out.back().size()}});
        in.emplace_back("apsis::test::in", length(other, rank, k));
        incoming.push_back({other, {in.back().data(), in.back().size()}});
        expected.push_back(bytes_of(other + 10 * k, rank, length(other, rank, k)));
      }
    }
    transport->exchange(space, outgoing, incoming);
    for (std::size_t k = 0; k < in.size(); ++k) CHECK(read(space, in[k]) == expected[k]);
  }
}

namespace {
/// Faulty transport that moves nothing.
class FaultyTransport final : public Transport {
 public:
  using Transport::Transport;
  std::string name() const override { return "one that moves nothing"; }

 private:
  void do_move(ExecutionSpace const&, std::vector<Outgoing> const&,
               std::vector<Incoming> const&) override {}
};
}  // namespace

TEST_CASE("a transport that does not deliver messages is detected") {
  auto const& communicator = *processes->communicator();
  for (auto const& transport : transports()) {
    CAPTURE(transport->name());
    CHECK(domain::delivers_messages(*transport, communicator));
  }
  FaultyTransport faulty(communicator.rank(), communicator.size());
  CHECK(domain::delivers_messages(faulty, communicator) == (communicator.size() == 1));
  CHECK(domain::is_true_on_all_ranks(communicator, true));
  CHECK(domain::is_true_on_all_ranks(communicator, communicator.rank() != 0) == false);
}

namespace {
struct Term {
  std::size_t first;
  KOKKOS_FUNCTION double operator()(std::size_t i) const {
    double const x = static_cast<double>((first + i) * 7919 % 1009) - 504.0;
    return x * x * x / (1.0 + static_cast<double>(first + i));
  }
};
}  // namespace

TEST_CASE("sums over all bodies are bitwise equal to those of one rank") {
  std::size_t const count = 10007;
  auto const share = share_of(count, processes->rank(), processes->size());
  CHECK(fixed_order_sum<double>(shared(), "apsis::test", share.count, Term{share.first}) ==
        fixed_order_sum<double>(Context(), "apsis::test", count, Term{0}));
}

TEST_CASE_TEMPLATE("forces are bitwise equal to those of one rank", Number, forces::Single,
                   forces::Double, forces::Mixed) {
  using Stored = typename Number::Stored;
  // The largest number has more panels on a GPU than are summed in one block.
  bool const on_gpu = !Kokkos::SpaceAccessibility<Kokkos::HostSpace, MemorySpace>::accessible;
  for (std::size_t const count : {300, 5000, on_gpu ? 40000 : 9000}) {
    CAPTURE(count);
    auto const host = apsis::testing::sample_bodies(count);
    auto const global = to_device<Stored>(ExecutionSpace(), host);
    Column<double> const global_potential("apsis::test::potential", count);
    forces::Direct<Number>({1.75, 0.25})
        .evaluate(Context(), forces::accelerations_of(global, &global_potential));
    auto const share = share_of(count, processes->rank(), processes->size());
    auto local =
        to_device<Stored>(ExecutionSpace(), slice(host, share.first, share.first + share.count));
    local.first = share.first;
    local.total = count;
    Column<double> const potential("apsis::test::potential", share.count);
    forces::Direct<Number>({1.75, 0.25})
        .evaluate(shared(), forces::accelerations_of(local, &potential));
    Kokkos::fence();
    auto const a = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), local.acceleration);
    auto const b = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), global.acceleration);
    auto const p = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), potential);
    auto const q = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), global_potential);
    bool same = true;
    for (std::size_t i = 0; i < share.count; ++i) {
      for (int k = 0; k < 3; ++k) same = same && a(i, k) == b(share.first + i, k);
      same = same && p(i) == q(share.first + i);
    }
    CHECK(same);
  }
}

TEST_CASE("a communicator that cannot be used is refused") {
  auto const make = [](MPI_Comm communicator) {
    domain::Processes const ranks(domain::CommunicatorHandle{MPI_Comm_c2f(communicator)});
  };
  CHECK_THROWS_WITH_AS(make(MPI_COMM_NULL), doctest::Contains("is MPI_COMM_NULL"), Error);
  int world_rank = 0, world_size = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &world_rank);
  MPI_Comm_size(MPI_COMM_WORLD, &world_size);
  if (world_size == 1) return;
  bool const first = world_rank == 0;
  MPI_Comm part = MPI_COMM_NULL, both = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, first ? 0 : 1, 0, &part);
  MPI_Intercomm_create(part, 0, MPI_COMM_WORLD, first ? 1 : 0, 1, &both);
  CHECK_THROWS_WITH_AS(make(both), doctest::Contains("is an intercommunicator"), Error);
  MPI_Comm_free(&both);
  MPI_Comm_free(&part);
}

namespace {

/// Runs the tests in a program that has initialised MPI: on the odd and on the even ranks at the
/// same time, in reversed order. Returns 0 if they pass and MPI is as before.
int run_split(int argc, char** argv) {
  int level = MPI_THREAD_SINGLE, world_rank = 0, world_size = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
  MPI_Comm_rank(MPI_COMM_WORLD, &world_rank);
  MPI_Comm_size(MPI_COMM_WORLD, &world_size);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);  // as mpi4py does
  MPI_Comm part = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, world_rank % 2, -world_rank, &part);
  // A message of the program, which no rank of a run must take.
  int const sent = 17;
  int received = 0;
  int const next = (world_rank + 1) % world_size, last = (world_rank + world_size - 1) % world_size;
  MPI_Request requests[4];
  MPI_Isend(&sent, 1, MPI_INT, next, 0, MPI_COMM_WORLD, &requests[0]);
  int part_rank = 0, part_size = 0, part_received = 0;
  MPI_Comm_rank(part, &part_rank);
  MPI_Comm_size(part, &part_size);
  MPI_Isend(&sent, 1, MPI_INT, (part_rank + 1) % part_size, 0, part, &requests[1]);
  int status = 0;
  {
    domain::Processes ranks(domain::CommunicatorHandle{MPI_Comm_c2f(part)});
    processes = &ranks;
    bool const places = ranks.rank() == static_cast<std::size_t>(part_rank) &&
                        ranks.size() == static_cast<std::size_t>(part_size) &&
                        ranks.place().threads >= 1;
    status = doctest::Context(argc, argv).run() + (places ? 0 : 1);
  }
  {
    domain::Processes const world;  // does not initialise MPI again
    status += world.size() == static_cast<std::size_t>(world_size) ? 0 : 1;
  }
  MPI_Irecv(&received, 1, MPI_INT, last, 0, MPI_COMM_WORLD, &requests[2]);
  MPI_Irecv(&part_received, 1, MPI_INT, (part_rank + part_size - 1) % part_size, 0, part,
            &requests[3]);
  MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
  status += received == sent && part_received == sent ? 0 : 1;
  int finalised = 0;
  MPI_Finalized(&finalised);
  if (finalised != 0) return 1;
  MPI_Comm_free(&part);
  MPI_Finalize();
  return status;
}

}  // namespace

int main(int argc, char** argv) {
  // Mode: "split", or for the test of failures, in which the last rank ends while the other ranks
  // wait for it.
  std::string const mode = argc > 1 ? argv[1] : "";
  if (mode == "split") {
    Kokkos::ScopeGuard const kokkos(argc, argv);
    return run_split(argc, argv);
  }
  domain::Processes ranks;
  processes = &ranks;
  Kokkos::ScopeGuard const kokkos(argc, argv);
  if (mode != "abort" && mode != "throw") return doctest::Context(argc, argv).run();
  try {
    bool const last = ranks.rank() + 1 == ranks.size();
    if (last && mode == "throw") throw std::runtime_error("as it was asked to");
    if (last) ranks.abort(74);
    ranks.communicator()->gather({});
    return 0;
  } catch (std::exception const&) {
    ranks.abort(74);
  }
}
