// SPDX-License-Identifier: Apache-2.0
#include "counted_files.hpp"

#include "fault_plan.hpp"

#include <cstring>
#include <fcntl.h>

namespace apsis::faults {

Watch watched[most_files];
char directories[most_files][most_letters];

bool is_counted_file(char const* path) {
  if (plan.under == nullptr || path == nullptr) return false;
  std::size_t const length = std::strlen(plan.under);
  if (std::strncmp(path, plan.under, length) != 0) return false;
  if (path[length] != '/' && path[length] != '\0') return false;
  return plan.only == nullptr || std::strstr(path, plan.only) != nullptr;
}

char const* path_at(int where, char const* path, char* buffer) {
  bool const relative = path != nullptr && path[0] != '/' && where >= 0 && where < most_files;
  if (!relative || directories[where][0] == '\0') return path;
  std::size_t const length = std::strlen(directories[where]);
  if (length + 1 + std::strlen(path) + 1 > most_letters) return path;
  std::memcpy(buffer, directories[where], length);
  buffer[length] = '/';
  std::strcpy(buffer + length + 1, path);
  return buffer;
}

void record_directory(int descriptor, char const* path, int flags) {
  if (descriptor < 0 || descriptor >= most_files) return;
  directories[descriptor][0] = '\0';
  if ((flags & O_DIRECTORY) == 0 || plan.under == nullptr || std::strlen(path) >= most_letters) {
    return;
  }
  if (std::strncmp(path, plan.under, std::strlen(plan.under)) == 0) {
    std::strcpy(directories[descriptor], path);
  }
}

bool is_counted_file(int descriptor) {
  return descriptor >= 0 && descriptor < most_files && watched[descriptor] != ignored;
}

bool is_in(char const* directory, char const* path) {
  std::size_t const length = std::strlen(directory);
  return std::strncmp(directory, path, length) == 0 && path[length] == '/' &&
         std::strchr(path + length + 1, '/') == nullptr;
}

}  // namespace apsis::faults
