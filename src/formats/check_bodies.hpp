// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/core/error.hpp>
#include <apsis/formats/bodies_file.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace apsis::formats {

/// Maximum number of reported problems of one file.
inline constexpr std::size_t max_problems_per_file = 10;

/// Note on files with gas.
inline constexpr char const* gas_words =
    "gas: only gravity acts on it, Apsis computes no gas dynamics";

/// Indices of two bodies with the same id, in ascending order; nothing if ids are unique. Cost
/// O(N log N) and memory for a copy of the ids.
std::optional<std::pair<std::size_t, std::size_t>> repeated_id(
    std::vector<std::uint64_t> const& ids);

/// Numbers the bodies 0 ... N - 1 in place of the ids of the file.
void number_anew(BodiesFile& file);

/// Problems of the bodies: values that are not finite, negative masses and duplicate ids. Each
/// problem names the body's index in the file, from 0, and its id. At most max_problems_per_file of
/// values and masses, and one of ids.
std::vector<Problem> problems_of(BodiesFile const& file, std::string const& source);

}  // namespace apsis::formats
