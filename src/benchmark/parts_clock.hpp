// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>

namespace apsis::benchmark {

/// Measures the seconds of each kernel, by label, and of each region of kernels, with a fence after
/// each. Replaces the callbacks of tools; only one object may exist at a time.
class PartsClock {
 public:
  PartsClock();
  ~PartsClock();
  PartsClock(PartsClock const&) = delete;
  PartsClock& operator=(PartsClock const&) = delete;

  std::map<std::string, double> const& seconds() const;
};

}  // namespace apsis::benchmark
