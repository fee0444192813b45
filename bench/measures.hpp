// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cli/commands.hpp"

namespace apsis::benchmark {

/// Makes the measurements that the library lacks; value of cli::Measures.
ExitStatus measure(cli::BenchOptions const& options, Request const& request,
                   cli::RankContext const& ranks);

}  // namespace apsis::benchmark
