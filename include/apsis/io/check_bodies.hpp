// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/core/error.hpp>
#include <apsis/io/bodies_file.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace apsis::io {

/// How many faults of one file are told; the first ones say what is wrong with it.
inline constexpr std::size_t most_problems_of_a_file = 10;

/// Two places with the same id, the first before the second; nothing if ids are unique.
/// O(N log N); a copy of the ids.
std::optional<std::pair<std::size_t, std::size_t>> repeated_id(
    std::vector<std::uint64_t> const& ids);

/// What no body may be: not finite, of negative mass, or of an id that another has. Each names the
/// body's index in the file, from 0, and its id; at most `most_problems_of_a_file` of them.
std::vector<Problem> problems_of(BodiesFile const& file, std::string const& source);

}  // namespace apsis::io
