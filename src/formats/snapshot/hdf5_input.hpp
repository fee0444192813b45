// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hdf5_handle.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace apsis::formats::hdf5 {

/// Maximum uncompressed size of the data in a file of this size [bytes].
std::uint64_t max_content_bytes(std::uint64_t file_bytes);

/// An open file from an untrusted source. Operations that are unsafe in the library are rejected
/// before it is called: sizes are compared with the file size before memory is allocated. Soft
/// links and virtual datasets are followed inside the file; links to other files and parts in them
/// are rejected. Rejections are bad-input errors.
class Input {
 public:
  /// `where`: name of the file in errors.
  Input(hid_t file, std::uint64_t file_bytes, std::string where)
      : file_(file),
        file_bytes_(file_bytes),
        max_bytes_(max_content_bytes(file_bytes)),
        where_(std::move(where)) {}

  /// Throws an error about the file: bad() for an unsupported file, damaged() for a damaged one.
  [[noreturn]] void bad(std::string const& problem, std::string const& why,
                        std::string const& advice = "read it with the code that wrote it") const;
  [[noreturn]] void damaged(std::string const& what, std::string const& why) const;

  /// Whether the root has a member of this name, of any kind.
  bool has(char const* name) const { return checked(H5Lexists(file_, name, H5P_DEFAULT)) > 0; }
  /// A group of the root; an empty handle if there is none.
  Handle group(std::string const& name) const { return child(file_, name, H5I_GROUP, name); }

  // Attributes; `path` is the object's name in errors.

  /// Values of a numeric attribute; empty if there is none. T is double or std::int64_t.
  template <class T>
  std::vector<T> numbers(hid_t object, std::string const& name, std::string const& path) const;
  /// Whether an object has an attribute of this name.
  bool has_number(hid_t object, char const* name) const {
    return checked(H5Aexists(object, name)) > 0;
  }
  /// First value of a numeric attribute; `fallback` if there is none.
  double number(hid_t object, std::string const& name, std::string const& path,
                double fallback) const;
  /// A short string of fixed length; empty if there is none.
  std::string text(hid_t object, std::string const& name) const;

  // Datasets.

  /// The first of two names that a group has as a member; the first if it has neither.
  static std::string name_in(hid_t group, char const* name, char const* other) {
    bool const has_other = checked(H5Lexists(group, name, H5P_DEFAULT)) == 0 &&
                           checked(H5Lexists(group, other, H5P_DEFAULT)) > 0;
    return has_other ? other : name;
  }
  /// Reads `count` rows of `width` numbers into `numbers`. With a null pointer, only checks that
  /// the data are complete and how they are stored. False without such a dataset.
  template <class T>
  bool rows(hid_t parent, std::string const& path, std::string const& name, std::uint64_t count,
            std::uint64_t width, T* numbers);
  /// Number of rows of a dataset in a group of the root; 0 if the file itself has no such dataset.
  /// For datasets that are not read: never rejects the file.
  std::uint64_t row_count(std::string const& group, std::string const& name) const;
  /// Reads a dataset that is a single string of fixed length.
  std::string long_text(hid_t parent, std::string const& path, std::string const& name);

  std::uint64_t bytes() const { return file_bytes_; }
  std::uint64_t max_bytes() const { return max_bytes_; }

 private:
  Handle child(hid_t parent, std::string const& name, H5I_type_t type,
               std::string const& path) const;
  /// A member of a group that exists. Follows soft links, of which at most 16 may lead to it.
  Handle open_member(hid_t parent, std::string const& name, std::string const& path,
                     int& links) const;
  /// The object at a path, relative to `parent` or absolute.
  Handle open_path(hid_t parent, std::string const& target, std::string const& path,
                   int& links) const;
  static bool is_virtual(hid_t dataset);
  /// Checks that the parts of a virtual dataset lie in this file, are complete, and cover all rows.
  void check_virtual(hid_t dataset, std::string const& path, std::uint64_t count,
                     std::uint64_t width) const;
  void allow(std::uint64_t items, std::uint64_t element_bytes, std::string const& what);
  void check_storage(hid_t dataset, std::string const& path, std::uint64_t rows,
                     std::uint64_t row_bytes) const;

  hid_t file_;
  std::uint64_t file_bytes_, max_bytes_;
  std::string where_;
  std::uint64_t declared_ = 0;  // size of the checked datasets so far [bytes]
};

}  // namespace apsis::formats::hdf5

namespace apsis::formats {

struct PartHeader;

/// Reads a snapshot through `access`, from a file or a memory image of `file_bytes` bytes. Does not
/// check the values of the bodies. `where` is the file name, for the library and for errors.
/// `count` is called with the number of bodies, of all files of the snapshot, before memory is
/// allocated for them. `header`: that of this file. Failures of the library are bad-input errors.
Snapshot read_open(hid_t access, std::uint64_t file_bytes, std::string const& where,
                   CountCheck const& count, PartHeader& header);

}  // namespace apsis::formats
