// SPDX-License-Identifier: Apache-2.0
#include "by_species.hpp"
#include "files/byte_order.hpp"
#include "formats/tipsy.hpp"
#include "rounding.hpp"
#include "tipsy_layout.hpp"
#include "units_text.hpp"
#include <apsis/core/error.hpp>
#include <apsis/core/text.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>

namespace apsis::formats {

namespace {

constexpr std::size_t max_bodies = std::numeric_limits<std::int32_t>::max();

template <class Name>
std::uint32_t as_integer(std::uint64_t id, Name const& name) {
  APSIS_VALIDATE(id <= max_bodies, {name(), "an id too large for tipsy",
                                    std::to_string(id) + " is above " + std::to_string(max_bodies),
                                    "write another format, or leave the ids out"});
  return static_cast<std::uint32_t>(id);
}

tipsy::Widths widths_of(TipsyOptions const& options) {
  return {options.double_positions ? 8U : 4U, options.double_velocities ? 8U : 4U};
}

/// Index in tipsy::species of the records that hold bodies of a species.
std::size_t record_species(std::uint8_t species) {
  if (species == species_types::gas) return tipsy::gas;
  return species == species_types::stars ? tipsy::star : tipsy::dark;
}

/// Species that become dark bodies: "disk, bulge".
std::string species_in_dark(HostBodies const& bodies) {
  std::string names;
  for (std::uint8_t kind = 0; kind < species_types::count; ++kind) {
    bool const is_kept = kind == species_types::dark || record_species(kind) != tipsy::dark;
    if (is_kept || !bodies.has_species(kind)) continue;
    names += (names.empty() ? "" : ", ") + std::string(species_types::names[kind]);
  }
  return names;
}

}  // namespace

std::size_t tipsy_bytes(std::size_t count, TipsyOptions const& options, std::string const& target) {
  APSIS_VALIDATE(
      count <= max_bodies,
      {target, "too many bodies for tipsy",
       std::to_string(count) + " is above " + std::to_string(max_bodies), "write another format"});
  return tipsy::header_bytes + (options.pad ? tipsy::pad_bytes : 0) +
         count * tipsy::species[tipsy::dark].record_bytes(widths_of(options));
}

std::string write_tipsy(BodiesFile const& file, TipsyOptions const& options,
                        std::string const& target, std::vector<std::string>& lost) {
  auto const& bodies = file.bodies;
  auto const widths = widths_of(options);
  APSIS_VALIDATE(options.double_positions || !options.double_velocities,
                 {target, "64-bit velocities without 64-bit positions",
                  "such a file has the size of one with 64-bit positions alone",
                  "write 64-bit positions too"});
  std::array<std::size_t, tipsy::species.size()> counts{};
  for (std::size_t i = 0; i < bodies.size(); ++i) ++counts[record_species(bodies.species_of(i))];
  auto const rows = rows_by_group(bodies, record_species);
  files::OrderedOutput out(options.little_endian,
                           tipsy_bytes(bodies.size(), options, target) +
                               12 * (counts[tipsy::gas] + counts[tipsy::star]));
  out.word(std::bit_cast<std::uint64_t>(file.time));
  for (std::size_t const value : {bodies.size(), std::size_t{3}}) out.count(value);
  for (auto const value : counts) out.count(value);
  if (options.pad) out.count(0);

  Rounding masses("tipsy"), positions("tipsy"), velocities("tipsy"), softening("tipsy");
  auto const eps = softening(options.softening, [&] { return target + ": softening"; });
  for (auto const i : rows) {
    auto const place = [&] { return target + ": bodies[" + std::to_string(i) + "]"; };
    auto const [x, y, z] = bodies.position[i];
    auto const [vx, vy, vz] = bodies.velocity[i];
    out.word(masses(bodies.mass[i], place));
    auto const number = [&](double value, std::size_t width, Rounding& rounding) {
      if (width == 8) {
        out.real(value);
      } else {
        out.word(rounding(value, place));
      }
    };
    for (double const value : {x, y, z}) number(value, widths.position, positions);
    for (double const value : {vx, vy, vz}) number(value, widths.velocity, velocities);
    auto const& kind = tipsy::species[record_species(bodies.species_of(i))];
    for (std::size_t field = 0; field < kind.field_count; ++field) {
      bool const is_length = field == kind.length_field;
      out.word(is_length ? eps : std::uint32_t{0});
    }
    out.word(options.integer_ids ? as_integer(bodies.id[i], place) : std::uint32_t{0});
  }
  masses.report("masses", lost);
  positions.report("positions", lost);
  velocities.report("velocities", lost);
  if (auto const names = species_in_dark(bodies); !names.empty()) {
    lost.push_back("the species " + names + ": written as dark");
  }
  if (!std::is_sorted(rows.begin(), rows.end())) lost.emplace_back(order_is_lost);
  if (!bodies.radius.empty()) lost.push_back("radii are left out");
  if (!bodies.name.empty()) lost.push_back("names are left out");
  if (file.has_ids && !options.integer_ids) lost.push_back("ids are left out");
  if (auto const units = units_text(file); !units.empty()) {
    lost.push_back("units are left out (tipsy cannot store them): " + units);
  }
  return std::move(out).take();
}

}  // namespace apsis::formats
