// SPDX-License-Identifier: Apache-2.0
#include "domain/probe.hpp"
#include "domain/transports.hpp"
#include "support/sample_bodies.hpp"
#include <apsis/bodies/share.hpp>
#include <apsis/bodies/transfer.hpp>
#include <apsis/core/reductions.hpp>
#include <apsis/domain/processes.hpp>
#include <apsis/forces/direct.hpp>

#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>

#include <cstdlib>
#include <cstring>
#include <string>

/// Run by mpirun on several numbers of processes, each of which checks what it gets.
using namespace apsis;

namespace {

domain::Processes* processes = nullptr;

Context shared() {
  return {{}, processes->communicator()};
}

/// Bytes that nobody else has, so many as a process gives.
std::vector<std::byte> bytes_of(std::size_t from, std::size_t to, std::size_t count) {
  std::vector<std::byte> bytes(count);
  for (std::size_t i = 0; i < count; ++i) {
    bytes[i] = static_cast<std::byte>((i * 31 + from * 7 + to * 3 + 1) % 251);
  }
  return bytes;
}

}  // namespace

TEST_CASE("what all give comes in their order, nothing at all and much") {
  for (std::size_t const most : {0, 1, 1000, 3000000}) {
    std::vector<std::byte> expected;
    for (std::size_t k = 0; k < processes->size(); ++k) {
      auto const each = bytes_of(k, 0, k % 2 == 0 ? most : most / 3);
      expected.insert(expected.end(), each.begin(), each.end());
    }
    auto const own = bytes_of(processes->rank(), 0, processes->rank() % 2 == 0 ? most : most / 3);
    CHECK(processes->communicator()->gather(own) == expected);
  }
}

TEST_CASE("each gets what was given for it, nothing at all and much") {
  auto const length = [](std::size_t from, std::size_t to) {
    return (from + 2 * to) % 3 * 100000 + from;
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

/// Queued, as the kernels around a move are.
void fill(ExecutionSpace const& space, Buffer const& buffer, std::size_t begin,
          std::vector<std::byte> const& with) {
  Buffer const copy("apsis::test::copy", with.size());
  Kokkos::deep_copy(
      copy,
      Kokkos::View<std::byte const*, Kokkos::HostSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>>(
          with.data(), with.size()));
  Kokkos::parallel_for(
      "apsis::test::fill", Kokkos::RangePolicy<ExecutionSpace>(space, 0, with.size()),
      KOKKOS_LAMBDA(std::size_t i) { buffer(begin + i) = copy(i); });
}

std::vector<std::byte> read(ExecutionSpace const& space, Buffer const& buffer) {
  Buffer const copy("apsis::test::copy", buffer.size());
  Kokkos::parallel_for(
      "apsis::test::read", Kokkos::RangePolicy<ExecutionSpace>(space, 0, buffer.size()),
      KOKKOS_LAMBDA(std::size_t i) { copy(i) = buffer(i); });
  space.fence();
  std::vector<std::byte> bytes(buffer.size());
  Kokkos::deep_copy(
      Kokkos::View<std::byte*, Kokkos::HostSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>>(
          bytes.data(), bytes.size()),
      copy);
  return bytes;
}

/// Whatever works here.
std::vector<std::unique_ptr<Transport>> transports() {
  std::vector<std::unique_ptr<Transport>> all;
  auto const& with = *processes->communicator();
  for (auto const& make : {domain::nccl_transport, domain::mpi_transport, domain::pinned_transport,
                           domain::make_transport}) {
    if (auto made = make(with)) all.push_back(std::move(made));
  }
  return all;
}

}  // namespace

TEST_CASE("columns where bodies live are gathered, in the order of what is queued") {
  auto const rank = processes->rank(), size = processes->size();
  ExecutionSpace const space;
  for (auto const& by : transports()) {
    CAPTURE(by->name());
    for (std::size_t const most : {0, 8, 1000, 1000000}) {
      std::vector<std::size_t> firsts{0};
      for (std::size_t k = 0; k < size; ++k) {
        firsts.push_back(firsts.back() + (k % 2 == 0 ? most : most / 3));
      }
      // Rows of 4, 1 and 3 bytes.
      std::vector<std::size_t> const widths{4, 1, 3};
      std::vector<std::vector<std::byte>> expected;
      std::vector<Buffer> own, columns;
      std::vector<std::span<std::byte const>> give;
      std::vector<std::span<std::byte>> take;
      for (std::size_t c = 0; c < widths.size(); ++c) {
        expected.emplace_back();
        for (std::size_t k = 0; k < size; ++k) {
          auto const each = bytes_of(k + 10 * c, 0, (firsts[k + 1] - firsts[k]) * widths[c]);
          expected[c].insert(expected[c].end(), each.begin(), each.end());
        }
        columns.emplace_back("apsis::test::column", expected[c].size());
        take.emplace_back(columns[c].data(), columns[c].size());
        own.emplace_back("apsis::test::own", (firsts[rank + 1] - firsts[rank]) * widths[c]);
        give.emplace_back(own[c].data(), own[c].size());
      }
      for (int turn = 0; turn < 3; ++turn) {
        for (std::size_t c = 0; c < widths.size(); ++c) {
          Kokkos::deep_copy(space, columns[c], std::byte{0});
          fill(space, own[c], 0, bytes_of(rank + 10 * c, 0, own[c].size()));
        }
        by->gather(space, give, take, firsts);
        for (std::size_t c = 0; c < widths.size(); ++c) {
          CHECK(read(space, columns[c]) == expected[c]);
          Kokkos::deep_copy(space, own[c], std::byte{0});
        }
      }
    }
  }
}

TEST_CASE("buffers where bodies live are exchanged, several for each, and none") {
  auto const rank = processes->rank(), size = processes->size();
  ExecutionSpace const space;
  auto const length = [](std::size_t from, std::size_t to, std::size_t k) {
    return (from + 2 * to + k) % 3 * 100000 + from;
  };
  for (auto const& by : transports()) {
    CAPTURE(by->name());
    std::vector<Outgoing> give;
    std::vector<Incoming> take;
    std::vector<Buffer> out, in;
    std::vector<std::vector<std::byte>> expected;
    for (std::size_t other = 0; other < size; ++other) {
      if (other == rank) continue;
      for (std::size_t k = 0; k < 3; ++k) {
        out.emplace_back("apsis::test::out", length(rank, other, k));
        fill(space, out.back(), 0, bytes_of(rank + 10 * k, other, length(rank, other, k)));
        give.push_back({other, {out.back().data(), out.back().size()}});
        in.emplace_back("apsis::test::in", length(other, rank, k));
        take.push_back({other, {in.back().data(), in.back().size()}});
        expected.push_back(bytes_of(other + 10 * k, rank, length(other, rank, k)));
      }
    }
    by->exchange(space, give, take);
    for (std::size_t k = 0; k < in.size(); ++k) CHECK(read(space, in[k]) == expected[k]);
  }
}

namespace {
class Forgetful final : public Transport {
 public:
  using Transport::Transport;
  std::string name() const override { return "one that moves nothing"; }

 private:
  void do_move(ExecutionSpace const&, std::vector<Outgoing> const&,
               std::vector<Incoming> const&) override {}
};
}  // namespace

TEST_CASE("a transport that does not bring what is given is found out") {
  auto const& with = *processes->communicator();
  for (auto const& by : transports()) {
    CAPTURE(by->name());
    CHECK(domain::brings_what_is_given(*by, with));
  }
  Forgetful forgetful(with.rank(), with.size());
  CHECK(domain::brings_what_is_given(forgetful, with) == (with.size() == 1));
  CHECK(domain::all_say(with, true));
  CHECK(domain::all_say(with, with.rank() != 0) == false);
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

TEST_CASE("sums over all bodies have the bits of one process") {
  std::size_t const count = 10007;
  auto const share = share_of(count, processes->rank(), processes->size());
  CHECK(fixed_order_sum<double>(shared(), "apsis::test", share.count, Term{share.first}) ==
        fixed_order_sum<double>(Context(), "apsis::test", count, Term{0}));
}

TEST_CASE_TEMPLATE("forces have the bits of one process, each pair met once or twice", Number,
                   forces::Single, forces::Double, forces::Mixed) {
  using Stored = typename Number::Stored;
  // The last has more panels on a GPU than are added up in one block.
  for (std::size_t const count : {300, 5000, 40000}) {
    CAPTURE(count);
    auto const host = apsis::testing::sample_bodies(count);
    auto const all = to_device<Stored>(ExecutionSpace(), host);
    Column<double> const all_depths("apsis::test::potential", count);
    forces::Direct<Number>({1.75, 0.25})
        .evaluate(Context(), forces::accelerations_of(all, all_depths));
    auto const share = share_of(count, processes->rank(), processes->size());
    auto own =
        to_device<Stored>(ExecutionSpace(), slice(host, share.first, share.first + share.count));
    own.first = share.first;
    own.total = count;
    Column<double> const depths("apsis::test::potential", share.count);
    forces::Direct<Number>({1.75, 0.25}).evaluate(shared(), forces::accelerations_of(own, depths));
    Kokkos::fence();
    auto const a = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), own.acceleration);
    auto const b = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), all.acceleration);
    auto const p = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), depths);
    auto const q = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), all_depths);
    bool same = true;
    for (std::size_t i = 0; i < share.count; ++i) {
      for (int k = 0; k < 3; ++k) same = same && a(i, k) == b(share.first + i, k);
      same = same && p(i) == q(share.first + i);
    }
    CHECK(same);
  }
}

int main(int argc, char** argv) {
  domain::Processes all;
  processes = &all;
  Kokkos::ScopeGuard const kokkos(argc, argv);
  // What the test of failures runs: the last process ends while the others wait for it.
  std::string const way = argc > 1 ? argv[1] : "";
  if (way != "abort" && way != "throw") return doctest::Context(argc, argv).run();
  try {
    bool const last = all.rank() + 1 == all.size();
    if (last && way == "throw") throw std::runtime_error("as it was asked to");
    if (last) all.abort(74);
    all.communicator()->gather({});
    return 0;
  } catch (std::exception const&) {
    all.abort(74);
  }
}
