// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>

namespace apsis::benchmark {

/// Seconds of each kernel by its label while it lives, and of each region of kernels, each waited
/// for. Replaces the callbacks of tools; one at a time.
class PartsClock {
 public:
  PartsClock();
  ~PartsClock();
  PartsClock(PartsClock const&) = delete;
  PartsClock& operator=(PartsClock const&) = delete;

  std::map<std::string, double> const& seconds() const;
};

}  // namespace apsis::benchmark
