// SPDX-License-Identifier: Apache-2.0
// Builds HDF5 files similar to snapshots from the input bytes, and reads them. Each must give valid
// bodies or a bad-input error.
#include "../support/files/hdf5_file.hpp"
#include "formats/check_bodies.hpp"
#include "formats/snapshot/hdf5_handle.hpp"
#include "harness.hpp"
#include <apsis/formats/snapshot.hpp>

#include <array>
#include <cmath>
#include <cstdlib>
#include <span>
#include <sys/mman.h>
#include <unistd.h>

using namespace apsis;
using apsis::testing::Hdf5File;

namespace {

/// Source of decisions: the input bytes, then zeros.
class Choices {
 public:
  explicit Choices(std::span<std::uint8_t const> bytes) : bytes_(bytes) {}
  std::uint8_t byte() {
    if (bytes_.empty()) return 0;
    auto const value = bytes_.front();
    bytes_ = bytes_.subspan(1);
    return value;
  }
  bool seldom() { return byte() % 16 == 15; }
  template <class T>
  T one_of(std::vector<T> const& values) {
    return values[byte() % values.size()];
  }

 private:
  std::span<std::uint8_t const> bytes_;
};

std::int64_t count(Choices& choose) {
  if (choose.seldom()) {
    return choose.one_of<std::int64_t>(
        {-1, 70000, std::int64_t{1} << 31, std::int64_t{1} << 40, INT64_MAX, INT64_MIN});
  }
  return choose.byte() % 4;
}

template <class T>
void add_counts(Hdf5File& file, Choices& choose, std::string const& name,
                std::vector<std::int64_t> const& counts) {
  std::vector<T> values(counts.begin(), counts.end());
  if (choose.seldom()) values.resize(choose.byte() % 80 + 1u);
  if (choose.seldom()) values[0] = static_cast<T>(count(choose));
  file.attribute<T>("Header", name, values);
}

void add_header(Hdf5File& file, Choices& choose, std::vector<std::int64_t> const& counts) {
  if (choose.seldom()) return;
  file.group("Header");
  if (!choose.seldom()) add_counts<std::int64_t>(file, choose, "NumPart_ThisFile", counts);
  if (choose.byte() % 2) add_counts<std::uint32_t>(file, choose, "NumPart_Total", counts);
  if (choose.seldom()) add_counts<double>(file, choose, "NumPart_ThisFile", counts);
  if (choose.seldom()) add_counts<std::uint32_t>(file, choose, "NumPart_Total_HighWord", counts);
  std::vector<double> const values{0.0, 1.0, -1.0, 1e308, INFINITY, NAN};
  for (auto const* name : {"Time", "Redshift", "MassTable", "BoxSize", "Scale-factor"}) {
    if (choose.seldom()) {
      file.attribute<double>("Header", name,
                             std::vector<double>(choose.byte() % 9 + 1u, choose.one_of(values)));
    }
  }
  if (choose.seldom())
    file.attribute<std::int32_t>("Header", "NumFilesPerSnapshot", {choose.byte()});
  if (choose.seldom())
    file.group("Units").attribute<double>("Units", "UnitLength_in_cm", {choose.one_of(values)});
}

template <class T>
void add_data(Hdf5File& file, Choices& choose, std::string const& path,
              std::vector<hsize_t> const& extents, bool unique) {
  std::size_t points = 1;
  for (auto const extent : extents) points *= extent;
  std::vector<T> values(points > 100000 || choose.seldom() ? 0 : points);
  for (auto& value : values)
    value = static_cast<T>(unique ? &value - values.data() : choose.byte());
  if (!values.empty() && choose.seldom()) values[0] = static_cast<T>(-1);
  if constexpr (std::is_floating_point_v<T>) {
    if (!values.empty() && choose.seldom()) values[0] = static_cast<T>(NAN);
  }
  hid_t const properties = H5Pcreate(H5P_DATASET_CREATE);
  if (choose.byte() % 2) {
    std::vector<hsize_t> chunk(extents);
    for (auto& extent : chunk) extent = choose.one_of<hsize_t>({1, 2, extent ? extent : 1, 8192});
    H5Pset_chunk(properties, static_cast<int>(chunk.size()), chunk.data());
    if (choose.byte() % 2) H5Pset_shuffle(properties);
    if (choose.byte() % 2) H5Pset_deflate(properties, 1);
    if (choose.byte() % 2) H5Pset_fletcher32(properties);
  } else if (choose.seldom()) {
    H5Pset_layout(properties, H5D_COMPACT);
  } else if (choose.seldom()) {
    H5Pset_external(properties, "/dev/zero", 0, H5F_UNLIMITED);
  }
  file.dataset<T>(path, extents, values, properties);
  H5Pclose(properties);
}

void add_dataset(Hdf5File& file, Choices& choose, std::string const& path, std::int64_t bodies,
                 hsize_t width, bool ids) {
  if (choose.seldom()) return;
  if (choose.seldom()) {
    file.group(path);
    return;
  }
  if (choose.seldom()) {
    if (choose.byte() % 2) {
      H5Lcreate_external("/etc/hostname", "/x", file.id(), path.c_str(), H5P_DEFAULT, H5P_DEFAULT);
    } else {
      H5Lcreate_soft(choose.byte() % 2 ? path.c_str() : "/Header", file.id(), path.c_str(),
                     H5P_DEFAULT, H5P_DEFAULT);
    }
    return;
  }
  std::vector<hsize_t> extents{static_cast<hsize_t>(bodies)};
  if (width > 1) extents.push_back(width);
  if (choose.seldom()) extents[0] = choose.byte();
  if (choose.seldom()) extents.push_back(choose.byte() % 3);
  if (choose.seldom()) extents.back() = choose.byte();
  int const type = choose.seldom() ? choose.byte() % 6 : ids ? 4 : choose.byte() % 2;
  if (type == 0) add_data<double>(file, choose, path, extents, false);
  if (type == 1) add_data<float>(file, choose, path, extents, false);
  if (type == 2) add_data<std::int32_t>(file, choose, path, extents, ids);
  if (type == 3) add_data<std::uint32_t>(file, choose, path, extents, ids);
  if (type == 4) add_data<std::uint64_t>(file, choose, path, extents, ids);
  if (type == 5) add_data<std::int64_t>(file, choose, path, extents, ids);
}

/// Builds the bytes of a file from choices.
std::vector<std::byte> file_of(Choices& choose) {
  auto const output = std::make_shared<formats::hdf5::Output>();
  output->descriptor = ::memfd_create("fuzz", MFD_CLOEXEC);
  formats::hdf5::Session const session;
  auto const access = formats::hdf5::access_to(output);
  if (choose.byte() % 2) H5Pset_libver_bounds(access, H5F_LIBVER_V110, H5F_LIBVER_V110);
  {
    Hdf5File file("fuzz", access);
    std::vector<std::int64_t> counts(choose.seldom() ? 1 : 6);
    for (auto& one : counts) one = choose.byte() % 3 == 1 ? count(choose) : 0;
    add_header(file, choose, counts);
    for (std::size_t type = 0; type < counts.size(); ++type) {
      if (counts[type] == 0 || choose.seldom()) continue;
      auto const name = "PartType" + std::to_string(type);
      file.group(name);
      // The file contains only a few bodies, whatever the header counts.
      std::int64_t const bodies = counts[type] > 0 && counts[type] < 100 ? counts[type] : 2;
      add_dataset(file, choose, name + "/Coordinates", bodies, 3, false);
      add_dataset(file, choose, name + "/Velocities", bodies, 3, false);
      add_dataset(file, choose, name + "/Masses", bodies, 1, false);
      add_dataset(file, choose, name + "/ParticleIDs", bodies, 1, true);
    }
  }
  auto const size = ::lseek(output->descriptor, 0, SEEK_END);
  std::vector<std::byte> image(static_cast<std::size_t>(size));
  if (::pread(output->descriptor, image.data(), image.size(), 0) != size) std::abort();
  ::close(output->descriptor);
  return image;
}

// Damaged files are read in this process, and the library cannot close all their objects.
[[maybe_unused]] bool const is_cleanup_disabled = (formats::disable_hdf5_cleanup(), true);

}  // namespace

int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  Choices choose({data, size});
  auto const image = file_of(choose);
  fuzzing::accepted([&] {
    auto const read = formats::read_snapshot_image(image, "fuzz");
    auto const& bodies = read.bodies;
    fuzzing::require(bodies.position.size() == bodies.size() &&
                         bodies.velocity.size() == bodies.size() &&
                         bodies.id.size() == bodies.size(),
                     "a body has all its columns");
    fuzzing::require(std::isfinite(read.time), "time is finite");
    fuzzing::require(formats::problems_of(read, "").empty(), "bodies are valid");
  });
  return 0;
}
