// SPDX-License-Identifier: Apache-2.0
#include "files/byte_order.hpp"
#include "formats/binary_output.hpp"
#include "formats/gadget.hpp"
#include "formats/units_text.hpp"

#include <limits>

namespace apsis::formats {

namespace {

namespace layout = gadget;

/// Whether each value of the bodies is a 32-bit number.
bool fits_in_single(HostBodies const& bodies) {
  auto const fits = [](double value) {
    return std::isfinite(static_cast<float>(value)) && static_cast<float>(value) == value;
  };
  auto const all_fit = [&](std::vector<Vec3<double>> const& vectors) {
    return std::all_of(vectors.begin(), vectors.end(),
                       [&](auto const& v) { return fits(v.x) && fits(v.y) && fits(v.z); });
  };
  return std::all_of(bodies.mass.begin(), bodies.mass.end(), fits) && all_fit(bodies.position) &&
         all_fit(bodies.velocity);
}

class GadgetRecords {
 public:
  GadgetRecords(BodiesFile const& file, GadgetOptions const& options, std::string const& target)
      : bodies_(file.bodies),
        options_(options),
        target_(target),
        rows_(rows_by_group(bodies_, [](std::uint8_t species) { return species; })),
        width_(options.single || fits_in_single(bodies_) ? 4 : 8),
        id_width_(has_short_ids() ? 4 : 8),
        out_(!options.big_endian, bytes()) {
    write_header(file.time);
    write_vectors(layout::position_name, bodies_.position, "positions");
    write_vectors(layout::velocity_name, bodies_.velocity, "velocities");
    begin(layout::id_name, id_width_ * bodies_.size());
    for (auto const row : rows_) {
      if (id_width_ == 4) {
        out_.count(bodies_.id[row]);
      } else {
        out_.word(bodies_.id[row]);
      }
    }
    end(id_width_ * bodies_.size());
    Rounding rounding("gadget");
    begin(layout::mass_name, width_ * bodies_.size());
    for (auto const row : rows_) write_number(bodies_.mass[row], row, rounding);
    end(width_ * bodies_.size());
    rounding.report("masses", lost_);
  }

  std::vector<std::string> const& lost() const { return lost_; }
  std::string take() && { return std::move(out_).take(); }

 private:
  bool has_short_ids() const {
    constexpr std::uint64_t most = std::numeric_limits<std::uint32_t>::max();
    return std::all_of(bodies_.id.begin(), bodies_.id.end(),
                       [](std::uint64_t id) { return id <= most; });
  }

  /// Size of the file [bytes]. Throws if the length of a record exceeds 32 bits.
  std::size_t bytes() const {
    auto const most = std::numeric_limits<std::uint32_t>::max() / (3 * width_);
    auto const most_counted = std::min<std::size_t>(most, std::numeric_limits<std::int32_t>::max());
    APSIS_VALIDATE(bodies_.size() <= most_counted,
                   {target_, "too many bodies for gadget",
                    std::to_string(bodies_.size()) + " is above " + std::to_string(most_counted),
                    "write hdf5"});
    return 512 + bodies_.size() * (7 * width_ + id_width_);
  }

  void begin(std::string_view name, std::size_t length) {
    if (options_.format == 2) {
      constexpr std::size_t named = layout::name_bytes + layout::marker_bytes;
      out_.count(named);
      out_.text(name);
      out_.count(length + 2 * layout::marker_bytes);
      out_.count(named);
    }
    out_.count(length);
  }
  void end(std::size_t length) { out_.count(length); }

  void write_number(double value, std::size_t row, Rounding& rounding) {
    if (width_ == 8) return out_.real(value);
    out_.word(rounding(value, [&] { return target_ + ": bodies[" + std::to_string(row) + "]"; }));
  }

  void write_vectors(std::string_view name, std::vector<Vec3<double>> const& column,
                     std::string const& words) {
    Rounding rounding("gadget");
    begin(name, 3 * width_ * column.size());
    for (auto const row : rows_) {
      auto const [x, y, z] = column[row];
      for (double const value : {x, y, z}) write_number(value, row, rounding);
    }
    end(3 * width_ * column.size());
    rounding.report(words, lost_);
  }

  void write_header(double time) {
    std::array<std::size_t, layout::types> counts{};
    for (std::size_t i = 0; i < bodies_.size(); ++i) ++counts[bodies_.species_of(i)];
    begin(layout::header_name, layout::header_bytes);
    auto const header_begin = out_.size();
    auto const zeros_to = [&](std::size_t offset) {
      out_.text(std::string(header_begin + offset - out_.size(), '\0'));
    };
    for (auto const count : counts) out_.count(count);
    zeros_to(layout::time_at);  // all masses are in the block MASS
    out_.real(time);
    zeros_to(layout::totals_at);
    for (auto const count : counts) out_.count(count);
    zeros_to(layout::files_at);
    out_.count(1);
    zeros_to(layout::hubble_at);
    out_.real(1.0);
    zeros_to(layout::double_at);
    out_.count(width_ == 8 ? 1 : 0);
    zeros_to(layout::header_bytes);
    end(layout::header_bytes);
  }

  HostBodies const& bodies_;
  GadgetOptions const& options_;
  std::string const& target_;
  std::vector<std::size_t> rows_;  ///< rows of the bodies in the order of the file
  std::size_t width_, id_width_;   ///< bytes of a number and of an id
  files::OrderedOutput out_;
  std::vector<std::string> lost_;
};

}  // namespace

std::string write_gadget(BodiesFile const& file, GadgetOptions const& options,
                         std::string const& target, std::vector<std::string>& lost) {
  auto const& bodies = file.bodies;
  GadgetRecords records(file, options, target);
  lost.insert(lost.end(), records.lost().begin(), records.lost().end());
  if (!std::is_sorted(bodies.species.begin(), bodies.species.end()))
    lost.emplace_back(order_is_lost);
  if (!bodies.radius.empty()) lost.emplace_back("radii are left out");
  if (!bodies.name.empty()) lost.emplace_back("names are left out");
  if (auto const units = units_text(file); !units.empty()) {
    lost.push_back("units are left out (gadget cannot store them): " + units);
  }
  return std::move(records).take();
}

}  // namespace apsis::formats
