// SPDX-License-Identifier: Apache-2.0
#include "hdf5_input.hpp"

#include <apsis/core/error.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <type_traits>
#include <utility>

namespace apsis::formats::hdf5 {

namespace {

constexpr std::uint64_t mebi = 1024 * 1024;
constexpr std::size_t max_numbers = 64;        // in an attribute; there are fewer particle types
constexpr std::size_t max_string = 64 * 1024;  // in an attribute [bytes]

[[noreturn]] void refuse(std::string const& where, std::string const& problem,
                         std::string const& why, std::string const& advice) {
  throw Error(ExitStatus::bad_input, Problem{where, problem, why, advice});
}

constexpr int max_links = 16;             // soft links on the way to one object
constexpr std::size_t max_text = 4096;    // of a link's path or a dataset's name [bytes]
constexpr std::size_t max_parts = 65536;  // of a virtual dataset
constexpr char const* in_file_only = "only what lies in the file itself is read";

/// First and last row of a selection that consists of whole rows; nothing for any other.
struct RowRange {
  hsize_t first, last;
};

/// Whether a selection is a box of whole rows of `width` numbers. Sets the range of rows.
bool is_row_range(hid_t space, std::uint64_t width, RowRange& range) {
  int const rank = H5Sget_simple_extent_ndims(space);
  auto const points = H5Sget_select_npoints(space);
  std::array<hsize_t, H5S_MAX_RANK> start{}, end{};
  // The bounds of an unlimited selection are not defined: the call fails.
  if (rank < 1 || rank > 2 || points < 1 ||
      H5Sget_select_bounds(space, start.data(), end.data()) < 0) {
    return false;
  }
  range = {start[0], end[0]};
  std::uint64_t const columns = rank == 2 ? end[1] - start[1] + 1 : 1;
  return columns == width && (rank == 1 || start[1] == 0) &&
         end[0] - start[0] < (hsize_t{1} << 48) &&
         static_cast<std::uint64_t>(points) == (end[0] - start[0] + 1) * width;
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

/// A member of a group; an empty handle if there is none. Throws if it is of another kind.
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

Handle Input::open_member(hid_t parent, std::string const& name, std::string const& path,
                          int& links) const {
  H5L_info_t link{};
  checked(H5Lget_info(parent, name.c_str(), &link, H5P_DEFAULT));
  if (link.type == H5L_TYPE_HARD) {
    return Handle(H5Oopen(parent, name.c_str(), H5P_DEFAULT), H5Oclose);
  }
  std::string const advice = "copy the file with its links resolved (h5repack)";
  if (link.type != H5L_TYPE_SOFT) bad(path + " is a link to another file", in_file_only, advice);
  if (++links > max_links) bad(path + " is a link in a chain that is too long", "", advice);
  if (link.u.val_size > max_text) damaged(path + " is a link with a path that is too long", "");
  std::string target(link.u.val_size + 1, '\0');
  checked(H5Lget_val(parent, name.c_str(), target.data(), target.size(), H5P_DEFAULT));
  return open_path(parent, target.c_str(), path, links);
}

Handle Input::open_path(hid_t parent, std::string const& target, std::string const& path,
                        int& links) const {
  bool const is_absolute = target.starts_with('/');
  Handle current(H5Oopen(is_absolute ? file_ : parent, is_absolute ? "/" : ".", H5P_DEFAULT),
                 H5Oclose);
  // The library would follow every kind of link on the way. So each component is opened here.
  for (std::string_view rest = target; !rest.empty();) {
    auto const end = std::min(rest.find('/'), rest.size());
    std::string const component(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
    if (component.empty() || component == ".") continue;
    if (H5Iget_type(current) != H5I_GROUP ||
        checked(H5Lexists(current, component.c_str(), H5P_DEFAULT)) == 0) {
      damaged(path + " leads to nothing", "there is no '" + target + "' in the file");
    }
    Handle next = open_member(current, component, path, links);
    current = std::move(next);
  }
  return current;
}

bool Input::is_virtual(hid_t dataset) {
  Handle const properties(H5Dget_create_plist(dataset), H5Pclose);
  return H5Pget_layout(properties) == H5D_VIRTUAL;
}

void Input::check_virtual(hid_t dataset, std::string const& path, std::uint64_t count,
                          std::uint64_t width) const {
  Handle const properties(H5Dget_create_plist(dataset), H5Pclose);
  std::size_t parts = 0;
  checked(H5Pget_virtual_count(properties, &parts));
  if (parts > max_parts) damaged(path + " has too many parts", std::to_string(parts));
  auto const text = [&](auto const& get, std::size_t part) {
    auto const length = checked(get(properties, part, nullptr, 0));
    if (static_cast<std::size_t>(length) > max_text) damaged(path + " has a name too long", "");
    std::string value(static_cast<std::size_t>(length) + 1, '\0');
    checked(get(properties, part, value.data(), value.size()));
    return std::string(value.c_str());
  };
  std::vector<std::pair<hsize_t, hsize_t>> ranges;
  for (std::size_t part = 0; part < parts; ++part) {
    if (auto const file = text(H5Pget_virtual_filename, part); file != ".") {
      bad(path + " lies in other files",
          std::string(in_file_only) + ", and a part is in '" + file + "'",
          "name one of the files with the data, if they are snapshots, or copy all into one file "
          "(h5repack)");
    }
    auto const name = text(H5Pget_virtual_dsetname, part);
    int links = 0;
    Handle const source = open_path(file_, name, path, links);
    if (H5Iget_type(source) != H5I_DATASET) damaged(path + " has a part that is no dataset", name);
    if (is_virtual(source)) {
      bad(path + " is a virtual dataset of virtual datasets", "'" + name + "' is one",
          "copy the file without them (h5repack)");
    }
    Handle const type(H5Dget_type(source), H5Tclose);
    Handle const space(H5Dget_space(source), H5Sclose);
    Handle const from(H5Pget_virtual_srcspace(properties, part), H5Sclose);
    Handle const into(H5Pget_virtual_vspace(properties, part), H5Sclose);
    auto const kind = H5Tget_class(type);
    std::array<hsize_t, H5S_MAX_RANK> extents{};
    int const rank = H5Sget_simple_extent_ndims(space);
    if (rank > 0) checked(H5Sget_simple_extent_dims(space, extents.data(), nullptr));
    RowRange read{}, filled{};
    bool const fits = (kind == H5T_FLOAT || kind == H5T_INTEGER) && (rank == 1 || rank == 2) &&
                      rank == H5Sget_simple_extent_ndims(from) &&
                      (rank == 1 || extents[1] == width) && is_row_range(from, width, read) &&
                      is_row_range(into, width, filled) && read.last < extents[0] &&
                      filled.last - filled.first == read.last - read.first;
    if (!fits) damaged(path + " has a part that is no range of rows of '" + name + "'", "");
    check_storage(source, name, extents[0], width * H5Tget_size(type));
    ranges.emplace_back(filled.first, filled.last);
  }
  std::sort(ranges.begin(), ranges.end());
  hsize_t next = 0;
  for (auto const& [first, last] : ranges) {
    if (first != next) break;
    next = last + 1;
  }
  if (next != count) {
    damaged(path + " is not all there", "its parts do not cover row " + std::to_string(next));
  }
}

}  // namespace apsis::formats::hdf5
