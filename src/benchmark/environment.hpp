// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/io/record.hpp>

namespace apsis::benchmark {

/// Returns the environment of a measurement: backend, device, compiler, kokkos, git, date (UTC).
io::Record environment_record();

}  // namespace apsis::benchmark
