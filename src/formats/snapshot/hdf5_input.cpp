// SPDX-License-Identifier: Apache-2.0
#include "hdf5_input.hpp"

#include <apsis/core/error.hpp>

#include <array>
#include <cmath>
#include <type_traits>

namespace apsis::formats::hdf5 {

namespace {

constexpr std::uint64_t mebi = 1024 * 1024;
constexpr std::size_t max_numbers = 64;        // in an attribute; there are fewer particle types
constexpr std::size_t max_string = 64 * 1024;  // in an attribute [bytes]

[[noreturn]] void refuse(std::string const& where, std::string const& problem,
                         std::string const& why, std::string const& advice) {
  throw Error(ExitStatus::bad_input, Problem{where, problem, why, advice});
}

}  // namespace

std::uint64_t max_content_bytes(std::uint64_t file_bytes) {
  return 64 * file_bytes + mebi;
}

void Input::bad(std::string const& problem, std::string const& why,
                std::string const& advice) const {
  refuse(where_, problem, why, advice);
}

void Input::damaged(std::string const& what, std::string const& why) const {
  refuse(where_, what, why, "the file is damaged or no snapshot; use another one");
}

/// Adds the declared size of a dataset. Throws if the total exceeds what the file can hold.
void Input::allow(std::uint64_t items, std::uint64_t element_bytes, std::string const& what) {
  if (items > (max_bytes_ - declared_) / element_bytes) {
    damaged(what + " promises more than the file holds",
            std::to_string(items) + " times " + std::to_string(element_bytes) +
                " bytes in a file of " + std::to_string(file_bytes_));
  }
  declared_ += items * element_bytes;
}

/// A member of a group; an empty handle if there is none. Throws for a link to another file or for
/// another kind of object.
Handle Input::child(hid_t parent, std::string const& name, H5I_type_t type,
                    std::string const& path) const {
  if (checked(H5Lexists(parent, name.c_str(), H5P_DEFAULT)) == 0) return {};
  int links = 0;
  Handle object = open_member(parent, name, path, links);
  if (H5Iget_type(object) != type) {
    damaged(path + " is of another kind",
            type == H5I_GROUP ? "it must be a group" : "it must be a dataset");
  }
  return object;
}

template <class T>
std::vector<T> Input::numbers(hid_t object, std::string const& name,
                              std::string const& path) const {
  if (checked(H5Aexists(object, name.c_str())) == 0) return {};
  Handle const attribute(H5Aopen(object, name.c_str(), H5P_DEFAULT), H5Aclose);
  Handle const type(H5Aget_type(attribute), H5Tclose);
  Handle const space(H5Aget_space(attribute), H5Sclose);
  auto const kind = H5Tget_class(type);
  bool const fits = kind == H5T_INTEGER || (kind == H5T_FLOAT && std::is_floating_point_v<T>);
  auto const points = checked(H5Sget_simple_extent_npoints(space));
  if (!fits || H5Tget_size(type) > 16 || points < 1 ||
      static_cast<std::uint64_t>(points) > max_numbers) {
    damaged(path + " has an attribute '" + name + "' that cannot be used",
            std::is_floating_point_v<T> ? "it must be numbers" : "it must be whole numbers");
  }
  std::vector<T> values(static_cast<std::size_t>(points));
  hid_t const memory = std::is_floating_point_v<T> ? H5T_NATIVE_DOUBLE : H5T_NATIVE_INT64;
  checked(H5Aread(attribute, memory, values.data()));
  return values;
}

double Input::number(hid_t object, std::string const& name, std::string const& path,
                     double fallback) const {
  auto const values = numbers<double>(object, name, path);
  if (values.empty()) return fallback;
  if (!std::isfinite(values[0])) damaged(path + " has no finite '" + name + "'", "");
  return values[0];
}

std::string Input::text(hid_t object, std::string const& name) const {
  if (checked(H5Aexists(object, name.c_str())) == 0) return "";
  Handle const attribute(H5Aopen(object, name.c_str(), H5P_DEFAULT), H5Aclose);
  Handle const type(H5Aget_type(attribute), H5Tclose);
  Handle const space(H5Aget_space(attribute), H5Sclose);
  if (H5Tget_class(type) != H5T_STRING || checked(H5Tis_variable_str(type)) > 0 ||
      H5Tget_size(type) > max_string || H5Sget_simple_extent_npoints(space) != 1) {
    return "";
  }
  std::string value(H5Tget_size(type), '\0');
  checked(H5Aread(attribute, type, value.data()));
  return value.c_str();
}

/// Checks that a dataset is stored completely in this file, with reasonable block sizes.
void Input::check_storage(hid_t dataset, std::string const& path, std::uint64_t rows,
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
    if (extent == 0 || bytes > max_bytes_ / extent) {
      damaged(path + " has blocks that are larger than the file", "");
    }
    bytes *= extent;
  }
  if (chunk[0] > rows && bytes > 64 * mebi) {
    damaged(path + " has blocks that are larger than it is itself", "");
  }
  if (rank == 2) needed *= (3 + chunk[1] - 1) / chunk[1];
  hsize_t present = 0;
  Handle const space(H5Dget_space(dataset), H5Sclose);
  checked(H5Dget_num_chunks(dataset, space, &present));
  if (present < needed) damaged(path + " is not all there", "blocks of it were never written");
}

template <class T>
bool Input::rows(hid_t parent, std::string const& path, std::string const& name,
                 std::uint64_t count, std::uint64_t width, T* numbers) {
  auto const full = path + "/" + name;
  Handle const dataset = child(parent, name, H5I_DATASET, full);
  if (!dataset) return false;
  // Before its extent is asked for, which may open files that the parts of a virtual dataset name.
  bool const has_parts = is_virtual(dataset);
  if (has_parts && numbers == nullptr) check_virtual(dataset, full, count, width);
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
  if (!(flat || (rank == 2 && extents[1] == width)) || extents[0] != count) {
    damaged(full + " has another shape", "the header counts " + std::to_string(count) + " bodies");
  }
  if (numbers == nullptr) {
    allow(count, width * size, full);
    if (!has_parts) check_storage(dataset, full, count, width * size);
    return true;
  }
  hid_t memory_type = H5T_NATIVE_DOUBLE;
  if constexpr (!real) {
    memory_type = H5Tget_sign(type) == H5T_SGN_NONE ? H5T_NATIVE_UINT64 : H5T_NATIVE_INT64;
  }
  checked(H5Dread(dataset, memory_type, H5S_ALL, H5S_ALL, H5P_DEFAULT, numbers));
  for (std::uint64_t i = 0; memory_type == H5T_NATIVE_INT64 && i < count; ++i) {
    if (static_cast<std::int64_t>(numbers[i]) < 0) {
      damaged(full + " has a number below zero", "row " + std::to_string(i));
    }
  }
  return true;
}

std::uint64_t Input::row_count(std::string const& group, std::string const& name) const {
  auto const member = [](hid_t parent, std::string const& key, H5I_type_t type) -> Handle {
    H5L_info_t link{};
    if (checked(H5Lexists(parent, key.c_str(), H5P_DEFAULT)) == 0) return {};
    checked(H5Lget_info(parent, key.c_str(), &link, H5P_DEFAULT));
    if (link.type != H5L_TYPE_HARD) return {};
    Handle object(H5Oopen(parent, key.c_str(), H5P_DEFAULT), H5Oclose);
    if (H5Iget_type(object) != type) return {};
    return object;
  };
  Handle const parent = member(file_, group, H5I_GROUP);
  if (!parent) return 0;
  Handle const dataset = member(parent, name, H5I_DATASET);
  if (!dataset || is_virtual(dataset)) return 0;
  Handle const space(H5Dget_space(dataset), H5Sclose);
  std::array<hsize_t, H5S_MAX_RANK> extents{};
  if (H5Sget_simple_extent_ndims(space) < 1) return 0;
  checked(H5Sget_simple_extent_dims(space, extents.data(), nullptr));
  return extents[0];
}

std::string Input::long_text(hid_t parent, std::string const& path, std::string const& name) {
  auto const full = path + "/" + name;
  Handle const dataset = child(parent, name, H5I_DATASET, full);
  if (!dataset) damaged("has no " + full, "it must be a text");
  Handle const type(H5Dget_type(dataset), H5Tclose);
  Handle const space(H5Dget_space(dataset), H5Sclose);
  auto const size = H5Tget_size(type);
  if (H5Tget_class(type) != H5T_STRING || checked(H5Tis_variable_str(type)) > 0 || size < 1 ||
      H5Sget_simple_extent_ndims(space) != 1 || H5Sget_simple_extent_npoints(space) != 1) {
    damaged(full + " is no text", "it must be one of fixed length");
  }
  allow(1, size, full);
  check_storage(dataset, full, 1, size);
  std::string value(size, '\0');
  checked(H5Dread(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, value.data()));
  return value.c_str();
}

template std::vector<double> Input::numbers(hid_t, std::string const&, std::string const&) const;
template std::vector<std::int64_t> Input::numbers(hid_t, std::string const&,
                                                  std::string const&) const;
template bool Input::rows(hid_t, std::string const&, std::string const&, std::uint64_t,
                          std::uint64_t, double*);
template bool Input::rows(hid_t, std::string const&, std::string const&, std::uint64_t,
                          std::uint64_t, std::uint64_t*);

}  // namespace apsis::formats::hdf5
