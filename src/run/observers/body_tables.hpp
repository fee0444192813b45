// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/bodies/host_bodies.hpp>
#include <apsis/core/parameter.hpp>
#include <apsis/deck/configuration.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

/// Tables with a row for each of chosen bodies.
namespace apsis::run {

/// Returns the row of the body with this id or name; nothing if there is none or it is gone.
std::optional<std::size_t> find_body(HostBodies const& bodies, std::string const& word);
/// Throws a bad-input error unless a body has this id or name. `where`: key below `diagnostics`.
void check_body(HostBodies const& bodies, std::string const& word, std::string const& where);

/// Throws a bad-input error unless bodies have all ids or names in a text such as "A, 3". `where`:
/// key below `diagnostics`.
void check_words(HostBodies const& bodies, std::string const& words, std::string const& where);
/// Returns the rows of the bodies in such a text, without those that are gone.
std::vector<std::size_t> rows_in(HostBodies const& bodies, std::string const& words);

/// Throws a bad-input error unless bodies have all of these ids.
void check_ids(HostBodies const& bodies, std::vector<double> const& ids, std::string const& where);
/// Returns the rows of the bodies with these ids, without those that are gone; all rows if `ids` is
/// empty.
std::vector<std::size_t> rows_of(HostBodies const& bodies, std::vector<double> const& ids);

/// Parameter `bodies` of tables: ids.
Parameter body_ids_parameter();
/// Parameter `names` of tables: whether they end with the column name_column().
Parameter names_parameter();
bool has_names(Values const& values);
TableColumn id_column();
TableColumn name_column();

deck::DiagnosticEntry orbital_elements_table();
deck::DiagnosticEntry trajectories_table();
deck::DiagnosticEntry nearest_bodies_table();
deck::DiagnosticEntry transits_table();

}  // namespace apsis::run

/// Tables of star clusters.
namespace apsis::run {

deck::DiagnosticEntry lagrangian_radii_table();
deck::DiagnosticEntry structure_table();
deck::DiagnosticEntry binaries_table();
deck::DiagnosticEntry escapers_table();

}  // namespace apsis::run
