// SPDX-License-Identifier: Apache-2.0
#include "core/decimal.hpp"
#include "formats/check_bodies.hpp"
#include "hdf5_input.hpp"
#include "parts.hpp"
#include <apsis/core/text.hpp>

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <sstream>

namespace apsis::formats {

namespace {

using hdf5::checked;
using hdf5::Handle;

constexpr std::uint64_t min_body_bytes = 6 * sizeof(float);  // position and velocity
static_assert(sizeof(Vec3<double>) == 3 * sizeof(double), "vectors are read as rows of numbers");
constexpr std::array used_fields{"Coordinates", "Velocities",  "Velocity", "Masses",
                                 "Mass",        "ParticleIDs", "Radius"};

/// Reads the layout of GADGET and SWIFT, and the additions of Apsis.
class Reader {
 public:
  Reader(hdf5::Input& input, CountCheck const& count, PartHeader& header)
      : input_(input), count_(count), header_(header), counts_(header.counts) {}

  /// Reads the whole snapshot without checking the values of the bodies.
  Snapshot read() {
    read_header();
    reject_cosmology();
    read_units();
    read_run();
    // The first pass checks that all data exist; memory for the bodies is allocated after it.
    for (std::size_t type = 0; type < counts_.size(); ++type) read_type(type);
    list_uncounted();
    if (!is_from_apsis_ && counts_[species_types::gas] > 0) snapshot_.unused.push_back(gas_words);
    count_(announced_bodies(header_));
    snapshot_.bodies = HostBodies(total_);
    first_ = 0;
    bool const all_dark =
        counts_.size() > species_types::dark &&
        counts_[species_types::dark] == static_cast<std::int64_t>(snapshot_.bodies.size());
    if (!all_dark) snapshot_.bodies.species.resize(total_);
    if (some_radii_) snapshot_.bodies.radius.resize(total_);
    for (std::size_t type = 0; type < counts_.size(); ++type) read_type(type);
    restore_order();
    read_names();
    snapshot_.has_ids = some_ids_ && all_ids_;
    if (some_ids_ && !all_ids_) {
      snapshot_.unused.push_back("ParticleIDs: some types have none");
      snapshot_.bodies.id = HostBodies(total_).id;
    }
    return std::move(snapshot_);
  }

 private:
  void read_header() {
    Handle const header = input_.group("Header");
    if (!header) input_.damaged("is no snapshot", "there is no /Header");
    counts_ = input_.numbers<std::int64_t>(header, "NumPart_ThisFile", "/Header");
    auto total = input_.numbers<std::int64_t>(header, "NumPart_Total", "/Header");
    auto const high = input_.numbers<std::int64_t>(header, "NumPart_Total_HighWord", "/Header");
    auto const files = input_.numbers<std::int64_t>(header, "NumFilesPerSnapshot", "/Header");
    if (!files.empty() && files[0] > 1) header_.files = static_cast<std::uint64_t>(files[0]);
    for (std::size_t i = 0; i < std::min(total.size(), high.size()); ++i) {
      bool const words = total[i] >= 0 && total[i] >> 32 == 0 && high[i] >= 0 && high[i] >> 31 == 0;
      if (words) total[i] += high[i] << 32;
    }
    bool const is_whole = header_.files == 1;
    if (counts_.empty() && is_whole) counts_ = total;
    if (counts_.empty()) input_.damaged("is no snapshot", "/Header counts no bodies");
    if (!total.empty() && is_whole && total != counts_) {
      input_.damaged("counts its bodies in two ways", "NumPart_ThisFile is not NumPart_Total");
    }
    for (auto const count : counts_) {
      if (count < 0) input_.damaged("counts bodies below zero", "NumPart_ThisFile");
      if (static_cast<std::uint64_t>(count) > input_.max_bytes() / min_body_bytes - total_) {
        input_.damaged(
            "promises more bodies than the file holds",
            std::to_string(count) + " in a file of " + std::to_string(input_.bytes()) + " bytes");
      }
      total_ += static_cast<std::uint64_t>(count);
    }
    for (std::size_t type = 0; !is_whole && type < std::max(total.size(), counts_.size()); ++type) {
      bool const is_part =
          type < total.size() && type < counts_.size() && counts_[type] <= total[type];
      if (!is_part) {
        input_.damaged(
            "counts its bodies in two ways",
            "NumPart_Total has fewer than NumPart_ThisFile of type " + std::to_string(type));
      }
    }
    header_.totals = total;
    mass_table_ = input_.numbers<double>(header, "MassTable", "/Header");
    mass_table_.resize(counts_.size(), 0.0);
    for (std::size_t type = 0; type < counts_.size(); ++type) {
      must_agree("MassTable of type " + std::to_string(type), mass_table_[type]);
    }
    snapshot_.time = input_.number(header, "Time", "/Header", 0.0);
    snapshot_.has_time = input_.has_number(header, "Time");
    is_from_apsis_ = input_.text(header, "Code") == "Apsis" && input_.has("Apsis");
  }

  /// Throws for a snapshot in comoving coordinates.
  void reject_cosmology() {
    Handle const header = input_.group("Header");
    Handle const parameters = input_.group("Parameters");
    Handle const cosmology = input_.group("Cosmology");
    auto const value = [&](char const* name, double fallback) {
      return input_.number(header, name, "/Header", fallback);
    };
    // Codes that say whether a run is comoving need no guess from its time.
    bool const says_which =
        (parameters && input_.has_number(parameters, "ComovingIntegrationOn")) ||
        (cosmology && input_.has_number(cosmology, "Cosmological run"));
    CosmologyHeader const about{says_which ? 0.0 : snapshot_.time,
                                value("Redshift", 0.0),
                                value("Scale-factor", 1.0),
                                value("BoxSize", 0.0),
                                value("Omega0", 0.0),
                                value("OmegaLambda", 0.0)};
    must_agree("Time", snapshot_.time);
    must_agree("Redshift", about.redshift);
    must_agree("BoxSize", about.box_size);
    auto which = comoving_reason(about);
    if (parameters &&
        input_.number(parameters, "ComovingIntegrationOn", "/Parameters", 0.0) != 0.0) {
      which = "ComovingIntegrationOn is set";
    }
    if (cosmology && input_.number(cosmology, "Cosmological run", "/Cosmology", 0.0) != 0.0) {
      which = "'Cosmological run' is set";
    }
    if (!which.empty()) input_.bad(comoving_problem, which + comoving_why, comoving_advice);
    for (auto& words : unused_cosmology(about)) snapshot_.unused.push_back(std::move(words));
  }

  /// The Hubble parameter h; 1 if there is none or it is 0, as in files without cosmology.
  double hubble_parameter() {
    for (auto const* place : {"Header", "Parameters"}) {
      Handle const where = input_.group(place);
      double const h =
          where ? input_.number(where, "HubbleParam", std::string("/") + place, 0.0) : 0.0;
      if (h < 0.0) input_.damaged("has a HubbleParam below zero", place);
      if (h != 0.0) return h;
    }
    return 1.0;
  }

  void read_units() {
    constexpr double missing = std::numeric_limits<double>::lowest();
    double length = 0.0, mass = 0.0, time = 0.0;
    bool has_gadget_units = false;
    for (auto const* place : {"Units", "Parameters", "Header"}) {
      Handle const where = input_.group(place);
      if (!where || length != 0.0) continue;
      auto const path = std::string("/") + place;
      auto const unit = [&](char const* name) {
        double const value = input_.number(where, name, path, missing);
        if (value == missing) return 0.0;
        if (!(value > 0.0)) {
          input_.damaged("has invalid units", path + "/" + name + " must be above zero");
        }
        return value;
      };
      length = unit("Unit length in cgs (U_L)");
      mass = unit("Unit mass in cgs (U_M)");
      time = unit("Unit time in cgs (U_t)");
      if (length != 0.0) continue;
      length = unit("UnitLength_in_cm");
      mass = unit("UnitMass_in_g");
      double const velocity = unit("UnitVelocity_in_cm_per_s");
      if (velocity != 0.0) time = length / velocity;
      has_gadget_units = length != 0.0;
    }
    if (double const h = hubble_parameter(); h != 1.0) {
      if (!has_gadget_units) {
        input_.bad("has a HubbleParam of " + shortest(h),
                   "its values contain factors of h, and it states no units for them",
                   "remove the factors and set HubbleParam to 1");
      }
      // In GADGET, the units of length, mass and so of time contain 1/h; that of velocity does not.
      length /= h;
      mass /= h;
      time /= h;
    }
    if (length == 0.0 && mass == 0.0 && time == 0.0) return;
    if (!(length > 0.0 && mass > 0.0 && time > 0.0)) {
      input_.damaged("has invalid units", "length, mass and time must be above zero");
    }
    snapshot_.units = Units::Si{length / 100.0, mass / 1000.0, time};
    must_agree("unit of length", length);
    must_agree("unit of mass", mass);
    must_agree("unit of time", time);
  }

  /// Records a value that all files of a snapshot have.
  void must_agree(std::string const& name, double value) {
    header_.common.push_back(name);
    header_.common.push_back(shortest(value));
  }

  void read_run() {
    if (!is_from_apsis_) return;
    Handle const run = input_.group("Apsis");
    auto const format = input_.numbers<std::int64_t>(run, "Format", "/Apsis");
    if (format.empty() || format[0] != 1) {
      input_.bad(
          "is a snapshot of another version of Apsis",
          "its format is " + (format.empty() ? "not given" : std::to_string(format[0])) + ", not 1",
          "read it with that version");
    }
    auto const step = input_.numbers<std::int64_t>(run, "Step", "/Apsis");
    if (step.empty() || step[0] < 0) input_.damaged("has no step", "/Apsis");
    snapshot_.step = static_cast<std::uint64_t>(step[0]);
    snapshot_.time_step = input_.number(run, "TimeStep", "/Apsis", 0.0);
    snapshot_.unit_system = input_.text(run, "UnitSystem");
    if (input_.number(run, "UnitsAreKnown", "/Apsis", 0.0) == 0.0) snapshot_.units.reset();

    snapshot_.deck = input_.long_text(run, "/Apsis", "Deck");
  }

  /// Lists particle types with bodies that the header does not count.
  void list_uncounted() {
    constexpr std::size_t types = 10;
    for (std::size_t type = 0; type < types; ++type) {
      if (type < counts_.size() && counts_[type] > 0) continue;
      auto const path = "PartType" + std::to_string(type);
      auto const rows = input_.row_count(path, "Coordinates");
      if (rows == 0) continue;
      snapshot_.unused.push_back(path + ": " + std::to_string(rows) +
                                 " bodies that Header/NumPart_ThisFile does not count");
    }
  }

  void list_unused(hid_t bodies, std::string const& path) {
    H5G_info_t info{};
    checked(H5Gget_info(bodies, &info));
    std::string names;
    constexpr hsize_t max_listed = 64;
    for (hsize_t i = 0; i < std::min(info.nlinks, max_listed); ++i) {
      std::array<char, 64> name{};
      checked(H5Lget_name_by_idx(bodies, ".", H5_INDEX_NAME, H5_ITER_INC, i, name.data(),
                                 name.size(), H5P_DEFAULT));
      if (std::find(used_fields.begin(), used_fields.end(), std::string(name.data())) ==
          used_fields.end()) {
        names += (names.empty() ? "" : ", ") + std::string(name.data());
      }
    }
    if (info.nlinks > max_listed) names += ", ...";
    if (!names.empty()) snapshot_.unused.push_back(path + ": " + names);
  }

  void read_type(std::size_t type) {
    auto const count = static_cast<std::uint64_t>(counts_[type]);
    if (count == 0) return;
    auto const path = "PartType" + std::to_string(type);
    Handle const bodies = input_.group(path);
    if (!bodies) {
      input_.damaged("has no /" + path,
                     "the header counts " + std::to_string(count) + " bodies of it");
    }
    auto& out = snapshot_.bodies;
    bool const checks_only = out.size() == 0;
    auto const vectors = [&](std::string const& name, std::vector<Vec3<double>>& column) {
      auto* const numbers = checks_only ? nullptr : reinterpret_cast<double*>(&column[first_]);
      if (!input_.rows(bodies, path, name, count, 3, numbers)) {
        input_.damaged("has no " + path + "/" + name, "bodies must have them");
      }
    };
    bool const ids =
        input_.rows(bodies, path, "ParticleIDs", count, 1, checks_only ? nullptr : &out.id[first_]);
    some_ids_ = some_ids_ || ids;
    all_ids_ = all_ids_ && ids;
    vectors("Coordinates", out.position);
    vectors(hdf5::Input::name_in(bodies, "Velocities", "Velocity"), out.velocity);
    auto const mass_name = hdf5::Input::name_in(bodies, "Masses", "Mass");
    bool const masses =
        input_.rows(bodies, path, mass_name, count, 1, checks_only ? nullptr : &out.mass[first_]);
    if (!masses) {
      if (mass_table_[type] == 0.0) {
        input_.damaged("has no masses for " + path, "neither Masses nor Header/MassTable");
      }
      if (!checks_only)
        std::fill_n(out.mass.begin() + static_cast<std::ptrdiff_t>(first_), count,
                    mass_table_[type]);
    }
    bool const radii = input_.rows(bodies, path, "Radius", count, 1,
                                   out.radius.empty() ? nullptr : &out.radius[first_]);
    some_radii_ = some_radii_ || radii;
    if (!out.species.empty()) {
      auto const kind = std::min<std::size_t>(type, species_types::other);
      std::fill_n(out.species.begin() + static_cast<std::ptrdiff_t>(first_), count,
                  static_cast<std::uint8_t>(kind));
    }
    if (!is_from_apsis_ && !checks_only) list_unused(bodies, path);
    first_ += count;
  }

  /// Restores the order of bodies of several types in the run that wrote the file.
  void restore_order() {
    if (!is_from_apsis_ || snapshot_.bodies.species.empty()) return;
    Handle const run = input_.group("Apsis");
    std::vector<std::uint64_t> rows(total_);
    if (!input_.rows(run, "/Apsis", "Rows", total_, 1, rows.data())) return;
    std::vector<bool> used(total_);
    for (auto const row : rows) {
      if (row >= total_ || used[row]) {
        input_.damaged("/Apsis/Rows is no order of its bodies", "row " + std::to_string(row));
      }
      used[row] = true;
    }
    auto const restore = [&](auto& column) {
      auto const sorted = column;
      for (std::size_t i = 0; i < sorted.size(); ++i) column[rows[i]] = sorted[i];
    };
    auto& bodies = snapshot_.bodies;
    restore(bodies.mass);
    restore(bodies.position);
    restore(bodies.velocity);
    restore(bodies.id);
    restore(bodies.species);
    restore(bodies.radius);
  }

  /// Reads the names of bodies, one line with id and name for each body that has one.
  void read_names() {
    if (!is_from_apsis_ || !input_.has("Apsis/Names")) return;
    Handle const run = input_.group("Apsis");
    auto const text = input_.long_text(run, "/Apsis", "Names");
    auto& bodies = snapshot_.bodies;
    std::map<std::uint64_t, std::size_t> rows;
    for (std::size_t i = 0; i < bodies.size(); ++i) rows.emplace(bodies.id[i], i);
    bodies.name.resize(bodies.size());
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
      auto const blank = std::min(line.find(' '), line.size());
      std::uint64_t id = 0;
      auto const name = line.substr(std::min(blank + 1, line.size()));
      bool const is_id = read_decimal(std::string_view(line).substr(0, blank), id) == Numeral::good;
      auto const row = is_id ? rows.find(id) : rows.end();
      if (row == rows.end() || name.empty() || printable(name) != name) {
        input_.damaged("/Apsis/Names has no id and name of a body", "line " + printed_word(line));
      }
      bodies.name[row->second] = name;
    }
  }

  hdf5::Input& input_;
  CountCheck const& count_;
  PartHeader& header_;
  std::vector<std::int64_t>& counts_;  ///< of the header
  std::vector<double> mass_table_;
  std::uint64_t total_ = 0;
  bool is_from_apsis_ = false;
  bool some_ids_ = false, all_ids_ = true;
  bool some_radii_ = false;  // types without have radius 0
  std::uint64_t first_ = 0;  // index of the first body of the current type
  Snapshot snapshot_;
};

}  // namespace

Snapshot read_open(hid_t access, std::uint64_t file_bytes, std::string const& where,
                   CountCheck const& count, PartHeader& header) {
  try {
    Handle const file(H5Fopen(where.c_str(), H5F_ACC_RDONLY, access), H5Fclose);
    hdf5::Input input(file, file_bytes, where);
    return Reader(input, count, header).read();
  } catch (hdf5::Failure const& failure) {
    throw Error(ExitStatus::bad_input,
                Problem{where, "cannot be read as HDF5", failure.what(),
                        "the file is damaged or of another kind; use another one"});
  }
}

}  // namespace apsis::formats
