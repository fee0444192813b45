// SPDX-License-Identifier: Apache-2.0
#include "support/contains.hpp"
#include "support/runs.hpp"
#include "support/suites.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <thread>

using namespace apsis;
using apsis::testing::RunFiles;

namespace {

std::string const rows_deck = R"({
  "bodies": {"generator": "plummer", "count": 6000, "seed": 5},
  "gravity": {"softening": 0.05, "solver": "direct"},
  "integrator": {"time_step": 0.03125}, "run": {"steps": 2},
  "output": {"conservation_interval": 0.03125},
  "diagnostics": {"lagrangian_radii": {}, "structure": {},
                  "potential_error_sample": {"bodies": 20}, "force_error_sample": {"bodies": 20}}})";

std::vector<std::string> const row_tables{"lagrangian_radii.csv", "structure.csv",
                                          "potential_errors.csv", "force_errors.csv"};

/// Requests a stop during the computation of the density centre after step `after`, and delays it
/// for longer than a stop request waits.
class SignalInDensityCentre {
 public:
  explicit SignalInDensityCentre(int after) {
    checks_left() = after + 1;
    batches() = 0;
    Kokkos::Tools::Experimental::set_begin_parallel_for_callback(
        [](char const* kernel, std::uint32_t, std::uint64_t*) {
          std::string const name = kernel;
          if (name == "apsis::diagnostics::FiniteWatch::look") --checks_left();
          if (checks_left() > 0 || name != "apsis::diagnostics::neighbour_densities") return;
          if (++batches() == 2) std::raise(SIGTERM);
          if (batches() >= 2) std::this_thread::sleep_for(std::chrono::milliseconds(600));
        });
  }
  ~SignalInDensityCentre() {
    Kokkos::Tools::Experimental::set_begin_parallel_for_callback(nullptr);
  }

 private:
  static int& checks_left() {
    static int count = 0;
    return count;
  }
  static int& batches() {
    static int count = 0;
    return count;
  }
  Signals signals_;
};

std::size_t rows_in(std::string const& text) {
  return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

}  // namespace

TEST_CASE("a stop request interrupts a long row, which the resumed run writes with the same bits" *
          testing::thread_counts) {
  RunFiles whole("whole");
  CHECK(whole.start(rows_deck, {}).exit == ExitStatus::conserved);
  // During the run, and at its last step.
  for (int const after : {1, 2}) {
    CAPTURE(after);
    RunFiles cut("cut");
    {
      SignalInDensityCentre const signal(after);
      auto const stopped = cut.start(rows_deck, {});
      CHECK(stopped.exit == ExitStatus::stopped);
      CHECK(stopped.stop.signal == SIGTERM);
      CHECK(stopped.steps == static_cast<std::uint64_t>(after));
      CHECK(stopped.checkpoint == static_cast<std::uint64_t>(after));
    }
    // The earlier rows are in the tables; the interrupted one is not.
    auto const rows = 1 + static_cast<std::size_t>(after);
    CHECK(rows_in(cut.table("structure.csv")) == rows);
    CHECK(rows_in(cut.table("lagrangian_radii.csv")) == rows);
    auto const resumed = cut.resume(rows_deck, {});
    CHECK(resumed.exit == ExitStatus::conserved);
    CHECK(resumed.steps == 2);
    CHECK(cut.table("conservation.csv") == whole.table("conservation.csv"));
    for (auto const& table : row_tables) {
      CAPTURE(table);
      CHECK(rows_in(cut.table(table)) == 4);
      CHECK(cut.table(table) == whole.table(table));
    }
  }
}
