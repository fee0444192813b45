// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "few_cases.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

/// Cost of steps of few bodies, and cost of an error at the end of a run, beside plain loops and
/// beside other programs. All times are processor times of the process [s], the least of several
/// repetitions, without the set-up of a run.
namespace apsis::benchmark {

/// Cost of a step of an integrator. `code` is "apsis", "plain loop" or the name of another program.
struct FewStepCost {
  std::size_t bodies;
  std::string code;
  std::string scheme;
  double seconds_step;                 ///< [s]
  double forces_step;                  ///< force evaluations of all bodies per step; 0: not known
  std::optional<double> over_plain{};  ///< seconds_step over that of the plain loop
};

/// A run of a case: its cost and its error.
struct FewErrorCost {
  std::string problem;  ///< FewBodyCase::name
  std::string code;
  std::string scheme;
  std::uint64_t steps;  ///< of the integrator
  double seconds;       ///< [s]
  double error;         ///< error_at_end()
};

struct FewRequest {
  int repeats = 3;
  /// Command of another program that runs the same cases, see few_other_program(). Empty: none.
  std::string beside;
};

/// Measures everything and passes the results on, one by one.
void few_costs(FewRequest const& request, std::function<void(FewStepCost const&)> const& step,
               std::function<void(FewErrorCost const&)> const& error);

/// A run that another program made.
struct OtherRun {
  std::string scheme;
  std::uint64_t steps;
  double seconds;
  std::vector<Vec3<double>> position;
};

/// Runs another program, `command FILE`, on a case. The file has one line "end steps repeats",
/// the time at which to end, or 0 and a number of steps of 0.01; then one line "m x y z vx vy vz"
/// for each body, with G = 1. The program prints one line for each run it makes: "scheme steps
/// seconds x y z x y z ...", the name of the scheme without spaces, its number of steps, the least
/// processor time of so many repetitions [s], and the positions at the end. Throws an input/output
/// error if the program fails or prints anything else.
std::vector<OtherRun> few_other_program(std::string const& command, FewBodyCase const& problem,
                                        std::uint64_t steps, int repeats);

/// Plain loop of an integrator over few bodies, as one would write it for one problem: arrays on
/// the stack, no checks, no output. It is what a step could cost. Makes `steps` steps of `dt` of
/// bodies with G = 1 and without softening.
using PlainLoop = std::function<void(HostBodies& bodies, double dt, std::uint64_t steps)>;

/// Returns the plain loop of an integrator with its default parameters; empty if there is none.
/// Leapfrogs and other compositions, `hermite6` with one correction. At most 16 bodies.
std::optional<PlainLoop> plain_loop(std::string const& integrator);

/// The table of steps, line by line.
std::string few_step_heading();
std::string few_step_line(FewStepCost const& cost);
/// The table of errors: the processor time for errors of 1e-3, 1e-6 and 1e-9, interpolated between
/// runs, and the smallest error, for each case and scheme.
std::string few_error_table(std::vector<FewErrorCost> const& runs);
/// All results; `complete` tells whether these are all.
std::string few_json(std::vector<FewStepCost> const& steps, std::vector<FewErrorCost> const& runs,
                     bool complete);

}  // namespace apsis::benchmark
