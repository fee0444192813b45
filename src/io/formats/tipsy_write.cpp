// SPDX-License-Identifier: Apache-2.0
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

/// Appends numbers in a given byte order.
class TipsyNumbers {
 public:
  TipsyNumbers(bool little, std::size_t bytes) : little_(little) { bytes_.reserve(bytes); }

  template <class Word>
  void word(Word value) {
    for (std::size_t i = 0; i < sizeof(Word); ++i) {
      std::size_t const shift = 8 * (little_ ? i : sizeof(Word) - 1 - i);
      bytes_ += static_cast<char>(static_cast<unsigned char>(value >> shift));
    }
  }
  void count(std::size_t value) { word(static_cast<std::uint32_t>(value)); }
  std::string take() && { return std::move(bytes_); }

 private:
  bool little_;
  std::string bytes_;
};

/// Rounds doubles to 32 bits and records the largest relative error.
class Rounding {
 public:
  /// Throws a bad-input error for a value that is too large; name() gives its place.
  template <class Name>
  std::uint32_t operator()(double value, Name const& name) {
    auto const single = static_cast<float>(value);
    APSIS_VALIDATE(std::isfinite(single),
                   {name(), "too large for tipsy", shortest(value) + " overflows its 32 bits",
                    "write another format, or choose larger units"});
    double const error = value == 0.0 ? 0.0 : std::abs((single - value) / value);
    largest_ = std::max(largest_, error);
    return std::bit_cast<std::uint32_t>(single);
  }

  void report(std::string const& what, std::vector<std::string>& lost) const {
    if (largest_ == 0.0) return;
    lost.push_back(what + " are rounded to 32 bits, with a relative error of up to " +
                   formatted("%.2g", largest_));
  }

 private:
  double largest_ = 0.0;
};

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
  TipsyNumbers out(options.little_endian, tipsy_bytes(bodies.size(), options, target));
  out.word(std::bit_cast<std::uint64_t>(file.time));
  for (std::size_t const value : {bodies.size(), std::size_t{3}}) out.count(value);
  for (std::size_t const value : {std::size_t{0}, bodies.size(), std::size_t{0}}) out.count(value);
  if (options.pad) out.count(0);

  Rounding masses, positions, velocities, softening;
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
