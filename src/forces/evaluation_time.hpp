// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace apsis::forces {

/// Wall time that the calling thread has spent in Solver::evaluate() so far [s]. Callers take
/// differences. Sums over few bodies, which take less than a microsecond, are not measured. On a
/// GPU it is the time of the launches.
double seconds_in_evaluations();

}  // namespace apsis::forces
