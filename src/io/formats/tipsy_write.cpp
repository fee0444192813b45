// SPDX-License-Identifier: Apache-2.0
#include "io/byte_order.hpp"
#include "rounding.hpp"
#include "tipsy_layout.hpp"
#include "units_text.hpp"
#include <apsis/core/error.hpp>
#include <apsis/core/text.hpp>
#include <apsis/io/tipsy.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>

namespace apsis::io {

namespace {

constexpr std::size_t max_bodies = std::numeric_limits<std::int32_t>::max();

template <class Name>
std::uint32_t as_integer(std::uint64_t id, Name const& name) {
  APSIS_VALIDATE(id <= max_bodies, {name(), "an id too large for tipsy",
                                    std::to_string(id) + " is above " + std::to_string(max_bodies),
                                    "write another format, or leave the ids out"});
  return static_cast<std::uint32_t>(id);
}

}  // namespace

std::size_t tipsy_bytes(std::size_t count, TipsyOptions const& options, std::string const& target) {
  APSIS_VALIDATE(
      count <= max_bodies,
      {target, "too many bodies for tipsy",
       std::to_string(count) + " is above " + std::to_string(max_bodies), "write another format"});
  return tipsy::header_bytes + (options.pad ? tipsy::pad_bytes : 0) +
         count * tipsy::species[tipsy::dark].record_bytes();
}

std::string write_tipsy(BodiesFile const& file, TipsyOptions const& options,
                        std::string const& target, std::vector<std::string>& lost) {
  auto const& bodies = file.bodies;
  OrderedOutput out(options.little_endian, tipsy_bytes(bodies.size(), options, target));
  out.word(std::bit_cast<std::uint64_t>(file.time));
  for (std::size_t const value : {bodies.size(), std::size_t{3}}) out.count(value);
  for (std::size_t const value : {std::size_t{0}, bodies.size(), std::size_t{0}}) out.count(value);
  if (options.pad) out.count(0);

  Rounding masses("tipsy"), positions("tipsy"), velocities("tipsy"), softening("tipsy");
  auto const eps = softening(options.softening, [&] { return target + ": softening"; });
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    auto const place = [&] { return target + ": bodies[" + std::to_string(i) + "]"; };
    auto const [x, y, z] = bodies.position[i];
    auto const [vx, vy, vz] = bodies.velocity[i];
    out.word(masses(bodies.mass[i], place));
    for (double const value : {x, y, z}) out.word(positions(value, place));
    for (double const value : {vx, vy, vz}) out.word(velocities(value, place));
    out.word(eps);
    out.word(options.integer_ids ? as_integer(bodies.id[i], place) : std::uint32_t{0});
  }
  masses.report("masses", lost);
  positions.report("positions", lost);
  velocities.report("velocities", lost);
  if (!bodies.species.empty()) lost.push_back("species are left out");
  if (!bodies.radius.empty()) lost.push_back("radii are left out");
  if (!bodies.name.empty()) lost.push_back("names are left out");
  if (file.has_ids && !options.integer_ids) lost.push_back("ids are left out");
  if (auto const units = units_text(file); !units.empty()) {
    lost.push_back("units are left out (tipsy cannot store them): " + units);
  }
  return std::move(out).take();
}

}  // namespace apsis::io
