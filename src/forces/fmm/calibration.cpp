// SPDX-License-Identifier: Apache-2.0
#include "calibration.hpp"

#include "core/percentile.hpp"
#include "core/philox.hpp"
#include <apsis/core/backend.hpp>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

namespace apsis::forces::fmm {

namespace {
// Band of errors, relative to the accuracy. The measured 99th percentile of a usual sample is
// uncertain by some 9 %: of 4000 bodies 40 +- 6 exceed it, and the error that n bodies exceed
// scales as n^-0.6. The limit leaves more than twice that margin.
constexpr double rejected_above = 0.8;     ///< a larger error is rejected
constexpr double aim = 0.7;                ///< likely to be accepted in the next sample too
constexpr double needlessly_strict = 0.6;  ///< after a smaller error the fraction is relaxed
constexpr double min_fraction = 1e-4;
}  // namespace

bool Calibration::is_stricter_than_needed() const {
  return last_error_ >= 0.0 && last_error_ < needlessly_strict * accuracy_ &&
         fraction_ < 1.0 / accuracy_;
}

void Calibration::adjust_fraction(double error) {
  // The error scales as the power 0.63 of the fraction, measured; the inverse power is about 1.5.
  double const target = aim * accuracy_;
  double const change = std::pow(target / std::max(error, 1e-3 * target), 1.5);
  fraction_ = std::clamp(fraction_ * std::clamp(change, 0.125, 8.0), min_fraction, 1.0 / accuracy_);
}

bool Calibration::begin_evaluation() {
  too_loose_ = too_strict_ = 0.0;
  if (evaluations_until_next_ > 0) {
    --evaluations_until_next_;
    return false;
  }
  double const previous_fraction = fraction_;
  if (is_stricter_than_needed()) adjust_fraction(last_error_);
  was_fraction_used_ = last_error_ >= 0.0 && fraction_ == previous_fraction;
  return true;
}

bool Calibration::process_measurement(double error) {
  // Fractions closer than this factor are not bisected, since errors may jump between them.
  constexpr double resolution = 1.5;
  last_error_ = error;
  // The evaluations since the last measurement used this fraction too, with about this error.
  if (std::exchange(was_fraction_used_, false)) worst_error_ = std::max(worst_error_, error);
  bool const is_too_large = error > rejected_above * accuracy_ && fraction_ > min_fraction;
  bool const is_too_strict = is_stricter_than_needed();
  if (is_too_large) {
    too_loose_ = fraction_;
    if (too_strict_ == 0.0) {
      adjust_fraction(error);
    } else {
      fraction_ =
          too_loose_ > resolution * too_strict_ ? std::sqrt(too_loose_ * too_strict_) : too_strict_;
    }
    return false;
  }
  if (is_too_strict && too_loose_ > resolution * fraction_) {
    too_strict_ = fraction_;
    fraction_ = std::sqrt(too_loose_ * too_strict_);
    return false;
  }
  worst_error_ = std::max(worst_error_, error);
  // Too strict, and no fraction was too loose: the next evaluation relaxes it and is measured too.
  if (is_too_strict && too_loose_ == 0.0) return true;
  evaluations_until_next_ = interval;
  ++round_;
  return true;
}

void Calibration::exchange(SavedState& state) {
  // The keys belong to the format of checkpoints and are older than the names of the members.
  state.exchange("fmm/part", fraction_);
  state.exchange("fmm/until_next_look", evaluations_until_next_);
  state.exchange("fmm/turn", round_);
  state.exchange("fmm/found", last_error_);
  state.exchange("fmm/worst", worst_error_);
}

std::size_t sample_size(std::size_t bodies, std::uint64_t round) {
  constexpr std::size_t usual = 4000, first = 16000, pairs = 4000000000;
  return std::min(bodies, round > 0 ? usual : std::clamp(pairs / bodies, usual, first));
}

namespace {

/// Returns the indices of a sample: one body, at a random offset, in each of equal parts of the
/// rows. Fixed offsets would be biased if the rows have a pattern, such as two alternating species.
std::vector<std::size_t> choose_sample(std::size_t bodies, std::uint64_t round) {
  std::size_t const count = sample_size(bodies, round);
  std::vector<std::size_t> indices;
  for (std::size_t k = 0; k < count; ++k) {
    auto const random = philox(k, round, 0);
    double const position = static_cast<double>(k) + unit_interval(random[0], random[1]);
    double const spacing = static_cast<double>(bodies) / static_cast<double>(count);
    indices.push_back(std::min(bodies - 1, static_cast<std::size_t>(position * spacing)));
  }
  indices.erase(std::unique(indices.begin(), indices.end()), indices.end());
  return indices;
}

/// Returns |a(rows(k)) - b(k)| / |b(k)| for each k, where b are the exact values.
template <class Stored>
std::vector<double> relative_errors(ExecutionSpace const& space, VectorColumns<Stored> const& a,
                                    BodyList const& rows, VectorColumns<Stored> const& b,
                                    std::size_t count) {
  Column<double> const errors("apsis::forces::fmm::sample_errors", count);
  for_each(
      space, "apsis::forces::fmm::sample_errors", count, KOKKOS_LAMBDA(std::size_t k) {
        double difference_squared = 0.0, exact_squared = 0.0;
        for (int axis = 0; axis < 3; ++axis) {
          auto const exact = static_cast<double>(b(k, axis));
          double const d = static_cast<double>(a(rows(k), axis)) - exact;
          difference_squared += d * d;
          exact_squared += exact * exact;
        }
        errors(k) =
            difference_squared > 0.0 ? Kokkos::sqrt(difference_squared / exact_squared) : 0.0;
      });
  auto const host = Kokkos::create_mirror_view(errors);
  Kokkos::deep_copy(space, host, errors);
  space.fence("apsis::forces::fmm: the host reads errors of a sample");
  return {host.data(), host.data() + count};
}

}  // namespace

template <class Stored>
double sample_error(Context const& context, Solver<Stored>& reference,
                    Request<Stored> const& result, Sources<Stored> const& sources,
                    std::uint64_t round) {
  auto const& space = context.space;
  std::size_t const first = result.sources.first, count = result.sources.size();
  std::vector<std::size_t> local_rows;
  auto const indices = choose_sample(result.sources.total, round);
  for (std::size_t const body : indices) {
    if (body >= first && body < first + count) local_rows.push_back(body - first);
  }
  BodyList const rows("apsis::forces::fmm::sample", local_rows.size());
  auto const host_rows = Kokkos::create_mirror_view(rows);
  std::copy(local_rows.begin(), local_rows.end(), host_rows.data());
  Kokkos::deep_copy(space, rows, host_rows);
  VectorColumns<Stored> const exact("apsis::forces::fmm::sample_exact", rows.extent(0));
  auto request = result;
  request.sources = sources;
  request.targets.select(BodyRows::listed(rows, local_rows.size()), indices.size());
  request.wanted = Field<Stored>::accelerations(exact);
  request.counted = false;
  reference.evaluate(Context(space), request);
  auto errors = gather_values(
      context, relative_errors(space, result.wanted.acceleration, rows, exact, local_rows.size()));
  // Non-finite results are detected elsewhere.
  for (auto& error : errors) error = std::isfinite(error) ? error : 0.0;
  std::sort(errors.begin(), errors.end());
  return percentile(errors, 0.99);
}

template double sample_error(Context const&, Solver<float>&, Request<float> const&,
                             Sources<float> const&, std::uint64_t);
template double sample_error(Context const&, Solver<double>&, Request<double> const&,
                             Sources<double> const&, std::uint64_t);

}  // namespace apsis::forces::fmm
