// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/bodies/host_bodies.hpp>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

/// Cost of steps of few bodies, and cost of an error at the end of a run, beside plain loops and
/// beside other programs. All times are processor times of the process [s], the least of several
/// repetitions, without the set-up of a run.
namespace apsis::benchmark {

/// Initial state of a few bodies with G = 1, and their exact positions at a later time.
struct FewBodyCase {
  std::string name;
  std::string title;
  HostBodies start;
  double end;                          ///< [time]
  std::vector<Vec3<double>> at_end{};  ///< positions; empty if they are not known
};

/// Cases with known positions at the end. These come from Taylor series of order 34 in arithmetic
/// of 113 bits; two tolerances agree in all digits given.
std::vector<FewBodyCase> const& few_body_cases();

/// A star of mass 1 and `bodies` - 1 planets of mass 1e-4 at distances 1, 1.4, 1.96 ...
FewBodyCase planets_case(std::size_t bodies);

/// Returns the largest distance of a body from its exact position [length]; NaN if one is NaN.
double error_at_end(FewBodyCase const& problem, std::vector<Vec3<double>> const& position);

/// Cost of a step of an integrator. `code` is "apsis", "plain loop" or the name of another program.
struct FewStepCost {
  std::size_t bodies;
  std::string code;
  std::string scheme;
  double seconds_step;                 ///< [s]
  double forces_step;                  ///< force evaluations of all bodies per step; 0: not known
  std::optional<double> over_plain{};  ///< seconds_step over that of the plain loop
};

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
  /// Command of another program that runs the same cases (docs/commands.md). Empty: none.
  std::string beside;
};

void few_costs(FewRequest const& request, std::function<void(FewStepCost const&)> const& step,
               std::function<void(FewErrorCost const&)> const& error);

/// Plain loop of an integrator over few bodies, as one would write it for one problem: arrays on
/// the stack, no checks, no output. It is what a step could cost. Makes `steps` steps of `dt` of
/// bodies with G = 1 and without softening.
using PlainLoop = std::function<void(HostBodies& bodies, double dt, std::uint64_t steps)>;

/// Returns the plain loop of an integrator with its default parameters; empty if there is none.
/// Leapfrogs and other compositions, `hermite6` with one correction. At most 16 bodies.
std::optional<PlainLoop> plain_loop(std::string const& integrator);

std::string few_step_heading();
std::string few_step_line(FewStepCost const& cost);
/// The table of errors: the processor time for errors of 1e-3, 1e-6 and 1e-9, interpolated between
/// runs, and the smallest error, for each case and scheme.
std::string few_error_table(std::vector<FewErrorCost> const& runs);
/// All results; `complete` tells whether these are all.
std::string few_json(std::vector<FewStepCost> const& steps, std::vector<FewErrorCost> const& runs,
                     bool complete);

}  // namespace apsis::benchmark
