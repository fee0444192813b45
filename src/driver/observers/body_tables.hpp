// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/bodies/host_bodies.hpp>
#include <apsis/core/parameter.hpp>
#include <apsis/deck/configuration.hpp>

#include <cstddef>
#include <string>
#include <vector>

/// Tables with a row for each of chosen bodies.
namespace apsis::driver {

/// Returns the row of the body with this id or name. Throws a bad-input error if there is none.
/// `where`: key below `diagnostics`.
std::size_t row_of(HostBodies const& bodies, std::string const& word, std::string const& where);
/// Returns the rows of the bodies in a text such as "A, 3".
std::vector<std::size_t> rows_in(HostBodies const& bodies, std::string const& words,
                                 std::string const& where);
/// Returns the rows of the bodies with these ids; all rows if there are none.
std::vector<std::size_t> rows_of(HostBodies const& bodies, std::vector<double> const& ids,
                                 std::string const& where);

/// Parameter `bodies` of tables: ids.
Parameter body_ids_parameter();
/// Parameter `names` of tables: whether they end with the column name_column().
Parameter names_parameter();
bool has_names(Values const& values);
TableColumn id_column();
TableColumn name_column();

deck::DiagnosticEntry orbital_elements_table();
deck::DiagnosticEntry trajectories_table();
deck::DiagnosticEntry transits_table();

}  // namespace apsis::driver
