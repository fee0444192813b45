// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/driver/works.hpp>
#include <apsis/io/snapshot.hpp>

#include <any>
#include <array>
#include <functional>
#include <variant>

namespace apsis::driver {

class Instant;
struct SnapshotContent;

/// Copies of the bodies in memory of the host that the device can reach fast, for a thread that
/// reads them while the run goes on. Instant::copy_to() allocates and fills them.
struct HostColumns {
  /// In the type that the bodies are stored in.
  std::variant<io::SnapshotColumns<float>, io::SnapshotColumns<double>> columns;
  std::any memory;  ///< of the columns
};

/// Works on copies of the bodies in a thread while the run goes on, one after the other. There are
/// two sets of copies: one is worked on while the run fills the other, and the run waits for no
/// more than that copy as long as the work keeps pace with it; see Works.
class Background {
 public:
  using Work = std::function<void(HostColumns const&)>;

  /// `tolerance` must outlive it.
  explicit Background(Tolerance& tolerance)
      : works_(tolerance, 2, Works::Order::one_after_the_other) {}

  /// Copies the bodies, and has the work done.
  void hand(Instant& now, SnapshotContent const& content, Work work);

  /// Waits until all works are done.
  void settle() { works_.settle(); }
  /// Whether it is not known yet how all works went.
  bool busy() const { return works_.busy(); }

 private:
  std::array<HostColumns, 2> copies_;
  Works works_;  ///< use the copies: gone first
};

}  // namespace apsis::driver
