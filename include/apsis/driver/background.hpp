// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/driver/tolerance.hpp>
#include <apsis/io/snapshot.hpp>

#include <any>
#include <array>
#include <functional>
#include <future>
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

/// Works on copies of the bodies in a thread while the run goes on. There are two sets of copies:
/// one is worked on while the run fills the other, and the run waits for no more than that copy as
/// long as the work keeps pace with it. Works are done one after the other. An error in one is told
/// to the tolerance when its copies are wanted again, or by settle().
class Background {
 public:
  using Work = std::function<void(HostColumns const&)>;

  /// `tolerance` must outlive it.
  explicit Background(Tolerance& tolerance) : tolerance_(tolerance) {}
  ~Background();
  Background(Background const&) = delete;
  Background& operator=(Background const&) = delete;

  /// Copies the bodies, and has the work done.
  void hand(Instant& now, SnapshotContent const& content, Work work);

  /// Waits until all works are done.
  void settle();

  /// Whether it is not known yet how all works went.
  bool busy() const { return desks_[0].working.valid() || desks_[1].working.valid(); }

 private:
  struct Desk {
    HostColumns copies;
    std::shared_future<void> working;
  };

  void collect(Desk& desk);

  Tolerance& tolerance_;
  std::array<Desk, 2> desks_;
  std::size_t next_ = 0;  ///< that of the older work
};

}  // namespace apsis::driver
