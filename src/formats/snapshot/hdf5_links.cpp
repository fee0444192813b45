// SPDX-License-Identifier: Apache-2.0
#include "hdf5_input.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

namespace apsis::formats::hdf5 {

namespace {

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
