// SPDX-License-Identifier: Apache-2.0
#include "power_loss.hpp"

#include "counted_files.hpp"
#include "fault_plan.hpp"

#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>

namespace apsis::faults {

namespace {

std::atomic<int> files_written{0};
Written written[most_files];

/// Renames in order, and the files that they replaced. Older files are kept under a second name in
/// APSIS_FAULT_UNDER + ".kept".
struct Renamed {
  char source[most_letters];
  char destination[most_letters];
  bool replaced;
  bool synced;  ///< the directory was synced since
};
constexpr int most_renames = 512;
Renamed renamed[most_renames];
std::atomic<int> renames{0};

void discard_unsynced_bytes() {
  for (int i = 0; i < files_written; ++i) {
    struct stat now {};
    if (fstat(written[i].copy, &now) == 0 && now.st_size > written[i].synced) {
      syscall(SYS_ftruncate, written[i].copy, written[i].synced);
    }
  }
}

void backup_name(int number, char* name) {
  std::strcpy(name, plan.under);
  std::strcat(name, ".kept/");
  auto* end = name + std::strlen(name);
  for (int digit = 3; digit-- > 0; number /= 10) end[digit] = static_cast<char>('0' + number % 10);
  end[3] = '\0';
}

void undo_renames() {
  bool keep_newest = count->calls % 2 == 1;
  for (int i = renames; i-- > 0;) {
    auto const& entry = renamed[i];
    if (entry.synced) continue;
    if (keep_newest) {
      keep_newest = false;
      continue;
    }
    syscall(SYS_renameat2, AT_FDCWD, entry.destination, AT_FDCWD, entry.source, 0);
    if (!entry.replaced) continue;
    char name[most_letters];
    backup_name(i, name);
    syscall(SYS_renameat2, AT_FDCWD, name, AT_FDCWD, entry.destination, 0);
  }
}

}  // namespace

void record_written(int descriptor, int flags) {
  if (plan.kind != Kind::power || files_written >= most_files) return;
  struct stat now {};
  fstat(descriptor, &now);
  auto const copy = static_cast<int>(syscall(SYS_fcntl, descriptor, F_DUPFD_CLOEXEC, 512));
  bool const emptied = (flags & O_TRUNC) != 0;
  written[files_written++] = {copy, descriptor, emptied ? 0 : static_cast<long>(now.st_size)};
}

Written* find_written(int descriptor) {
  for (int i = files_written; i-- > 0;) {
    if (written[i].descriptor == descriptor) return &written[i];
  }
  return nullptr;
}

void record_rename(char const* source, char const* destination) {
  bool const fits = renames < most_renames && std::strlen(source) < most_letters &&
                    std::strlen(destination) < most_letters &&
                    std::strlen(plan.under) + 16 < most_letters;
  if (plan.kind != Kind::power || !fits) return;
  auto& entry = renamed[renames];
  std::strcpy(entry.source, source);
  std::strcpy(entry.destination, destination);
  entry.synced = false;
  char name[most_letters];
  backup_name(renames, name);
  *std::strrchr(name, '/') = '\0';
  syscall(SYS_mkdirat, AT_FDCWD, name, 0777);
  backup_name(renames, name);
  syscall(SYS_unlinkat, AT_FDCWD, name, 0);
  entry.replaced = syscall(SYS_linkat, AT_FDCWD, destination, AT_FDCWD, name, 0) == 0;
  ++renames;
}

void record_synced(char const* directory) {
  for (int i = 0; i < renames; ++i) {
    if (is_in(directory, renamed[i].destination)) renamed[i].synced = true;
  }
}

void lose_power() {
  discard_unsynced_bytes();
  undo_renames();
}

}  // namespace apsis::faults
