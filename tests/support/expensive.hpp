// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <doctest/doctest.h>

namespace apsis::testing {

/// Marks a case that takes seconds because it compares with a slow reference. ctest runs it with
/// two threads only; the system tests `run` and `resume` compare the bits for other numbers of
/// threads.
inline doctest::test_suite const expensive("expensive");

}  // namespace apsis::testing
