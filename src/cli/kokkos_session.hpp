// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

namespace apsis::cli {

/// Kokkos from construction to destruction, quiet on a normal start and with its threads bound.
class KokkosSession {
 public:
  /// `threads`: host threads to run on; all that are available if it is empty. Throws a usage error
  /// if this executable's backend has no threads to choose.
  explicit KokkosSession(std::optional<int> threads);
  ~KokkosSession();
  KokkosSession(KokkosSession const&) = delete;
  KokkosSession& operator=(KokkosSession const&) = delete;
};

}  // namespace apsis::cli
