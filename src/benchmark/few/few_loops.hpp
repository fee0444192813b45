// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/bodies/host_bodies.hpp>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

/// Plain loops of integrators over few bodies, as one would write them for one problem: arrays on
/// the stack, no checks, no output. They are what a step could cost.
namespace apsis::benchmark {

/// Makes `steps` steps of `dt` of bodies with G = 1 and without softening.
using PlainLoop = std::function<void(HostBodies& bodies, double dt, std::uint64_t steps)>;

/// Returns the plain loop of an integrator with its default parameters; empty if there is none.
/// Leapfrogs and other compositions, `hermite6` with one correction. At most 16 bodies.
std::optional<PlainLoop> plain_loop(std::string const& integrator);

}  // namespace apsis::benchmark
