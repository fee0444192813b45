// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/deck/configuration.hpp>

/// Tables of star clusters.
namespace apsis::run {

deck::DiagnosticEntry lagrangian_radii_table();
deck::DiagnosticEntry structure_table();
deck::DiagnosticEntry binaries_table();
deck::DiagnosticEntry escapers_table();

}  // namespace apsis::run
