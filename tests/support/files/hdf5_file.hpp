// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <hdf5.h>
#include <limits>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

namespace apsis::testing {

/// Writes HDF5 files as other codes do, without code of Apsis.
class Hdf5File {
 public:
  explicit Hdf5File(std::filesystem::path const& path, hid_t access = H5P_DEFAULT)
      : file_(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, access)) {
    if (file_ < 0) throw std::runtime_error("no HDF5 file at " + path.string());
  }
  Hdf5File(Hdf5File const&) = delete;
  Hdf5File& operator=(Hdf5File const&) = delete;
  ~Hdf5File() { H5Fclose(file_); }

  hid_t id() const { return file_; }

  /// Reads a scalar numeric attribute.
  static double number(std::filesystem::path const& path, std::string const& group,
                       std::string const& name) {
    hid_t const file = H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
    hid_t const attribute =
        H5Aopen_by_name(file, group.c_str(), name.c_str(), H5P_DEFAULT, H5P_DEFAULT);
    double value = std::numeric_limits<double>::quiet_NaN();
    H5Aread(attribute, H5T_NATIVE_DOUBLE, &value);
    H5Aclose(attribute);
    H5Fclose(file);
    return value;
  }

  Hdf5File& group(std::string const& path) {
    H5Gclose(H5Gcreate2(file_, path.c_str(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    return *this;
  }

  /// Replaces an attribute of that name.
  template <class T>
  Hdf5File& attribute(std::string const& path, std::string const& name,
                      std::vector<T> const& values) {
    hid_t const object = H5Oopen(file_, path.c_str(), H5P_DEFAULT);
    if (H5Aexists(object, name.c_str()) > 0) H5Adelete(object, name.c_str());
    hsize_t const extent = values.size();
    hid_t const space = H5Screate_simple(1, &extent, nullptr);
    hid_t const object_id =
        H5Acreate2(object, name.c_str(), type<T>(), space, H5P_DEFAULT, H5P_DEFAULT);
    H5Awrite(object_id, type<T>(), values.data());
    H5Aclose(object_id);
    H5Sclose(space);
    H5Oclose(object);
    return *this;
  }

  /// Replaces a dataset of that name.
  template <class T>
  Hdf5File& dataset(std::string const& path, std::vector<hsize_t> const& extents,
                    std::vector<T> const& values, hid_t properties = H5P_DEFAULT) {
    remove(path);
    hid_t const space = H5Screate_simple(static_cast<int>(extents.size()), extents.data(), nullptr);
    hid_t const object_id =
        H5Dcreate2(file_, path.c_str(), type<T>(), space, H5P_DEFAULT, properties, H5P_DEFAULT);
    if (!values.empty())
      H5Dwrite(object_id, type<T>(), H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data());
    H5Dclose(object_id);
    H5Sclose(space);
    return *this;
  }

  Hdf5File& remove(std::string const& path) {
    if (H5Lexists(file_, path.c_str(), H5P_DEFAULT) > 0) {
      H5Ldelete(file_, path.c_str(), H5P_DEFAULT);
    }
    return *this;
  }

 private:
  template <class T>
  static hid_t type() {
    if constexpr (std::is_same_v<T, float>) return H5T_NATIVE_FLOAT;
    if constexpr (std::is_same_v<T, double>) return H5T_NATIVE_DOUBLE;
    if constexpr (std::is_same_v<T, std::int32_t>) return H5T_NATIVE_INT32;
    if constexpr (std::is_same_v<T, std::uint32_t>) return H5T_NATIVE_UINT32;
    if constexpr (std::is_same_v<T, std::int64_t>) return H5T_NATIVE_INT64;
    if constexpr (std::is_same_v<T, std::uint64_t>) return H5T_NATIVE_UINT64;
  }

  hid_t file_;
};

}  // namespace apsis::testing
