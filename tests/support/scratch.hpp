// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <system_error>

namespace apsis::testing {

inline std::string content(std::filesystem::path const& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

/// Temporary directory of one test, empty at first and removed at the end. Tests write only to such
/// directories, so that any number of them may run at the same time.
class Scratch {
 public:
  explicit Scratch(std::filesystem::path const& parent = std::filesystem::temp_directory_path()) {
    std::string name = (parent / "apsis_test_XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) {
      throw std::system_error(errno, std::generic_category(), name);
    }
    path_ = name;
  }
  Scratch(Scratch const&) = delete;
  Scratch& operator=(Scratch const&) = delete;
  ~Scratch() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }

  std::filesystem::path operator/(std::string const& name) const { return path_ / name; }
  std::string write(std::string const& name, std::string const& text) const {
    std::ofstream(path_ / name) << text;
    return (path_ / name).string();
  }
  std::filesystem::path const& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace apsis::testing
