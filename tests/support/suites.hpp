// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <doctest/doctest.h>

namespace apsis::testing {

/// Marks a case that takes seconds because it compares with a slow reference.
inline doctest::test_suite const expensive("expensive");

/// Marks a case that compares bits, or tests code with several threads: ctest runs it on one,
/// two and three threads
/// (`on_1_thread`, the test of its room, `on_3_threads`). Bits of whole runs on several numbers of
/// threads are compared by the system tests `threads`, `resume`, `diagnostic_tables`, `pictures`
/// and `verify`.
inline doctest::test_suite const thread_counts("threads");

}  // namespace apsis::testing
