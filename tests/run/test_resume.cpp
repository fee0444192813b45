// SPDX-License-Identifier: Apache-2.0
#include "files/file.hpp"
#include "support/contains.hpp"
#include "support/integrators.hpp"
#include "support/runs.hpp"
#include "support/suites.hpp"
#include <apsis/core/text.hpp>
#include <apsis/integrators/integrator_entry.hpp>
#include <apsis/integrators/stepping.hpp>
#include <apsis/run/session.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstring>

using namespace apsis;
using apsis::testing::contains;
using apsis::testing::expensive;
using apsis::testing::RunFiles;

namespace {

std::string const resumed_deck = R"({
  "bodies": {"generator": "plummer", "count": 37, "seed": 5, "henon_units": true},
  "gravity": {"softening": 0.05},
  "integrator": {"time_step": 0.03125},
  "run": {"steps": 12},
  "output": {"conservation_interval": 0.125, "checkpoint_interval": 0.09375},
  "diagnostics": {"lagrangian_radii": {"interval": 0.0625}}
})";

/// Returns the name of the first block that differs; empty if none does.
std::string difference(RunFiles const& a, RunFiles const& b) {
  auto const one = a.state(), other = b.state();
  if (one.size() != other.size()) return "number of blocks";
  for (auto const& [name, bytes] : one) {
    auto const match = other.find(name);
    if (match == other.end() || match->second != bytes) return name;
  }
  return "";
}

/// Checks that a run that is stopped after each of these checks of its bodies and then resumed ends
/// with the bits of an uninterrupted run.
void check_same_bits(std::vector<std::string> const& overrides,
                     std::vector<std::uint64_t> const& checks) {
  RunFiles whole("whole"), interrupted("cut");
  auto const outcome = whole.start(resumed_deck, overrides);
  for (auto const k : checks) {
    CAPTURE(k);
    {
      testing::SignalAtLook const signal(SIGTERM, k + 1);
      auto const stopped = interrupted.start(resumed_deck, overrides);
      CHECK(stopped.exit == ExitStatus::stopped);
      CHECK(stopped.stop.signal == SIGTERM);
    }
    auto const resumed = interrupted.resume(resumed_deck, overrides);
    CHECK(resumed.resumed.has_value());
    CHECK(resumed.exit == outcome.exit);
    CHECK(resumed.steps == outcome.steps);
    CHECK(resumed.interactions == outcome.interactions);
    CHECK(resumed.integrator_steps == outcome.integrator_steps);
    CHECK(resumed.retries == outcome.retries);
    CHECK(resumed.conservation.max_relative_energy_error ==
          outcome.conservation.max_relative_energy_error);
    CHECK(resumed.conservation.max_momentum_error == outcome.conservation.max_momentum_error);
    bool const same_log = interrupted.table("conservation.csv") == whole.table("conservation.csv");
    bool const same_table =
        interrupted.table("lagrangian_radii.csv") == whole.table("lagrangian_radii.csv");
    CHECK(same_log);
    CHECK(same_table);
    CHECK(difference(interrupted, whole) == "");
    CHECK(interrupted.warnings.empty());
  }
}

/// Whether a field belongs to the record or to the energy guard. The step is also a field of the
/// simulation.
bool is_record_field(std::string const& block) {
  return block != "run/step" && (block.starts_with("run/") || block.starts_with("guard/"));
}

/// Records the energy error after every step, as the progress line shows it.
class EnergyErrorRecorder final : public run::Observer {
 public:
  explicit EnergyErrorRecorder(std::string& notes) : notes_(notes) {}
  bool is_due(run::RunStatus const&, run::Occasion) const override { return false; }
  void observe(simulation::Instant&, run::RunStatus const&, run::Occasion) override {}
  void update(simulation::Instant const&, run::RunStatus const& status) override {
    notes_ += std::to_string(status.step) + ": " + shortest(status.relative_energy_error) + "\n";
  }

 private:
  std::string& notes_;
};

constexpr double previous_wall_seconds = 1e6;  ///< wall time of the previous processes [s]

/// Returns all output of a resumed run: messages and files.
std::string resumed_result(RunFiles& files, std::vector<std::string> const& overrides) {
  std::string result;
  files.warnings.clear();
  try {
    auto const outcome =
        files.resume(resumed_deck, overrides, run::DeckChange::refuse, [&](run::RunOutput& output) {
          output.add("notes", run::OnError::warn, [&](run::ErrorPolicy&) {
            return std::make_unique<EnergyErrorRecorder>(result);
          });
        });
    auto const& conservation = outcome.conservation;
    for (double const number :
         {static_cast<double>(outcome.exit), static_cast<double>(outcome.steps),
          static_cast<double>(outcome.retries), outcome.interactions, conservation.initial_energy(),
          conservation.final_energy(), conservation.relative_energy_error,
          conservation.max_relative_energy_error, conservation.max_momentum_error,
          static_cast<double>(outcome.wall_seconds > previous_wall_seconds)}) {
      result += shortest(number) + "\n";
    }
    result += outcome.uuid + " " + outcome.start + "\n";
  } catch (Error const& error) {
    return error.what();
  }
  for (auto const& warning : files.warnings) result += warning + "\n";
  for (auto const* table : {"conservation.csv", "lagrangian_radii.csv"})
    result += files.table(table);
  for (auto const* directory : {".", "pictures"}) {
    std::map<std::string, std::string> contents;
    for (auto const& entry : std::filesystem::directory_iterator(files.path() / directory)) {
      auto const kind = entry.path().extension();
      if (kind == ".h5" || kind == ".png") {
        contents[entry.path().filename()] = files::read_file(entry.path());
      }
    }
    for (auto const& [name, content] : contents) result += name + content;
  }
  return result;
}

}  // namespace

TEST_CASE("restart: a resumed run is bit-identical to an uninterrupted one" * expensive) {
  for (auto const* precision : {"single", "double", "mixed"}) {
    for (auto const& integrator : apsis::testing::general_integrators()) {
      if (integrator.needs_exact_forces && precision != std::string("double")) continue;
      std::string const mode = integrator.has_own_steps() ? "own" : "fixed";
      std::vector<std::vector<std::string>> steppings{
          {"integrator.stepping={\"mode\":\"" + mode + "\"}"}};
      for (auto const& parameter : integrator.parameters) {
        if (parameter.name == "compensated") steppings.push_back({"integrator.compensated=true"});
      }
      for (auto const& criterion : integrators::criteria()) {
        if (integrator.has_own_steps()) continue;
        if (criterion.needs_scheme_derivatives && criterion.name != integrator.criterion) continue;
        // In single precision the fifth derivative is noise, which the default 0.4 runs into.
        std::string const eta = criterion.name == "nitadori_makino" ? "1" : "0.02";
        steppings.push_back({"integrator.stepping={\"mode\":\"adaptive\",\"criterion\":\"" +
                             criterion.name + "\",\"eta\":" + eta + "}"});
      }
      if (integrator.has_blocks())
        steppings.push_back({"integrator.stepping={\"mode\":\"block\"}"});
      for (auto overrides : steppings) {
        INFO(precision << " " << integrator.name << " " << overrides.front());
        overrides.push_back("integrator.name=" + integrator.name);
        overrides.push_back("gravity.precision=" + std::string(precision));
        // At the start, within every interval, before a line of the log and at one.
        check_same_bits(overrides, {0, 1, 7});
      }
    }
  }
}

TEST_CASE("restart: wisdom_holman is bit-identical after a resume" * testing::thread_counts) {
  // A star, two planets, and massless bodies in front, between and outside.
  std::string const planets = R"(bodies={"list": [
    {"mass": 0, "position": [0.6, 0, 0], "velocity": [0, 1.3, 0.1]},
    {"mass": 1, "position": [0, 0, 0], "velocity": [0, 0, 0.1]},
    {"mass": 1e-3, "position": [1, 0, 0], "velocity": [0, 1.1, 0.1]},
    {"mass": 0, "position": [0, 2, 0], "velocity": [0.6, 0, 0.3]},
    {"mass": 3e-4, "position": [0, -4, 0], "velocity": [0.5, 0, 0.1]},
    {"mass": 0, "position": [-7, 0, 1], "velocity": [0, 0.4, 0]}]})";
  for (auto const* options : {R"("substeps": 3)", R"("corrector": 7, "kernel": "lazy")",
                              R"("coordinates": "democratic")"}) {
    check_same_bits({planets, "gravity.softening=0",
                     std::string(R"(integrator={"name": "wisdom_holman", "time_step": 0.03125, )") +
                         options + "}"},
                    {0, 1, 7});
  }
}

TEST_CASE(
    "restart: a scheme with steps of its own is bit-identical after a resume, for few bodies" *
    testing::thread_counts) {
  for (auto const* time_step : {"0.03125", "3"}) {
    check_same_bits({"bodies.count=11", "integrator.name=gauss_radau15", "gravity.softening=0",
                     "run.steps=8", "output.conservation_interval=" + std::string(time_step),
                     "output.checkpoint_interval=" + std::string(time_step),
                     "diagnostics.lagrangian_radii.interval=" + std::string(time_step),
                     "integrator.time_step=" + std::string(time_step)},
                    {0, 1, 5});
  }
}

TEST_CASE("restart: massless bodies with steps of their own are bit-identical after a resume" *
          testing::thread_counts) {
  std::string const crossing = R"(bodies={"list": [
    {"mass": 1, "position": [0, 0, 0], "velocity": [0, 0, 0]},
    {"mass": 0, "position": [0.3, 0, 0], "velocity": [0, 2.2, 0]},
    {"mass": 0.001, "position": [0, 1, 0], "velocity": [-1, 0, 0]},
    {"mass": 0, "position": [0, 3, 0], "velocity": [0.1, 0, 0.01]}]})";
  check_same_bits({crossing, "integrator.name=gauss_radau15", "gravity.softening=0"}, {0, 1, 7});
}

TEST_CASE("restart: every softening kernel is bit-identical after a resume" *
          testing::thread_counts) {
  for (auto const& kernel : forces::softening_kernels()) {
    if (kernel.name == "none") continue;
    for (auto const* integrator : {"leapfrog_kdk", "hermite4", "gauss_radau15"}) {
      check_same_bits(
          {"gravity.softening_kernel=" + kernel.name, "integrator.name=" + std::string(integrator)},
          {5});
    }
  }
}

TEST_CASE("restart: massless bodies keep their reference energies after a resume" *
          testing::thread_counts) {
  std::string const about_one = R"(bodies={"list": [
    {"mass": 0, "position": [1, 0, 0], "velocity": [0, 1.1, 0]},
    {"mass": 1, "position": [0, 0, 0], "velocity": [0, 0, 0.1]},
    {"mass": 0, "position": [0, 2, 0], "velocity": [0.6, 0, 0.3]}]})";
  for (auto const* integrator : {"leapfrog_kdk", "hermite4", "gauss_radau15"}) {
    check_same_bits({about_one, "integrator.name=" + std::string(integrator)}, {0, 1, 7});
  }
}

TEST_CASE("restart: a run that rolls back after a violation is bit-identical after a resume" *
          testing::thread_counts) {
  // The limit is exceeded at the first line of the log and again later.
  for (auto const* limit : {"1e-6", "2e-7", "1e-9"}) {
    for (auto const* mode : {"fixed", "adaptive", "block"}) {
      INFO(limit << mode);
      check_same_bits({"conservation.on_violation=retry",
                       "conservation.max_relative_energy_error=" + std::string(limit),
                       "integrator.stepping={\"mode\":\"" + std::string(mode) + "\"}"},
                      {2, 3, 6, 8});
    }
  }
}

TEST_CASE("restart: each field of the record and of the energy guard affects the resumed run" *
          testing::thread_counts) {
  // A run that rolls back after it was resumed: at once, or after an earlier roll-back.
  std::vector<std::string> const overrides{
      "conservation.on_violation=retry", "conservation.max_relative_energy_error=2e-7",
      "output.snapshot_interval=0.0625", "output.conservation_interval=0.0625",
      R"(output.render=[{"interval": 0.0625, "width": 16, "height": 16, "trail": 2}])"};
  std::map<std::string, bool> shows;
  for (std::uint64_t const k : {3, 5}) {
    CAPTURE(k);
    RunFiles interrupted("cut"), copy("copy");
    {
      testing::SignalAtLook const signal(SIGTERM, k + 1);
      CHECK(interrupted.start(resumed_deck, overrides).exit == ExitStatus::stopped);
    }
    interrupted.edit_state([](std::vector<StateBlock>& blocks) {
      for (auto& block : blocks) {
        if (block.name != "run/wall_seconds") continue;
        std::memcpy(block.bytes.data(), &previous_wall_seconds, sizeof previous_wall_seconds);
      }
    });
    std::vector<std::string> names;
    auto const resume_without = [&](std::size_t left_out) {
      std::filesystem::remove_all(copy.path());
      std::filesystem::copy(interrupted.path(), copy.path(),
                            std::filesystem::copy_options::recursive);
      copy.edit_state([&](std::vector<StateBlock>& blocks) {
        names.clear();
        for (auto const& block : blocks) names.push_back(block.name);
        if (left_out >= blocks.size()) return;
        auto& block = blocks[left_out];
        if (block.type == BlockType::text) {
          block.bytes.clear();
        } else {
          std::fill(block.bytes.begin(), block.bytes.end(), std::byte{0});
        }
      });
      return resumed_result(copy, overrides);
    };
    auto const expected = resume_without(~std::size_t{0});
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (!is_record_field(names[i])) continue;
      // The energy guard saves the same fields again under the same names.
      bool const again =
          std::count(names.begin(), names.begin() + static_cast<std::ptrdiff_t>(i), names[i]) > 0;
      bool& shown = shows[names[i] + (again ? ", kept" : "")];
      shown = shown || resume_without(i) != expected;
    }
  }
  for (auto const& [name, shown] : shows) {
    CAPTURE(name);
    CHECK(shown);
  }
}
