// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/io/record.hpp>

namespace apsis::benchmark {

/// What numbers were measured on and with: backend, device, compiler, kokkos, git, date (UTC).
io::Record environment_record();

}  // namespace apsis::benchmark
