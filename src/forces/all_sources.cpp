// SPDX-License-Identifier: Apache-2.0
#include "apsis/forces/all_sources.hpp"

#include "core/transport.hpp"
#include <apsis/core/error.hpp>
#include <apsis/core/views.hpp>

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace apsis::forces {

template <class Stored>
void AllSources<Stored>::complete_request(Context const& context, Request<Stored>& request) {
  constexpr std::uint64_t subset = 1, elsewhere = 2;
  auto& targets = request.targets;
  // Flags: a subset of this rank's bodies, or targets that are not bodies.
  targets.total = request.sources.total;
  bool const has_bodies = request.sources.size() > 0;
  bool const has_subset = has_bodies && !request.is_mutual();
  bool const has_other_targets = has_bodies && !request.is_among_sources();
  struct RankRequest {
    std::uint64_t bodies, targets, flags, wants;
  };
  auto const wants = static_cast<std::uint64_t>(request.wanted.wants);
  RankRequest const local{request.sources.size(), targets.size(),
                          (has_subset ? subset : 0) | (has_other_targets ? elsewhere : 0), wants};
  RankRequest total{};
  bool agrees = true;
  std::vector<std::size_t> first_bodies{0};
  for (auto const& other : gather_values(context, std::vector{local})) {
    total.bodies += other.bodies;
    first_bodies.push_back(total.bodies);
    total.targets += other.targets;
    total.flags |= other.flags;
    agrees = agrees && other.wants == wants;
  }
  APSIS_EXPECT(total.bodies == request.sources.total,
               "the bodies of all ranks must add up to the total");
  APSIS_EXPECT(agrees, "all ranks must request the same results");
  first_bodies_ = std::move(first_bodies);
  targets.total = total.targets;
  if (!has_bodies && (total.flags & subset) != 0) {
    if ((total.flags & elsewhere) != 0) targets.first.reset();
    targets.rows = BodyRows::listed({}, 0);
  }
}

template <class Stored>
Sources<Stored> AllSources<Stored>::gather(Context const& context, Request<Stored> const& request) {
  auto const& space = context.space;
  auto gathered_sources = request.sources;
  std::size_t const total = gathered_sources.total, local_count = gathered_sources.size();
  std::vector<std::span<std::byte const>> sent;
  std::vector<std::span<std::byte>> received;
  auto const gather_column = [&](auto& column, auto& buffer, char const* label) {
    grow(space, buffer, label, total);
    append_bytes(sent, column, local_count);
    append_bytes(received, buffer, total);
    column = buffer;
  };
  gather_column(gathered_sources.position, position_, "apsis::forces::all_sources::position");
  bool const snaps = request.wanted.has(Wants::snap);
  if (snaps || request.wanted.has(Wants::jerk)) {
    gather_column(gathered_sources.velocity, velocity_, "apsis::forces::all_sources::velocity");
  }
  if (snaps)
    gather_column(gathered_sources.acceleration, acceleration_,
                  "apsis::forces::all_sources::acceleration");
  if (gathered_sources.has_low_parts)
    gather_column(gathered_sources.position_low, position_low_,
                  "apsis::forces::all_sources::position_low");
  // The length of the mass column is the number of sources.
  fit(space, mass_, "apsis::forces::all_sources::mass", total);
  append_bytes(sent, gathered_sources.mass, local_count);
  append_bytes(received, mass_, total);
  gathered_sources.mass = mass_;
  gathered_sources.first = 0;
  context.communicator->transport().gather(space, sent, received, first_bodies_);
  return gathered_sources;
}

template class AllSources<float>;
template class AllSources<double>;

}  // namespace apsis::forces
