// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "support/executable/process.hpp"
#include "support/log_line.hpp"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

namespace apsis::testing {

/// Contents of the files of a directory, by relative path.
using Files = std::map<std::string, std::string>;

inline Files files_of(std::filesystem::path const& directory) {
  Files files;
  if (!std::filesystem::exists(directory)) return files;
  for (auto const& entry : std::filesystem::recursive_directory_iterator(directory)) {
    if (!entry.is_regular_file()) continue;
    files[entry.path().string().substr(directory.string().size() + 1)] = content(entry.path());
  }
  return files;
}

/// Makes a directory contain exactly these files.
inline void put_files(std::filesystem::path const& directory, Files const& files) {
  std::filesystem::remove_all(directory);
  for (auto const& [name, bytes] : files) {
    auto const path = directory / name;
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path, std::ios::binary) << bytes;
  }
}

/// Returns the blocks of a generation's file, read as described in io/checkpoint.hpp. Digests are
/// not checked here.
inline std::map<std::string, std::string> blocks_of(std::string const& file) {
  std::size_t position = 0;
  auto const take = [&](std::size_t bytes) {
    if (bytes > file.size() - position) throw std::runtime_error("a generation is too short");
    position += bytes;
    return file.substr(position - bytes, bytes);
  };
  auto const word = [&] {
    std::uint64_t value = 0;
    std::memcpy(&value, take(8).data(), 8);
    return value;
  };
  if (take(8) != "APSISCKP") throw std::runtime_error("no generation of a checkpoint");
  word();
  auto const count = word();
  word();
  std::map<std::string, std::string> blocks;
  for (std::uint64_t k = 0; k < count; ++k) {
    auto const name_bytes = word();
    word();
    auto const bytes = word();
    take(24);
    auto const name = take(name_bytes);
    blocks[name] = take(bytes);
  }
  if (take(8) != "APSISEND") throw std::runtime_error("a generation has no end");
  return blocks;
}

/// Returns the numbers of the generations named by the manifest, the newest first.
inline std::vector<std::uint64_t> committed(Files const& files) {
  auto const manifest = files.find("checkpoint/manifest.json");
  if (manifest == files.end()) return {};
  auto const read = nlohmann::json::parse(manifest->second);
  std::vector<std::uint64_t> numbers;
  for (auto const& each : read["generations"]) {
    numbers.push_back(each["number"]);
  }
  return numbers;
}

inline std::string generation_file(std::uint64_t number) {
  auto const digits = std::to_string(number);
  return "checkpoint/generation_" + std::string(6 - digits.size(), '0') + digits + ".bin";
}

/// Returns each line without its last column, the wall time.
inline std::string without_last_column(std::string const& table) {
  std::string text;
  for (std::size_t begin = 0, end; begin < table.size(); begin = end + 1) {
    end = table.find('\n', begin);
    if (end == std::string::npos) return text + "an unfinished line";
    auto const line = table.substr(begin, end - begin);
    text += without_wall_seconds_field(line) + "\n";
  }
  return text;
}

/// Returns the result of a run: all files, without data that depend on the clock or the number of
/// checkpoints. An interrupted and resumed run must have the same result.
inline Files result_of(Files const& files) {
  Files result;
  for (auto const& [name, bytes] : files) {
    if (name == "apsis-files.txt") {
      // The order of names does not matter, but every file must be listed.
      for (auto const& [other, unused] : files) {
        bool const is_listed = other == name || other == ".lock" ||
                               bytes.find("\n" + other + "\n") != std::string::npos;
        if (!is_listed) result["not listed: " + other];
      }
    } else if (name == "conservation.csv") {
      result[name] = without_last_column(bytes);
    } else if (name == "summary.json") {
      auto const summary = nlohmann::json::parse(bytes);
      for (auto const* key : {"status", "stop_reason", "steps", "time", "integrator_steps",
                              "interactions", "final_energy", "max_relative_energy_error"}) {
        if (summary.contains(key)) result[name] += std::string(key) + summary[key].dump() + "\n";
      }
    } else if (name == "checkpoint/manifest.json") {
      for (auto const& [block, block_bytes] :
           blocks_of(files.at(generation_file(committed(files).at(0))))) {
        bool const depends_on_clock =
            block == "run/wall_seconds" || block == "run/uuid" || block == "run/start" ||
            block.rfind("run/conservation.csv", 0) == 0 || block.rfind("guard/log_", 0) == 0;
        if (!depends_on_clock) result["the last checkpoint's " + block] = block_bytes;
      }
    } else if (name.rfind("checkpoint/generation_", 0) != 0 || name.ends_with(".tmp")) {
      result[name] = bytes;
    }
  }
  return result;
}

/// Describes the differences; empty if there are none.
inline std::string difference(Files const& expected, Files const& actual) {
  std::string differences;
  for (auto const& [name, bytes] : expected) {
    auto const other = actual.find(name);
    if (other == actual.end()) {
      differences += name + " is missing; ";
    } else if (other->second != bytes) {
      differences += name + " differs; ";
    }
  }
  for (auto const& [name, bytes] : actual) {
    if (expected.count(name) == 0) differences += name + " should not be there; ";
  }
  return differences;
}

}  // namespace apsis::testing
