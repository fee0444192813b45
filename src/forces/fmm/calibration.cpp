// SPDX-License-Identifier: Apache-2.0
#include "calibration.hpp"

#include <apsis/core/percentile.hpp>
#include <apsis/core/philox.hpp>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

namespace apsis::forces::fmm {

namespace {
// What 99 % of a usual sample stay within is off by some 9 % (of 4000 bodies 40 are beyond it, give
// or take 6, and errors grow as the power -0.6 of how many are beyond them): the limit leaves more
// than twice that, and the aim is where the sample of the next look is likely to do as well.
constexpr double limit = 0.8, aim = 0.7, needless = 0.6;  ///< of the accuracy
constexpr double strictest = 1e-4;
}  // namespace

bool Calibration::is_stricter_than_needed() const {
  return found_ >= 0.0 && found_ < needless * accuracy_ && part_ < 1.0 / accuracy_;
}

void Calibration::follow(double error) {
  double const to = aim * accuracy_;
  double const change = std::pow(to / std::max(error, 1e-3 * to), 1.5);
  part_ = std::clamp(part_ * std::clamp(change, 0.125, 8.0), strictest, 1.0 / accuracy_);
}

bool Calibration::is_due() {
  too_loose_ = strict_ = 0.0;
  if (until_next_ > 0) {
    --until_next_;
    return false;
  }
  double const part_in_use = part_;
  if (is_stricter_than_needed()) follow(found_);
  is_in_use_ = found_ >= 0.0 && part_ == part_in_use;
  return true;
}

bool Calibration::accept(double error) {
  worst_ = std::max(worst_, error);
  return true;
}

bool Calibration::accepts(double error) {
  // Errors may jump: nothing that is nearer than this is looked for in between.
  constexpr double near = 1.5;
  found_ = error;
  // The evaluations since the last look had this part, and about this error.
  if (std::exchange(is_in_use_, false)) worst_ = std::max(worst_, error);
  bool const too_much = error > limit * accuracy_ && part_ > strictest;
  bool const too_little = is_stricter_than_needed();
  if (too_much) {
    too_loose_ = part_;
    if (strict_ == 0.0) {
      follow(error);
    } else {
      part_ = too_loose_ > near * strict_ ? std::sqrt(too_loose_ * strict_) : strict_;
    }
    return false;
  }
  if (too_little && too_loose_ > near * part_) {
    strict_ = part_;
    part_ = std::sqrt(too_loose_ * strict_);
    return false;
  }
  // Less strict from the next evaluation on, whose errors are looked at too.
  if (too_little && too_loose_ == 0.0) return accept(error);
  until_next_ = interval;
  ++turn_;
  return accept(error);
}

void Calibration::exchange(SavedState& state) {
  state.exchange("fmm/part", part_);
  state.exchange("fmm/until_next_look", until_next_);
  state.exchange("fmm/turn", turn_);
  state.exchange("fmm/found", found_);
  state.exchange("fmm/worst", worst_);
}

std::size_t size_of_sample(std::size_t bodies, std::uint64_t turn) {
  constexpr std::size_t usual = 4000, first = 16000, pairs = 4000000000;
  return std::min(bodies, turn > 0 ? usual : std::clamp(pairs / bodies, usual, first));
}

namespace {

/// One body of each of as many parts as there are in a sample, by their numbers, and not always at
/// the same place of it: rows may have a pattern, such as every second one of another kind.
std::vector<std::size_t> sampled(std::size_t bodies, std::uint64_t turn) {
  std::size_t const count = size_of_sample(bodies, turn);
  std::vector<std::size_t> all;
  for (std::size_t k = 0; k < count; ++k) {
    auto const random = philox(k, turn, 0);
    double const place = static_cast<double>(k) + unit_interval(random[0], random[1]);
    double const of = static_cast<double>(bodies) / static_cast<double>(count);
    all.push_back(std::min(bodies - 1, static_cast<std::size_t>(place * of)));
  }
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

/// |a - b| / |b| of listed rows of a, and rows of b.
template <class Stored>
std::vector<double> errors_of(ExecutionSpace const& space, VectorColumns<Stored> const& a,
                              BodyList const& rows, VectorColumns<Stored> const& b,
                              std::size_t count) {
  Column<double> const errors("apsis::forces::fmm::errors_of_sample", count);
  Kokkos::parallel_for(
      "apsis::forces::fmm::errors_of_sample",
      Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<std::size_t>>(space, 0, count),
      KOKKOS_LAMBDA(std::size_t k) {
        double off = 0.0, size = 0.0;
        for (int axis = 0; axis < 3; ++axis) {
          auto const exact = static_cast<double>(b(k, axis));
          double const d = static_cast<double>(a(rows(k), axis)) - exact;
          off += d * d;
          size += exact * exact;
        }
        errors(k) = off > 0.0 ? Kokkos::sqrt(off / size) : 0.0;
      });
  auto const host = Kokkos::create_mirror_view(errors);
  Kokkos::deep_copy(space, host, errors);
  space.fence("apsis::forces::fmm: the host reads errors of a sample");
  return {host.data(), host.data() + count};
}

}  // namespace

template <class Stored>
double error_of_sample(Context const& context, Solver<Stored>& direct, Request<Stored> const& found,
                       Sources<Stored> const& sources, std::uint64_t turn) {
  auto const& space = context.space;
  std::size_t const first = found.sources.first, count = found.sources.size();
  std::vector<std::size_t> here;
  auto const all = sampled(found.sources.total, turn);
  for (std::size_t const body : all) {
    if (body >= first && body < first + count) here.push_back(body - first);
  }
  // At least a row: an empty column is not wanted.
  BodyList const rows("apsis::forces::fmm::sample", std::max<std::size_t>(1, here.size()));
  auto const on_host = Kokkos::create_mirror_view(rows);
  std::copy(here.begin(), here.end(), on_host.data());
  Kokkos::deep_copy(space, rows, on_host);
  VectorColumns<Stored> const exact("apsis::forces::fmm::exact_of_sample", rows.extent(0));
  auto request = found;
  request.sources = sources;
  request.targets.listed = rows;
  request.targets.range = {0, here.size()};
  request.targets.total = all.size();
  request.wanted = {exact, {}, {}, {}};
  request.counted = false;
  direct.evaluate(Context(space), request);
  auto errors =
      gathered(context, errors_of(space, found.wanted.acceleration, rows, exact, here.size()));
  // What is no number is another's to find.
  for (auto& error : errors) error = std::isfinite(error) ? error : 0.0;
  std::sort(errors.begin(), errors.end());
  return percentile(errors, 0.99);
}

template double error_of_sample(Context const&, Solver<float>&, Request<float> const&,
                                Sources<float> const&, std::uint64_t);
template double error_of_sample(Context const&, Solver<double>&, Request<double> const&,
                                Sources<double> const&, std::uint64_t);

}  // namespace apsis::forces::fmm
