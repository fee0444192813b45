// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/run/observer.hpp>

#include <cstdint>
#include <memory>

// Extensions of Apsis by this program: a force, an integrator and an observer.
void add_spring();
void add_pefrl();
/// Makes an observer of the distance of the farthest body from the centre of mass, which it writes
/// to `largest`.
std::unique_ptr<apsis::run::Observer> make_extent(std::uint64_t interval, double& largest);
