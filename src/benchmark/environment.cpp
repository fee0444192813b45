// SPDX-License-Identifier: Apache-2.0
#include "bench.hpp"
#include <apsis/core/machine.hpp>

#include <ctime>

namespace apsis::benchmark {

files::Record environment_record() {
  auto const build = build_info();
  std::time_t const now = std::time(nullptr);
  std::tm utc{};
  gmtime_r(&now, &utc);
  char date[40];
  std::strftime(date, sizeof(date), "%Y-%m-%dT%H:%M:%SZ", &utc);
  return {{"backend", build.backend},
          {"device", device_name()},
          {"compiler", build.compiler},
          {"kokkos", build.kokkos},
          {"git", build.git},
          {"date", std::string(date)},
          {"version", build.version},
          {"simd", build.simd},
          {"threads", std::int64_t{host_threads()}}};
}

}  // namespace apsis::benchmark
