// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/citation.hpp"
#include <apsis/forces/extra.hpp>

/// Table entries of the forces besides gravity, which src/forces/extra/extra.cpp collects, and the
/// parameters that several of them have.
namespace apsis::forces {

ExtraForceEntry external_entry();
ExtraForceEntry tidal_field_entry();
ExtraForceEntry oblate_entry();
ExtraForceEntry post_newtonian_entry();
ExtraForceEntry schwarzschild_entry();
ExtraForceEntry einstein_infeld_hoffmann_entry();
ExtraForceEntry radiation_entry();

/// Parameter `c`; the default is that of the units.
Parameter speed_of_light_parameter();
/// Parameter with the id of the source of a force.
Parameter source_parameter(char const* name, char const* doc);
/// Returns the id that such a parameter holds.
std::uint64_t id_in(Values const& values, char const* name);
/// Returns 1 / c^2.
double inverse_square(double c);

}  // namespace apsis::forces
