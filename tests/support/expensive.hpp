// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <doctest/doctest.h>

namespace apsis::testing {

/// Marks a case that takes seconds because it compares numbers with a slow reference. ctest runs it
/// on two threads only: the system tests `run` and `resume` compare the bits of other numbers of
/// threads.
inline doctest::test_suite const expensive("expensive");

}  // namespace apsis::testing
