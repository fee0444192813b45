// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hdf5_handle.hpp"
#include <apsis/core/units.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <type_traits>

/// Writing of attributes, groups and datasets without time stamps and with checksums.
namespace apsis::formats::hdf5 {

constexpr hsize_t block = 32768;  ///< rows of a block, which is written at once with a checksum

template <class T>
hid_t native() {
  if constexpr (std::is_same_v<T, float>) return H5T_NATIVE_FLOAT;
  if constexpr (std::is_same_v<T, double>) return H5T_NATIVE_DOUBLE;
  if constexpr (std::is_same_v<T, int>) return H5T_NATIVE_INT;
  if constexpr (std::is_same_v<T, std::int64_t>) return H5T_NATIVE_INT64;
  if constexpr (std::is_same_v<T, std::uint32_t>) return H5T_NATIVE_UINT32;
  if constexpr (std::is_same_v<T, std::uint64_t>) return H5T_NATIVE_UINT64;
}

inline void write_attribute(hid_t where, char const* name, hid_t type, hid_t space,
                            void const* value) {
  Handle attribute(H5Acreate2(where, name, type, space, H5P_DEFAULT, H5P_DEFAULT), H5Aclose);
  checked(H5Awrite(attribute, type, value));
  attribute.close();
}

template <class T>
void scalar(hid_t where, char const* name, T value) {
  Handle const space(H5Screate(H5S_SCALAR), H5Sclose);
  write_attribute(where, name, native<T>(), space, &value);
}

template <class T, std::size_t N>
void array(hid_t where, char const* name, std::array<T, N> const& values) {
  hsize_t const extent = N;
  Handle const space(H5Screate_simple(1, &extent, nullptr), H5Sclose);
  write_attribute(where, name, native<T>(), space, values.data());
}

/// Writes a number as an array of one element, as the tools of SWIFT expect.
inline void number(hid_t where, char const* name, double value) {
  array(where, name, std::array<double, 1>{value});
}

/// String type of fixed length. HDF5 stores strings of variable length without checksums.
inline Handle string_type(std::string const& text) {
  Handle type(H5Tcopy(H5T_C_S1), H5Tclose);
  checked(H5Tset_size(type, text.size() + 1));
  checked(H5Tset_cset(type, H5T_CSET_UTF8));
  return type;
}

inline void string(hid_t where, char const* name, std::string const& text) {
  Handle const type = string_type(text);
  Handle const space(H5Screate(H5S_SCALAR), H5Sclose);
  write_attribute(where, name, type, space, text.c_str());
}

inline Handle group(hid_t where, char const* name) {
  Handle const properties(H5Pcreate(H5P_GROUP_CREATE), H5Pclose);
  checked(H5Pset_obj_track_times(properties, false));
  return {H5Gcreate2(where, name, H5P_DEFAULT, properties, H5P_DEFAULT), H5Gclose};
}

/// Storage properties of a dataset of this shape: blocks with checksums, optionally compressed.
inline Handle storage(hsize_t rows, hsize_t columns, int compression) {
  Handle properties(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
  checked(H5Pset_obj_track_times(properties, false));
  checked(H5Pset_fill_time(properties, H5D_FILL_TIME_NEVER));
  if (rows == 0) return properties;
  std::array<hsize_t, 2> const chunk{std::min(rows, block), columns};
  checked(H5Pset_chunk(properties, columns == 1 ? 1 : 2, chunk.data()));
  if (compression > 0 && H5Zfilter_avail(H5Z_FILTER_DEFLATE) > 0) {
    checked(H5Pset_shuffle(properties));
    checked(H5Pset_deflate(properties, static_cast<unsigned>(compression)));
  }
  checked(H5Pset_fletcher32(properties));
  return properties;
}

/// Writes a text as a dataset, because the size of an attribute is limited.
inline void text_dataset(hid_t where, char const* name, std::string const& content,
                         int compression) {
  Handle const type = string_type(content);
  hsize_t const one = 1;
  Handle const space(H5Screate_simple(1, &one, nullptr), H5Sclose);
  Handle const properties = storage(1, 1, compression);
  Handle dataset(H5Dcreate2(where, name, type, space, H5P_DEFAULT, properties, H5P_DEFAULT),
                 H5Dclose);
  checked(H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, content.c_str()));
  dataset.close();
}

/// Number of particle types in GADGET. Some readers (yt 4.1.4) have tables of six and fail with the
/// seventh type of SWIFT, which in turn reads files of GADGET.
inline constexpr std::size_t particle_types = 6;
using TypeCounts = std::array<std::uint64_t, particle_types>;

/// The units of a run in cgs; 1 in dimensionless units.
struct Cgs {
  double length = 1.0, mass = 1.0, time = 1.0;

  explicit Cgs(Units const& units) {
    if (!units.si) return;
    length = units.si->length * 100.0;
    mass = units.si->mass * 1000.0;
    time = units.si->time;
  }
  double value(Dimension const& power) const {
    return std::pow(mass, power.mass) * std::pow(length, power.length) * std::pow(time, power.time);
  }
};

}  // namespace apsis::formats::hdf5
