// SPDX-License-Identifier: Apache-2.0
#include "hdf5_handle.hpp"
#include "process_apart.hpp"
#include <apsis/core/error.hpp>
#include <apsis/core/text.hpp>
#include <apsis/io/check_bodies.hpp>
#include <apsis/io/input.hpp>
#include <apsis/io/snapshot.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

namespace apsis::io {

namespace fs = std::filesystem;

namespace {

using hdf5::checked;
using hdf5::Handle;

constexpr std::uint64_t mebi = 1024 * 1024;
constexpr std::size_t most_numbers = 64;         // in an attribute; types of particles are fewer
constexpr std::size_t longest_text = 64 * 1024;  // in an attribute
constexpr std::uint64_t least_bytes = 6 * sizeof(float);  // of a body that moves
static_assert(sizeof(Vec3<double>) == 3 * sizeof(double), "vectors are read as rows of numbers");
constexpr std::array own_fields{"Coordinates", "Velocities", "Masses", "ParticleIDs"};

/// What a file of so many bytes may promise to hold, compressed as it may be.
std::uint64_t most_bytes_of(std::uint64_t file_bytes) {
  return 64 * file_bytes + mebi;
}

[[noreturn]] void refuse(std::string const& where, std::string const& problem,
                         std::string const& why, std::string const& advice) {
  throw Error(ExitStatus::bad_input, Problem{where, problem, why, advice});
}

char const* const use_another = "the file is damaged or no snapshot; use another one";

/// Only what a library that reads strangers' files must not be asked to do is refused before it is
/// asked: every size is compared with the file's before memory is taken for it, and no link leads
/// out.
class Reader {
 public:
  Reader(hid_t file, std::uint64_t file_bytes, std::string const& where, CountCheck const& count)
      : file_(file),
        count_(count),
        file_bytes_(file_bytes),
        most_bytes_(most_bytes_of(file_bytes)),
        where_(where) {}

  /// Reads all; the numbers are not looked at.
  Snapshot read() {
    read_header();
    refuse_cosmology();
    read_units();
    read_run();
    // Nothing is taken for bodies until all that the header counts is known to be there.
    for (std::size_t type = 0; type < counts_.size(); ++type) read_type(type);
    count_(total_);
    snapshot_.bodies = HostBodies(total_);
    first_ = 0;
    bool const alike =
        counts_.size() > species_types::dark &&
        counts_[species_types::dark] == static_cast<std::int64_t>(snapshot_.bodies.size());
    if (!alike) snapshot_.bodies.species.resize(total_);
    for (std::size_t type = 0; type < counts_.size(); ++type) read_type(type);
    restore_order();
    snapshot_.has_ids = some_ids_ && all_ids_;
    if (some_ids_ && !all_ids_) {
      snapshot_.unused.push_back("ParticleIDs: some types have none");
      snapshot_.bodies.id = HostBodies(total_).id;
    }
    return std::move(snapshot_);
  }

 private:
  [[noreturn]] void bad(std::string const& problem, std::string const& why,
                        std::string const& advice = "read it with the code that wrote it") const {
    refuse(where_, problem, why, advice);
  }
  [[noreturn]] void damaged(std::string const& what, std::string const& why) const {
    refuse(where_, what, why, use_another);
  }

  /// Adds what a dataset promises to hold and refuses what the file's size cannot justify.
  void allow(std::uint64_t items, std::uint64_t bytes_each, std::string const& what) {
    if (items > (most_bytes_ - promised_) / bytes_each) {
      damaged(what + " promises more than the file holds",
              std::to_string(items) + " times " + std::to_string(bytes_each) +
                  " bytes in a file of " + std::to_string(file_bytes_));
    }
    promised_ += items * bytes_each;
  }

  /// A member by its own name; without a handle if there is none.
  Handle child(hid_t parent, std::string const& name, H5I_type_t type,
               std::string const& path) const {
    if (checked(H5Lexists(parent, name.c_str(), H5P_DEFAULT)) == 0) return {};
    H5L_info_t link{};
    checked(H5Lget_info(parent, name.c_str(), &link, H5P_DEFAULT));
    if (link.type != H5L_TYPE_HARD) {
      bad(path + " is a link", "only what lies in the file itself is read",
          "copy the file with its links resolved (h5repack)");
    }
    Handle object(H5Oopen(parent, name.c_str(), H5P_DEFAULT), H5Oclose);
    if (H5Iget_type(object) != type) {
      damaged(path + " is of another kind",
              type == H5I_GROUP ? "it must be a group" : "it must be a dataset");
    }
    return object;
  }

  Handle group(std::string const& name) const { return child(file_, name, H5I_GROUP, name); }

  /// An attribute of numbers; empty if there is none.
  template <class T>
  std::vector<T> numbers(hid_t object, std::string const& name, std::string const& path) const {
    if (checked(H5Aexists(object, name.c_str())) == 0) return {};
    Handle const attribute(H5Aopen(object, name.c_str(), H5P_DEFAULT), H5Aclose);
    Handle const type(H5Aget_type(attribute), H5Tclose);
    Handle const space(H5Aget_space(attribute), H5Sclose);
    auto const kind = H5Tget_class(type);
    bool const fits = kind == H5T_INTEGER || (kind == H5T_FLOAT && std::is_floating_point_v<T>);
    auto const points = checked(H5Sget_simple_extent_npoints(space));
    if (!fits || H5Tget_size(type) > 16 || points < 1 ||
        static_cast<std::uint64_t>(points) > most_numbers) {
      damaged(path + " has an attribute '" + name + "' that cannot be used",
              std::is_floating_point_v<T> ? "it must be numbers" : "it must be whole numbers");
    }
    std::vector<T> values(static_cast<std::size_t>(points));
    hid_t const memory = std::is_floating_point_v<T> ? H5T_NATIVE_DOUBLE : H5T_NATIVE_INT64;
    checked(H5Aread(attribute, memory, values.data()));
    return values;
  }

  double number(hid_t object, std::string const& name, std::string const& path, double otherwise) {
    auto const values = numbers<double>(object, name, path);
    if (values.empty()) return otherwise;
    if (!std::isfinite(values[0])) damaged(path + " has no finite '" + name + "'", "");
    return values[0];
  }

  /// A short text of fixed length; empty if there is none of that kind.
  std::string text(hid_t object, std::string const& name) const {
    if (checked(H5Aexists(object, name.c_str())) == 0) return "";
    Handle const attribute(H5Aopen(object, name.c_str(), H5P_DEFAULT), H5Aclose);
    Handle const type(H5Aget_type(attribute), H5Tclose);
    Handle const space(H5Aget_space(attribute), H5Sclose);
    if (H5Tget_class(type) != H5T_STRING || checked(H5Tis_variable_str(type)) > 0 ||
        H5Tget_size(type) > longest_text || H5Sget_simple_extent_npoints(space) != 1) {
      return "";
    }
    std::string value(H5Tget_size(type), '\0');
    checked(H5Aread(attribute, type, value.data()));
    return value.c_str();
  }

  /// Checks how a dataset is stored.
  void check_storage(hid_t dataset, std::string const& path, std::uint64_t rows,
                     std::uint64_t row_bytes) const {
    Handle const properties(H5Dget_create_plist(dataset), H5Pclose);
    auto const layout = H5Pget_layout(properties);
    if (layout == H5D_VIRTUAL ||
        (layout == H5D_CONTIGUOUS && H5Pget_external_count(properties) != 0)) {
      bad(path + " lies in other files", "only what lies in the file itself is read",
          "copy it into one file (h5repack)");
    }
    auto const stored = H5Dget_storage_size(dataset);
    if (layout != H5D_CHUNKED) {
      if (layout != H5D_COMPACT && stored < rows * row_bytes) {
        damaged(path + " is not all there", "only part of it was written");
      }
      return;
    }
    std::array<hsize_t, H5S_MAX_RANK> chunk{};
    int const rank = checked(H5Pget_chunk(properties, H5S_MAX_RANK, chunk.data()));
    std::uint64_t bytes = H5Tget_size(Handle(H5Dget_type(dataset), H5Tclose));
    hsize_t needed = (rows + chunk[0] - 1) / chunk[0];
    for (int k = 0; k < rank; ++k) {
      auto const extent = chunk[static_cast<std::size_t>(k)];
      if (extent == 0 || bytes > most_bytes_ / extent) {
        damaged(path + " has blocks that are larger than the file", "");
      }
      bytes *= extent;
    }
    if (chunk[0] > rows && bytes > 64 * mebi) {
      damaged(path + " has blocks that are larger than it is itself", "");
    }
    if (rank == 2) needed *= (3 + chunk[1] - 1) / chunk[1];
    hsize_t there = 0;
    Handle const space(H5Dget_space(dataset), H5Sclose);
    checked(H5Dget_num_chunks(dataset, space, &there));
    if (there < needed) damaged(path + " is not all there", "blocks of it were never written");
  }

  /// Reads rows of `width` numbers, one after the other, or only looks at how they are stored;
  /// false if there is no such dataset.
  template <class T>
  bool read_rows(hid_t parent, std::string const& path, std::string const& name, std::uint64_t rows,
                 std::uint64_t width, T* to) {
    auto const full = path + "/" + name;
    Handle const dataset = child(parent, name, H5I_DATASET, full);
    if (!dataset) return false;
    Handle const type(H5Dget_type(dataset), H5Tclose);
    Handle const space(H5Dget_space(dataset), H5Sclose);
    constexpr bool real = std::is_floating_point_v<T>;
    auto const size = H5Tget_size(type);
    if (H5Tget_class(type) != (real ? H5T_FLOAT : H5T_INTEGER) || size < 1 || size > 8 ||
        (real && size < 4)) {
      damaged(full + " is of another type",
              real ? "it must be 32-bit or 64-bit numbers" : "it must be whole numbers");
    }
    int const rank = H5Sget_simple_extent_ndims(space);
    std::array<hsize_t, H5S_MAX_RANK> extents{};
    if (rank > 0) checked(H5Sget_simple_extent_dims(space, extents.data(), nullptr));
    bool const flat = rank == 1 && width == 1;
    if (!(flat || (rank == 2 && extents[1] == width)) || extents[0] != rows) {
      damaged(full + " has another shape", "the header counts " + std::to_string(rows) + " bodies");
    }
    if (to == nullptr) {
      allow(rows, width * size, full);
      check_storage(dataset, full, rows, width * size);
      return true;
    }
    hid_t memory_type = H5T_NATIVE_DOUBLE;
    if constexpr (!real) {
      memory_type = H5Tget_sign(type) == H5T_SGN_NONE ? H5T_NATIVE_UINT64 : H5T_NATIVE_INT64;
    }
    checked(H5Dread(dataset, memory_type, H5S_ALL, H5S_ALL, H5P_DEFAULT, to));
    for (std::uint64_t i = 0; memory_type == H5T_NATIVE_INT64 && i < rows; ++i) {
      if (static_cast<std::int64_t>(to[i]) < 0) {
        damaged("body " + std::to_string(first_ + i) + " has a negative id", "");
      }
    }
    return true;
  }

  void read_header() {
    Handle const header = group("Header");
    if (!header) damaged("is no snapshot", "there is no /Header");
    counts_ = numbers<std::int64_t>(header, "NumPart_ThisFile", "/Header");
    auto total = numbers<std::int64_t>(header, "NumPart_Total", "/Header");
    auto const high = numbers<std::int64_t>(header, "NumPart_Total_HighWord", "/Header");
    auto const files = numbers<std::int64_t>(header, "NumFilesPerSnapshot", "/Header");
    if (!files.empty() && files[0] > 1) {
      bad("is one of " + std::to_string(files[0]) + " files of a snapshot",
          "snapshots in several files are not read", "write or convert it into one file");
    }
    for (std::size_t i = 0; i < std::min(total.size(), high.size()); ++i) {
      bool const words = total[i] >= 0 && total[i] >> 32 == 0 && high[i] >= 0 && high[i] >> 31 == 0;
      if (words) total[i] += high[i] << 32;
    }
    if (counts_.empty()) counts_ = total;
    if (counts_.empty()) damaged("is no snapshot", "/Header counts no bodies");
    if (!total.empty() && total != counts_) {
      damaged("counts its bodies in two ways", "NumPart_ThisFile is not NumPart_Total");
    }
    for (auto const count : counts_) {
      if (count < 0) damaged("counts bodies below zero", "NumPart_ThisFile");
      if (static_cast<std::uint64_t>(count) > most_bytes_ / least_bytes - total_) {
        damaged("promises more bodies than the file holds",
                std::to_string(count) + " in a file of " + std::to_string(file_bytes_) + " bytes");
      }
      total_ += static_cast<std::uint64_t>(count);
    }
    mass_table_ = numbers<double>(header, "MassTable", "/Header");
    mass_table_.resize(counts_.size(), 0.0);
    snapshot_.time = number(header, "Time", "/Header", 0.0);
    own_ = text(header, "Code") == "Apsis" && checked(H5Lexists(file_, "Apsis", H5P_DEFAULT)) > 0;
  }

  /// Comoving coordinates are no positions, and their velocities carry powers of the scale factor.
  void refuse_cosmology() {
    Handle const header = group("Header");
    Handle const parameters = group("Parameters");
    Handle const cosmology = group("Cosmology");
    std::string which;
    if (number(header, "Redshift", "/Header", 0.0) != 0.0) which = "Redshift is not 0";
    if (number(header, "Scale-factor", "/Header", 1.0) != 1.0) which = "Scale-factor is not 1";
    if (parameters && number(parameters, "ComovingIntegrationOn", "/Parameters", 0.0) != 0.0) {
      which = "ComovingIntegrationOn is set";
    }
    if (cosmology && number(cosmology, "Cosmological run", "/Cosmology", 0.0) != 0.0) {
      which = "'Cosmological run' is set";
    }
    if (!which.empty()) {
      bad("is a cosmological snapshot", which + "; Apsis has no comoving coordinates",
          "convert it to physical positions and velocities first");
    }
    if (number(header, "BoxSize", "/Header", 0.0) != 0.0) {
      snapshot_.unused.push_back("Header/BoxSize: space has no walls here");
    }
    if (number(header, "OmegaLambda", "/Header", 0.0) != 0.0 ||
        number(header, "Omega0", "/Header", 0.0) != 0.0) {
      snapshot_.unused.push_back("Header: a cosmology; numbers are taken without factors of a");
    }
  }

  /// 1 where none is given, or 0 as by those who have no cosmology.
  double hubble_parameter() {
    for (auto const* place : {"Header", "Parameters"}) {
      Handle const where = group(place);
      double const h = where ? number(where, "HubbleParam", std::string("/") + place, 0.0) : 0.0;
      if (h < 0.0) damaged("has a HubbleParam below zero", place);
      if (h != 0.0) return h;
    }
    return 1.0;
  }

  void read_units() {
    double length = 0.0, mass = 0.0, time = 0.0;
    bool in_gadgets_names = false;
    for (auto const* place : {"Units", "Parameters", "Header"}) {
      Handle const where = group(place);
      if (!where || length != 0.0) continue;
      auto const path = std::string("/") + place;
      length = number(where, "Unit length in cgs (U_L)", path, 0.0);
      mass = number(where, "Unit mass in cgs (U_M)", path, 0.0);
      time = number(where, "Unit time in cgs (U_t)", path, 0.0);
      if (length != 0.0) continue;
      length = number(where, "UnitLength_in_cm", path, 0.0);
      mass = number(where, "UnitMass_in_g", path, 0.0);
      double const velocity = number(where, "UnitVelocity_in_cm_per_s", path, 0.0);
      if (velocity != 0.0) time = length / velocity;
      in_gadgets_names = length != 0.0;
    }
    if (double const h = hubble_parameter(); h != 1.0) {
      if (!in_gadgets_names) {
        bad("has a HubbleParam of " + shortest(h),
            "its numbers carry factors of h, and it names no units that they go with",
            "multiply them out and set it to 1");
      }
      // GADGET's units of length, mass and so time are over h; that of velocity is not.
      length /= h;
      mass /= h;
      time /= h;
    }
    if (length == 0.0 && mass == 0.0 && time == 0.0) return;
    if (!(length > 0.0 && mass > 0.0 && time > 0.0)) {
      damaged("has units that are none", "length, mass and time must be above zero");
    }
    snapshot_.units = Units::Si{length / 100.0, mass / 1000.0, time};
  }

  void read_run() {
    if (!own_) return;
    Handle const run = group("Apsis");
    auto const format = numbers<std::int64_t>(run, "Format", "/Apsis");
    if (format.empty() || format[0] != 1) {
      bad("is a snapshot of another version of Apsis",
          "its format is " + (format.empty() ? "not given" : std::to_string(format[0])) + ", not 1",
          "read it with that version");
    }
    auto const step = numbers<std::int64_t>(run, "Step", "/Apsis");
    if (step.empty() || step[0] < 0) damaged("has no step", "/Apsis");
    snapshot_.step = static_cast<std::uint64_t>(step[0]);
    snapshot_.time_step = number(run, "TimeStep", "/Apsis", 0.0);
    snapshot_.unit_system = text(run, "UnitSystem");
    if (number(run, "UnitsAreKnown", "/Apsis", 0.0) == 0.0) snapshot_.units.reset();

    Handle const deck = child(run, "Deck", H5I_DATASET, "/Apsis/Deck");
    if (!deck) damaged("has no deck", "/Apsis");
    Handle const type(H5Dget_type(deck), H5Tclose);
    Handle const space(H5Dget_space(deck), H5Sclose);
    auto const size = H5Tget_size(type);
    if (H5Tget_class(type) != H5T_STRING || checked(H5Tis_variable_str(type)) > 0 || size < 1 ||
        H5Sget_simple_extent_ndims(space) != 1 || H5Sget_simple_extent_npoints(space) != 1) {
      damaged("has a deck that is no text", "/Apsis/Deck");
    }
    allow(1, size, "/Apsis/Deck");
    check_storage(deck, "/Apsis/Deck", 1, size);
    std::string value(size, '\0');
    checked(H5Dread(deck, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, value.data()));
    snapshot_.deck = value.c_str();
  }

  /// What else a type of bodies has.
  void name_unused(hid_t bodies, std::string const& path) {
    H5G_info_t info{};
    checked(H5Gget_info(bodies, &info));
    std::string names;
    constexpr hsize_t most = 64;
    for (hsize_t i = 0; i < std::min(info.nlinks, most); ++i) {
      std::array<char, 64> name{};
      checked(H5Lget_name_by_idx(bodies, ".", H5_INDEX_NAME, H5_ITER_INC, i, name.data(),
                                 name.size(), H5P_DEFAULT));
      if (std::find(own_fields.begin(), own_fields.end(), std::string(name.data())) ==
          own_fields.end()) {
        names += (names.empty() ? "" : ", ") + std::string(name.data());
      }
    }
    if (info.nlinks > most) names += ", ...";
    if (!names.empty()) snapshot_.unused.push_back(path + ": " + names);
  }

  void read_type(std::size_t type) {
    auto const count = static_cast<std::uint64_t>(counts_[type]);
    if (count == 0) return;
    auto const path = "PartType" + std::to_string(type);
    Handle const bodies = group(path);
    if (!bodies) {
      damaged("has no /" + path, "the header counts " + std::to_string(count) + " bodies of it");
    }
    auto& out = snapshot_.bodies;
    bool const looks = out.size() == 0;  // and reads nothing yet
    auto const vectors = [&](std::string const& name, std::vector<Vec3<double>>& column) {
      auto* const to = looks ? nullptr : reinterpret_cast<double*>(&column[first_]);
      if (!read_rows(bodies, path, name, count, 3, to)) {
        damaged("has no " + path + "/" + name, "bodies must have them");
      }
    };
    bool const ids =
        read_rows(bodies, path, "ParticleIDs", count, 1, looks ? nullptr : &out.id[first_]);
    some_ids_ = some_ids_ || ids;
    all_ids_ = all_ids_ && ids;
    vectors("Coordinates", out.position);
    vectors("Velocities", out.velocity);
    bool const masses =
        read_rows(bodies, path, "Masses", count, 1, looks ? nullptr : &out.mass[first_]);
    if (!masses) {
      if (mass_table_[type] == 0.0) {
        damaged("has no masses for " + path, "neither Masses nor Header/MassTable");
      }
      if (!looks)
        std::fill_n(out.mass.begin() + static_cast<std::ptrdiff_t>(first_), count,
                    mass_table_[type]);
    }
    if (!out.species.empty()) {
      auto const kind = std::min<std::size_t>(type, species_types::other);
      std::fill_n(out.species.begin() + static_cast<std::ptrdiff_t>(first_), count,
                  static_cast<std::uint8_t>(kind));
    }
    if (!own_ && !looks) name_unused(bodies, path);
    first_ += count;
  }

  /// Bodies of several types are where they were in the run that wrote them.
  void restore_order() {
    if (!own_ || snapshot_.bodies.species.empty()) return;
    Handle const run = group("Apsis");
    std::vector<std::uint64_t> rows(total_);
    if (!read_rows(run, "/Apsis", "Rows", total_, 1, rows.data())) return;
    std::vector<bool> taken(total_);
    for (auto const row : rows) {
      if (row >= total_ || taken[row]) {
        damaged("/Apsis/Rows is no order of its bodies", "row " + std::to_string(row));
      }
      taken[row] = true;
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
  }

  hid_t file_;
  CountCheck const& count_;
  std::uint64_t file_bytes_, most_bytes_;
  std::string where_;
  std::uint64_t promised_ = 0;  // bytes so far
  std::vector<std::int64_t> counts_;
  std::vector<double> mass_table_;
  std::uint64_t total_ = 0;
  bool own_ = false;
  bool some_ids_ = false, all_ids_ = true;
  std::uint64_t first_ = 0;  // body of the type that is read
  Snapshot snapshot_;
};

Snapshot checked_bodies(Snapshot&& snapshot, std::string const& where) {
  auto problems = problems_of(snapshot, where);
  if (!problems.empty()) throw Error(ExitStatus::bad_input, std::move(problems));
  return std::move(snapshot);
}

Handle access_for_reading() {
  Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
#if H5_VERSION_GE(1, 12, 1) || (H5_VERSION_GE(1, 10, 7) && !H5_VERSION_GE(1, 12, 0))
  checked(H5Pset_file_locking(access, false, true));  // some parallel file systems have no locks
#endif
  return access;
}

/// Opens, reads and turns the library's failures into errors about the file.
Snapshot read_with(hid_t access, std::uint64_t file_bytes, std::string const& where,
                   CountCheck const& count) {
  try {
    Handle const file(H5Fopen(where.c_str(), H5F_ACC_RDONLY, access), H5Fclose);
    return Reader(file, file_bytes, where, count).read();
  } catch (hdf5::Failure const& failure) {
    refuse(where, "cannot be read as HDF5", failure.what(),
           "the file is damaged or of another kind; use another one");
  }
}

bool pass(Pipe& pipe, Snapshot& snapshot) {
  auto& bodies = snapshot.bodies;
  return pipe.pass(snapshot.time) && pipe.pass(snapshot.has_ids) && pipe.pass(snapshot.step) &&
         pipe.pass(snapshot.time_step) && pipe.pass(snapshot.units) &&
         pipe.pass(snapshot.unit_system) && pipe.pass(snapshot.deck) &&
         pipe.pass(snapshot.unused) && pipe.pass(bodies.mass) && pipe.pass(bodies.position) &&
         pipe.pass(bodies.velocity) && pipe.pass(bodies.id) && pipe.pass(bodies.species) &&
         (bodies.species.empty() || bodies.species.size() == bodies.size()) &&
         bodies.position.size() == bodies.size() && bodies.velocity.size() == bodies.size() &&
         bodies.id.size() == bodies.size();
}

/// In a process of its own: what a hostile file does to the library happens there.
Snapshot read_apart(fs::path const& path, CountCheck const& count) {
  auto const where = path.string();
  auto const size = Input(path).size();
  if (!size) refuse(where, "cannot be read as HDF5", "it is a pipe", "name a regular file");
  auto const bytes = *size;
  // There, and once more here. The other process has less, and is not asked.
  auto const counted = [&, available = host_memory()](std::uint64_t bodies) {
    check_room(bodies, 2.0, where, available);
    if (count) count(bodies);
  };
  std::lock_guard const alone(hdf5_mutex());
  Snapshot snapshot;
  Problem problem;
  bool read_well = false;
  auto const work = [&] {
    hdf5::Silence const silence;
    hdf5::WithoutPlugins const without_plugins;
    try {
      snapshot = read_with(access_for_reading(), bytes, where, counted);
      read_well = true;
    } catch (Error const& error) {
      problem = error.problems().front();
    }
  };
  auto const found = [&](Pipe& pipe) {
    if (!pipe.pass(read_well)) return false;
    if (read_well) return pass(pipe, snapshot);
    return pipe.pass(problem.problem) && pipe.pass(problem.why) && pipe.pass(problem.advice);
  };
  auto const seconds = static_cast<unsigned>(60 + bytes / (10 * mebi));
  auto const most_bytes = most_bytes_of(bytes);
  auto const reason =
      in_process_apart(work, found, {256 * mebi + 4 * most_bytes, seconds, most_bytes});
  if (!reason.empty()) {
    refuse(where, "brings the HDF5 library down", reason, "the file is damaged; use another one");
  }
  if (!read_well) refuse(where, problem.problem, problem.why, problem.advice);
  return snapshot;
}

}  // namespace

Snapshot read_snapshot(fs::path const& path, CountCheck const& count) {
  return checked_bodies(read_apart(path, count), path.string());
}

Snapshot read_snapshot_image(std::span<std::byte const> image, std::string const& where) {
  hdf5::Session const session;
  hdf5::WithoutPlugins const without_plugins;
  Handle const access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
  if (image.empty()) refuse(where, "is empty", "", "use another file");
  checked(H5Pset_fapl_core(access, mebi, false));
  // The library copies the bytes.
  checked(H5Pset_file_image(access, const_cast<std::byte*>(image.data()), image.size()));
  auto const counted = [&](std::uint64_t bodies) { check_room(bodies, 1.0, where); };
  return checked_bodies(read_with(access, image.size(), where, counted), where);
}

}  // namespace apsis::io
