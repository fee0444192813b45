// SPDX-License-Identifier: Apache-2.0
#include "echo.hpp"
#include "members.hpp"
#include "share_of_simulation.hpp"
#include "shared_simulation.hpp"
#include "told.hpp"
#include "torn.hpp"
#include <apsis/bodies/share.hpp>
#include <apsis/core/transport.hpp>
#include <apsis/driver/configuration.hpp>
#include <apsis/driver/leader.hpp>

namespace apsis::driver {

Leader::Leader(std::shared_ptr<Communicator const> others) : others_(std::move(others)) {}

void Leader::begin(Sharing const& how, Member const& own) {
  tell(*others_, {Call::begin,
                  0,
                  0,
                  {static_cast<std::uint64_t>(how.threads.value_or(0)),
                   (how.share_devices ? devices_bit : 0) | (how.heeds_signals ? signals_bit : 0)}});
  members_ = members_of(*others_, own);
  expect_alike(members_);
  if (!how.share_devices) expect_own_devices(members_);
  TornByException const torn(torn_);
  tell(*others_, {Call::connect});
  carrier_ = others_->transport().name();
}

std::string Leader::crowds() const {
  return crowds_of(members_);
}

std::string Leader::idle_ranks(std::uint64_t bodies) const {
  std::size_t const ranks = members_.size();
  std::size_t idle = 0;
  for (std::size_t k = 0; k < ranks; ++k) idle += share_of(bodies, k, ranks).count == 0 ? 1 : 0;
  if (bodies == 0 || idle == 0) return "";
  std::string const block = std::to_string(fixed_sum_block);
  return "note: " + std::to_string(idle) + " of " + std::to_string(ranks) +
         " ranks have no bodies (ranks share whole blocks of " + block + ")" +
         (one_rank_has_all(bodies) ? ": rank 0 moves all of them alone"
                                   : " and wait for the others in each step") +
         "; start at most " + std::to_string(ranks - idle);
}

std::string Leader::places() const {
  return places_of(members_);
}

std::string Leader::summary() const {
  return std::to_string(members_.size()) + " processes: " + places() + "; bodies move by " +
         carrier_;
}

void share(ConfiguredDeck& deck, std::shared_ptr<Leader> const& leader) {
  deck.configuration.leader = leader;
  if (leader) leader->deck_ = deck.resolved;
}

std::unique_ptr<Simulation> Leader::make(Configuration const& run, HostBodies const& start) {
  return shared_simulation(
      others_, members_, made_++, torn_, deck_, run, start.size(), false,
      [&](auto const& with) { return make_share(run, with, start, start.size()); });
}

std::unique_ptr<Simulation> Leader::restore(Configuration const& run, std::size_t count,
                                            SavedState& state) {
  return shared_simulation(
      others_, members_, made_++, torn_, deck_, run, count, true,
      [&](auto const& with) { return restore_share(run, with, count, state); });
}

std::vector<double> Leader::echo(std::size_t bytes, int times) {
  tell(*others_, {Call::echo, 0, 0, {bytes, static_cast<std::uint64_t>(times)}});
  TornByException const torn(torn_);
  return echoed(*others_, bytes, times);
}

Traffic Leader::traffic() const {
  APSIS_EXPECT(!carrier_.empty(), "all processes have begun");
  auto const &of_hosts = others_->traffic(), &of_bodies = others_->transport().traffic();
  return {of_hosts.seconds + of_bodies.seconds, of_hosts.calls + of_bodies.calls,
          of_hosts.gathered_bytes + of_bodies.gathered_bytes,
          of_hosts.exchanged_bytes + of_bodies.exchanged_bytes};
}

void Leader::time_moves(bool timed) const {
  APSIS_EXPECT(!carrier_.empty(), "all processes have begun");
  others_->transport().time_moves(timed);
}

void Leader::release(ExitStatus status) {
  tell(*others_, {Call::release, 0, 0, {static_cast<std::uint64_t>(status)}});
}

}  // namespace apsis::driver
