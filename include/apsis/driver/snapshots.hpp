// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/driver/background.hpp>
#include <apsis/driver/configuration.hpp>
#include <apsis/driver/observer.hpp>
#include <apsis/driver/run_directory.hpp>

#include <cstdint>
#include <string>

namespace apsis::driver {

/// The snapshots of a run, written in the background: at the start, at every interval and at the
/// end.
class Snapshots final : public Observer {
 public:
  /// Of a new run, or of one that goes on. All arguments but `from` must outlive it.
  Snapshots(Configuration const& run, RunDirectory const& directory, std::string const& deck,
            Tolerance& tolerance, RunRecord const* from = nullptr);

  bool due(Standing const& at, Occasion why) const override;
  void see(Instant& now, Standing const& at, Occasion why) override;
  void keep() override { kept_ = count_; }
  void forget() override { count_ = kept_; }
  void cut() override { directory_.cut_back(count_); }
  void settle() override { background_.settle(); }
  bool busy() const override { return background_.busy(); }
  void tell(RunRecord& record) const override;

  /// Numbers used so far.
  std::uint64_t count() const { return count_; }

 private:
  Configuration const& run_;
  RunDirectory const& directory_;
  std::string const& deck_;
  Background background_;
  std::uint64_t count_ = 0;
  std::uint64_t kept_ = 0;  ///< count at the time that a run may go back to
};

}  // namespace apsis::driver
