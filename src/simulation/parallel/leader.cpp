// SPDX-License-Identifier: Apache-2.0
#include "apsis/simulation/leader.hpp"

#include "core/transport.hpp"
#include "rank_infos.hpp"
#include "remote_call.hpp"
#include "shared_simulation.hpp"
#include "simulation/own_simulation.hpp"
#include <apsis/bodies/transfer.hpp>
#include <apsis/deck/configuration.hpp>

namespace apsis::simulation {

Leader::Leader(std::shared_ptr<Communicator const> communicator)
    : communicator_(std::move(communicator)) {}

void Leader::begin(SharingOptions const& options, RankInfo const& own_info) {
  broadcast_call(*communicator_, {.operation = Operation::begin, .options = options});
  ranks_ = gather_rank_infos(*communicator_, own_info);
  check_same_setup(ranks_);
  if (!options.share_devices) check_exclusive_devices(ranks_);
  CollectiveGuard const guard(broken_);
  broadcast_call(*communicator_, {Operation::connect});
  transport_name_ = communicator_->transport().name();
}

std::string Leader::oversubscription() const {
  return oversubscription_of(ranks_);
}

std::string Leader::idle_ranks(std::uint64_t bodies) const {
  std::size_t const ranks = ranks_.size();
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

std::string Leader::devices_by_host() const {
  return describe_devices(ranks_);
}

std::string Leader::summary() const {
  return std::to_string(ranks_.size()) + " processes: " + devices_by_host() + "; transport " +
         transport_name_;
}

void set_leader(deck::ConfiguredDeck& deck, std::shared_ptr<Leader> const& leader) {
  APSIS_VALIDATE(leader == nullptr || !deck.configuration.events.any(),
                 {"collisions, removal, encounters", "are not available on several ranks",
                  "events are handled by one process", "run on one rank, or remove the section"});
  deck.configuration.leader = leader;
  if (leader) leader->deck_ = deck.resolved;
}

std::unique_ptr<Simulation> Leader::make(deck::Configuration const& run, HostBodies const& start) {
  return shared_simulation(
      communicator_, ranks_, simulation_count_++, broken_, deck_, run, start.size(), false,
      [&](auto const& sharing) { return make_share(run, sharing, start, start.size()); });
}

std::unique_ptr<Simulation> Leader::restore(deck::Configuration const& run, std::size_t count,
                                            SavedState& state) {
  return shared_simulation(
      communicator_, ranks_, simulation_count_++, broken_, deck_, run, count, true,
      [&](auto const& sharing) { return restore_share(run, sharing, count, state); });
}

std::vector<double> Leader::time_gathers(std::size_t bytes, int times) {
  broadcast_call(*communicator_,
                 {.operation = Operation::time_gathers, .bytes = bytes, .times = times});
  CollectiveGuard const guard(broken_);
  return simulation::time_gathers(*communicator_, bytes, times);
}

Traffic Leader::traffic() const {
  APSIS_EXPECT(!transport_name_.empty(), "Leader::begin() must be called first");
  auto const &host = communicator_->traffic(), &device = communicator_->transport().traffic();
  return {.seconds = host.seconds + device.seconds,
          .calls = host.calls + device.calls,
          .gathered_bytes = host.gathered_bytes + device.gathered_bytes,
          .exchanged_bytes = host.exchanged_bytes + device.exchanged_bytes};
}

void Leader::set_timed(bool timed) const {
  APSIS_EXPECT(!transport_name_.empty(), "Leader::begin() must be called first");
  communicator_->transport().set_timed(timed);
}

void Leader::release(ExitStatus status) {
  broadcast_call(*communicator_, {.operation = Operation::release, .status = status});
}

std::unique_ptr<Simulation> make_simulation(deck::Configuration const& run,
                                            HostBodies const& start) {
  return run.leader ? run.leader->make(run, start) : make_share(run, nullptr, start, start.size());
}

std::unique_ptr<Simulation> restore_simulation(deck::Configuration const& run, std::size_t count,
                                               SavedState& state) {
  return run.leader ? run.leader->restore(run, count, state)
                    : restore_share(run, nullptr, count, state);
}

}  // namespace apsis::simulation
