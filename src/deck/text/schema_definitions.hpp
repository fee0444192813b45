// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "json_text.hpp"

namespace apsis::deck {

/// Member of a schema that holds the name of its definition, until definitions are extracted.
inline constexpr char const* definition_name = "$name";

/// Removes the names of definitions from a schema: every object then stands where it is used.
void remove_definition_names(Ordered& schema);

/// Moves the schemas that have a name, and property schemas that are repeated, to definitions, and
/// replaces them by references. Returns the definitions, an object for "$defs".
///
/// Schemas of one name may differ, as the models of bodies do: they have more keys at top level
/// than within parts. The definition then holds what all of them have in common and is open; each
/// reference adds the rest, and closes itself with "unevaluatedProperties".
///
///     "$defs": {"bodies.plummer": {"properties": {"count": ..., "mass": ...}}}
///     at top level: {"$ref": "#/$defs/bodies.plummer", "properties": {"henon_units": ...},
///                    "unevaluatedProperties": false}
///     in a part:    {"$ref": "#/$defs/bodies.plummer", "unevaluatedProperties": false}
Ordered extract_definitions(Ordered& schema);

}  // namespace apsis::deck
