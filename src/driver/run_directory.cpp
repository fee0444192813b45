// SPDX-License-Identifier: Apache-2.0
#include <apsis/core/error.hpp>
#include <apsis/driver/diagnostic_entry.hpp>
#include <apsis/driver/run_directory.hpp>

#include <utility>

namespace apsis::driver {

namespace fs = std::filesystem;

fs::path RunDirectory::default_for(fs::path const& deck) {
  return deck.stem().string() + ".run";
}

RunDirectory::RunDirectory(fs::path path, bool replace) : path_(std::move(path)) {
  std::error_code error;
  for (auto const& file : files()) {
    bool const exists = fs::exists(file, error);
    if (exists && !replace) {
      throw Error(ExitStatus::input_output,
                  Problem{path_.string(), "already holds a run",
                          file.filename().string() + " exists and would be overwritten",
                          "choose another directory with --output, or give --force"});
    }
  }
}

void RunDirectory::prepare() const {
  std::error_code error;
  fs::create_directories(path_, error);
  if (error || !fs::is_directory(path_, error)) {
    throw Error(
        ExitStatus::input_output,
        Problem{path_.string(), "cannot be used as the output directory",
                error ? error.message() : "it is not a directory", "choose another with --output"});
  }
  for (auto const& file : files()) {
    fs::remove(file, error);
    if (error) {
      throw Error(ExitStatus::input_output, Problem{file.string(), "cannot be removed",
                                                    error.message(), "check its permissions"});
    }
  }
}

std::vector<fs::path> RunDirectory::files() const {
  std::vector<fs::path> all{resolved_deck(), conservation(), metadata_of(conservation()),
                            summary()};
  for (auto const& diagnostic : diagnostic_entries()) {
    all.push_back(table(diagnostic.file));
    all.push_back(metadata_of(table(diagnostic.file)));
  }
  return all;
}

}  // namespace apsis::driver
