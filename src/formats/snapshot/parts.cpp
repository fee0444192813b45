// SPDX-License-Identifier: Apache-2.0
#include "parts.hpp"

#include "core/decimal.hpp"
#include "formats/check_bodies.hpp"
#include <apsis/core/text.hpp>

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>

namespace apsis::formats {

namespace fs = std::filesystem;

namespace {

std::uint8_t species_of_type(std::size_t type) {
  return static_cast<std::uint8_t>(std::min<std::size_t>(type, species_types::other));
}

/// Number and text around it in a name: "snap." 3 ".hdf5".
struct NumberedName {
  std::string before;
  std::uint64_t number;
  std::string after;
};

/// The number of a file in its name: the last or the last but one of the words between dots.
std::optional<NumberedName> numbered_name(std::string const& name) {
  auto end = name.size();
  for (int words = 0; words < 2; ++words) {
    auto const dot = name.find_last_of('.', end == 0 ? 0 : end - 1);
    if (dot == std::string::npos || dot == 0) return std::nullopt;
    std::uint64_t number = 0;
    auto const word = std::string_view(name).substr(dot + 1, end - dot - 1);
    if (read_decimal(word, number) == Numeral::good && word == std::to_string(number)) {
      return NumberedName{name.substr(0, dot + 1), number, name.substr(end)};
    }
    end = dot;
  }
  return std::nullopt;
}

[[noreturn]] void refuse_part(fs::path const& path, std::string problem, std::string why,
                              std::string advice) {
  throw Error(ExitStatus::bad_input,
              Problem{path.string(), std::move(problem), std::move(why), std::move(advice)});
}

std::string files_of_snapshot(std::uint64_t files) {
  return "one of " + std::to_string(files) + " files of a snapshot";
}

}  // namespace

std::uint64_t sum_of_counts(std::vector<std::int64_t> const& counts) {
  constexpr std::uint64_t most = std::numeric_limits<std::int64_t>::max();
  std::uint64_t sum = 0;
  for (auto const count : counts) {
    auto const more = static_cast<std::uint64_t>(std::max(count, std::int64_t{0}));
    sum = std::min(most, sum + more);  // both are at most 2^63 - 1
  }
  return sum;
}

fs::path first_part(fs::path const& path) {
  std::error_code ignored;
  if (path.empty() || fs::exists(path, ignored)) return path;
  std::vector<fs::path> candidates;
  for (auto const* end : {".0", ".0.hdf5", ".0.h5"}) candidates.emplace_back(path.string() + end);
  if (path.has_extension()) {
    auto numbered = path;
    numbered.replace_extension(".0" + path.extension().string());
    candidates.push_back(numbered);
  }
  for (auto const& candidate : candidates) {
    if (fs::is_regular_file(candidate, ignored)) return candidate;
  }
  return path;
}

fs::path part_path(fs::path const& part, std::uint64_t files, std::uint64_t number) {
  auto const name = numbered_name(part.filename().string());
  if (!name || name->number >= files) {
    refuse_part(part, "is " + files_of_snapshot(files),
                name ? "its name has the number " + std::to_string(name->number)
                     : "its name has no number, such as .0 or .0.hdf5 at its end",
                "number the names from 0 to " + std::to_string(files - 1));
  }
  auto path = part.parent_path() / (name->before + std::to_string(number) + name->after);
  std::error_code ignored;
  if (number != name->number && !fs::exists(path, ignored)) {
    refuse_part(path, "is missing",
                "it is " + files_of_snapshot(files) + ", as " + part.filename().string() + " says",
                "put all files of the snapshot into one folder");
  }
  return path;
}

JoinedParts::JoinedParts(fs::path first, PartHeader const& header)
    : first_(std::move(first)), header_(header), counts_(header.totals.size()) {
  if (header.totals.empty()) {
    refuse_part(first_, "is " + files_of_snapshot(header.files), "it does not count all bodies",
                "the file is damaged or no snapshot; use another one");
  }
  bool const is_negative = std::any_of(header.totals.begin(), header.totals.end(),
                                       [](std::int64_t count) { return count < 0; });
  if (is_negative) {
    refuse_part(first_, "counts bodies below zero", "",
                "the file is damaged or no snapshot; use another one");
  }
  auto const total = sum_of_counts(header.totals);
  check_memory(total, 2.0, first_.string());  // the whole and one of its files
  whole_.bodies = HostBodies(total);
  next_.assign(species_types::count + 1, 0);
  for (std::size_t type = 0; type < header.totals.size(); ++type) {
    next_[species_of_type(type) + 1U] += static_cast<std::size_t>(header.totals[type]);
  }
  bool const all_dark = next_[species_types::dark + 1U] == total;
  std::partial_sum(next_.begin(), next_.end(), next_.begin());
  if (all_dark) return;
  auto& species = whole_.bodies.species;
  species.resize(total);
  for (std::uint8_t kind = 0; kind < species_types::count; ++kind) {
    std::fill(species.begin() + static_cast<std::ptrdiff_t>(next_[kind]),
              species.begin() + static_cast<std::ptrdiff_t>(next_[kind + 1U]), kind);
  }
}

void JoinedParts::add(fs::path const& path, BodiesFile&& part, PartHeader const& header) {
  std::string const advice = "put only the files of one snapshot into the folder";
  if (header.files != header_.files) {
    refuse_part(path, "is of another snapshot",
                "it counts " + std::to_string(header.files) + " files, " + first_.string() + " " +
                    std::to_string(header_.files),
                advice);
  }
  if (header.totals != header_.totals || header.common.size() != header_.common.size() ||
      header.counts.size() != counts_.size()) {
    refuse_part(path, "is of another snapshot",
                "its total counts or its types are not those of " + first_.string(), advice);
  }
  for (std::size_t i = 0; i + 1 < header.common.size(); i += 2) {
    if (header.common[i + 1] == header_.common[i + 1]) continue;
    refuse_part(path, "is of another snapshot",
                "its " + header.common[i] + " is " + header.common[i + 1] + ", that of " +
                    first_.string() + " " + header_.common[i + 1],
                advice);
  }
  for (std::size_t type = 0; type < counts_.size(); ++type) {
    counts_[type] += header.counts[type];
    if (counts_[type] > header_.totals[type]) {
      refuse_part(path, "has too many bodies",
                  "with it the files have " + std::to_string(counts_[type]) + " of type " +
                      std::to_string(type) + ", the header counts " +
                      std::to_string(header_.totals[type]),
                  "the files are damaged or of several snapshots; use others");
    }
  }
  auto& bodies = whole_.bodies;
  auto const& added = part.bodies;
  std::array<std::int64_t, species_types::count> missing{};
  for (std::size_t type = 0; type < counts_.size(); ++type) {
    missing[species_of_type(type)] += header.counts[type];
  }
  for (std::size_t i = 0; i < added.size(); ++i) --missing.at(added.species_of(i));
  APSIS_EXPECT(missing == decltype(missing){}, "a reader returns the bodies that it counts");
  if (!added.radius.empty()) bodies.radius.resize(bodies.size());
  for (std::size_t i = 0; i < added.size(); ++i) {
    auto const row = next_[added.species_of(i)]++;
    bodies.mass[row] = added.mass[i];
    bodies.position[row] = added.position[i];
    bodies.velocity[row] = added.velocity[i];
    bodies.id[row] = added.id[i];
    if (!added.radius.empty()) bodies.radius[row] = added.radius[i];
  }
  if (parts_++ == 0) {
    whole_.time = part.time;
    whole_.has_time = part.has_time;
    whole_.units = part.units;
    whole_.unit_system = part.unit_system;
  }
  if (part.has_ids || added.size() == 0) ++with_ids_;
  auto& unused = whole_.unused;
  for (auto& words : part.unused) {
    if (std::find(unused.begin(), unused.end(), words) == unused.end()) {
      unused.push_back(std::move(words));
    }
  }
}

BodiesFile JoinedParts::take() {
  for (std::size_t type = 0; type < counts_.size(); ++type) {
    if (counts_[type] == header_.totals[type]) continue;
    refuse_part(first_, "counts its bodies in two ways",
                "the " + std::to_string(parts_) + " files have " + std::to_string(counts_[type]) +
                    " of type " + std::to_string(type) + ", the header counts " +
                    std::to_string(header_.totals[type]),
                "the files are damaged or of several snapshots; use others");
  }
  whole_.has_ids = with_ids_ == parts_;
  if (!whole_.has_ids) {
    if (with_ids_ > 0) whole_.unused.push_back("ids: some files have none");
    number_anew(whole_);
  }
  return std::move(whole_);
}

std::string comoving_reason(CosmologyHeader const& header) {
  if (header.scale_factor != 1.0) return "Scale-factor is not 1";
  if (header.redshift != 0.0) return "Redshift is not 0";
  // Some generators of initial conditions write the scale factor and no redshift.
  bool const is_box = header.box_size != 0.0 && header.omega0 != 0.0;
  if (is_box && header.time > 0.0 && header.time < 1.0) {
    return "a BoxSize, Omega0 and Time " + shortest(header.time) + ", a scale factor";
  }
  return "";
}

std::vector<std::string> unused_cosmology(CosmologyHeader const& header) {
  std::vector<std::string> words;
  if (header.box_size != 0.0) {
    words.push_back("Header/BoxSize: Apsis has no periodic boundaries");
  }
  if (header.omega_lambda != 0.0 || header.omega0 != 0.0) {
    words.push_back("Header: a cosmology; values are read without factors of a");
  }
  return words;
}

}  // namespace apsis::formats
