// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hdf5_handle.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace apsis::io::hdf5 {

/// What a file of so many bytes may promise to hold, compressed as it may be.
std::uint64_t most_bytes_of(std::uint64_t file_bytes);

/// A stranger's file that is open. Only what the library must not be asked to do with it is refused
/// before it is asked: every size is compared with the file's before memory is taken for it, and no
/// link leads out. What is refused is a bad-input error.
class Input {
 public:
  /// `where`: its name in errors.
  Input(hid_t file, std::uint64_t file_bytes, std::string where)
      : file_(file),
        file_bytes_(file_bytes),
        most_bytes_(most_bytes_of(file_bytes)),
        where_(std::move(where)) {}

  /// Throws an error about the file: it is no file for us, or it is damaged.
  [[noreturn]] void bad(std::string const& problem, std::string const& why,
                        std::string const& advice = "read it with the code that wrote it") const;
  [[noreturn]] void damaged(std::string const& what, std::string const& why) const;

  /// Whether the root has a member of this name, of any kind.
  bool has(char const* name) const { return checked(H5Lexists(file_, name, H5P_DEFAULT)) > 0; }
  /// A group of the root; without a handle if there is none.
  Handle group(std::string const& name) const { return child(file_, name, H5I_GROUP, name); }

  // Attributes; `path` is the object's name in errors.

  /// Empty if there is none. T is double or std::int64_t.
  template <class T>
  std::vector<T> numbers(hid_t object, std::string const& name, std::string const& path) const;
  /// The first of them.
  double number(hid_t object, std::string const& name, std::string const& path,
                double otherwise) const;
  /// A short text of fixed length; empty if there is none of that kind.
  std::string text(hid_t object, std::string const& name) const;

  // Datasets.

  /// Rows of `width` numbers, one after the other, to `to`; with a null pointer it is only checked
  /// that they are there and how they are stored. False if there is no such dataset. T is double or
  /// std::uint64_t.
  template <class T>
  bool rows(hid_t parent, std::string const& path, std::string const& name, std::uint64_t count,
            std::uint64_t width, T* to);
  /// Number of rows of a dataset in a group of the root, however it is stored; 0 if the file itself
  /// has no such dataset. For what is not read: nothing is refused.
  std::uint64_t row_count(std::string const& group, std::string const& name) const;
  /// A single text of fixed length.
  std::string long_text(hid_t parent, std::string const& path, std::string const& name);

  std::uint64_t bytes() const { return file_bytes_; }
  std::uint64_t most_bytes() const { return most_bytes_; }

 private:
  Handle child(hid_t parent, std::string const& name, H5I_type_t type,
               std::string const& path) const;
  void allow(std::uint64_t items, std::uint64_t bytes_each, std::string const& what);
  void check_storage(hid_t dataset, std::string const& path, std::uint64_t rows,
                     std::uint64_t row_bytes) const;

  hid_t file_;
  std::uint64_t file_bytes_, most_bytes_;
  std::string where_;
  std::uint64_t promised_ = 0;  // bytes so far
};

}  // namespace apsis::io::hdf5
