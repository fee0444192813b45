// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/core/execution.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <vector>

namespace apsis::benchmark {

struct Timing {
  double median = 0.0;  ///< [s]
  double least = 0.0;   ///< [s]
  double most = 0.0;    ///< [s]
  int repeats = 0;

  double spread() const { return median > 0.0 ? (most - least) / median : 0.0; }
};

inline double seconds_since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

inline double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  std::size_t const half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : 0.5 * (values[half - 1] + values[half]);
}

/// Times `work(repeat)`, `repeats` times after a warm-up. Short work is repeated many times per
/// clock reading, queued as in a run. Fences `space`.
template <class Work>
Timing measure_time(ExecutionSpace const& space, int repeats, Work const& work) {
  constexpr double shortest_sample =
      2e-3;  // [s]; well above the cost of reading the clock and of a fence
  auto const sample = [&](int repeat, int batch) {
    auto const begin = std::chrono::steady_clock::now();
    for (int i = 0; i < batch; ++i) work(repeat);
    space.fence("apsis::benchmark::timed");
    return seconds_since(begin) / batch;
  };
  double once = sample(0, 1);
  if (once < 1.0) once = std::min(once, sample(0, 1));
  int const batch =
      std::max(1, static_cast<int>(std::ceil(shortest_sample / std::max(once, 1e-7))));
  std::vector<double> seconds;
  for (int repeat = 0; repeat < repeats; ++repeat) seconds.push_back(sample(repeat, batch));
  auto const [least, most] = std::minmax_element(seconds.begin(), seconds.end());
  return {median(seconds), *least, *most, repeats};
}

}  // namespace apsis::benchmark
