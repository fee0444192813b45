// SPDX-License-Identifier: Apache-2.0
#include "diagnostics/force_error_sample.hpp"

#include "core/philox.hpp"
#include <apsis/bodies/transfer.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

namespace apsis::diagnostics {

std::vector<std::size_t> random_sample(std::uint64_t seed, std::uint64_t step, std::size_t count,
                                       std::size_t bodies) {
  if (count >= bodies) {
    std::vector<std::size_t> indices(bodies);
    std::iota(indices.begin(), indices.end(), std::size_t{0});
    return indices;
  }
  // Floyd's algorithm (Bentley & Floyd 1987, CACM 30, 754): if the drawn index is already in the
  // sample, the newest index is inserted instead.
  std::set<std::size_t> sample;
  for (std::size_t newest = bodies - count; newest < bodies; ++newest) {
    auto const words = philox(newest, step, seed);
    double const position = unit_interval(words[0], words[1]) * static_cast<double>(newest + 1);
    auto const drawn = std::min(newest, static_cast<std::size_t>(position));
    sample.insert(sample.count(drawn) == 0 ? drawn : newest);
  }
  return {sample.begin(), sample.end()};
}

ErrorPercentiles force_errors(ExecutionSpace const& space, ReadBodies const& bodies,
                              forces::Gravity const& gravity,
                              std::vector<std::size_t> const& sample, Poll const& poll,
                              std::vector<std::uint8_t> const& species) {
  auto const acceleration = vectors_on_host(space, bodies.acceleration);
  auto host = to_host(space, bodies);
  host.species = species;
  auto const expected = reference_field(host, gravity, sample, poll).acceleration;
  std::vector<double> errors;
  for (std::size_t row = 0; row < sample.size(); ++row) {
    auto const difference = acceleration[sample[row]] - expected[row];
    errors.push_back(relative_error(norm(difference), norm(expected[row])));
  }
  return percentiles(std::move(errors));
}

PotentialErrors potential_errors(HostBodies const& bodies, std::vector<double> const& potential,
                                 forces::Gravity const& gravity,
                                 std::vector<std::size_t> const& sample, Poll const& poll) {
  auto const expected = reference_field(bodies, gravity, sample, poll).potential;
  std::vector<double> errors;
  double energy_difference = 0.0, energy = 0.0;
  for (std::size_t row = 0; row < sample.size(); ++row) {
    std::size_t const i = sample[row];
    double const difference = potential[i] - expected[row];
    errors.push_back(relative_error(std::abs(difference), std::abs(expected[row])));
    energy_difference += bodies.mass[i] * difference;
    energy += bodies.mass[i] * expected[row];
  }
  double const size = relative_error(std::abs(energy_difference), std::abs(energy));
  return {percentiles(std::move(errors)), std::copysign(size, energy_difference)};
}

}  // namespace apsis::diagnostics
