// SPDX-License-Identifier: Apache-2.0
#include "page.hpp"

#include "core/embedded.hpp"

#include <map>
#include <string>

namespace apsis::view {

/// Returns the embedded files of src/view/page.
std::span<Embedded const> page_files();

namespace {

std::string_view content_type_of(std::string_view name) {
  if (name.ends_with(".html")) return "text/html; charset=utf-8";
  if (name.ends_with(".js")) return "text/javascript; charset=utf-8";
  if (name.ends_with(".css")) return "text/css; charset=utf-8";
  if (name.ends_with(".svg")) return "image/svg+xml";
  return "application/octet-stream";
}

std::map<std::string, PageFile, std::less<>> files_by_path() {
  std::map<std::string, PageFile, std::less<>> files;
  for (auto const& [name, bytes] : page_files()) {
    PageFile const file{content_type_of(name), bytes};
    files.emplace("/" + std::string(name), file);
    if (name == "index.html") files.emplace("/", file);
  }
  return files;
}

}  // namespace

PageFile const* page_file(std::string_view path) {
  static auto const files = files_by_path();
  auto const file = files.find(path);
  return file == files.end() ? nullptr : &file->second;
}

}  // namespace apsis::view
