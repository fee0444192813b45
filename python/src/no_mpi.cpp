// SPDX-License-Identifier: Apache-2.0
#include "module.hpp"

namespace apsis::python {

/// Builds without MPI have no class Ranks; apsis.mpi says so.
void bind_mpi(nb::module_& /*extension*/) {}

}  // namespace apsis::python
