// SPDX-License-Identifier: Apache-2.0
#include "files/input.hpp"
#include "files/subprocess.hpp"
#include "formats/check_bodies.hpp"
#include "hdf5_input.hpp"
#include "parts.hpp"
#include <apsis/core/machine.hpp>

#include <cerrno>
#include <fcntl.h>
#include <unistd.h>

namespace apsis::formats {

namespace fs = std::filesystem;

namespace {

using hdf5::checked;
using hdf5::Handle;

constexpr std::uint64_t mebi = 1024 * 1024;

[[noreturn]] void refuse(std::string const& where, std::string const& problem,
                         std::string const& why, std::string const& advice) {
  throw Error(ExitStatus::bad_input, Problem{where, problem, why, advice});
}

Snapshot checked_bodies(Snapshot&& snapshot, std::string const& where, bool with_ids = true) {
  if (!with_ids) number_anew(snapshot);
  check_values(snapshot, where);
  return std::move(snapshot);
}

Handle access_for_reading() {
  Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
#if H5_VERSION_GE(1, 12, 1) || (H5_VERSION_GE(1, 10, 7) && !H5_VERSION_GE(1, 12, 0))
  checked(H5Pset_file_locking(access, false, true));  // some parallel file systems have no locks
#endif
  return access;
}

bool pass(files::Pipe& pipe, Snapshot& snapshot) {
  auto& bodies = snapshot.bodies;
  return pipe.pass(snapshot.time) && pipe.pass(snapshot.has_time) && pipe.pass(snapshot.has_ids) &&
         pipe.pass(snapshot.step) && pipe.pass(snapshot.time_step) && pipe.pass(snapshot.units) &&
         pipe.pass(snapshot.unit_system) && pipe.pass(snapshot.deck) &&
         pipe.pass(snapshot.unused) && pipe.pass(bodies.mass) && pipe.pass(bodies.position) &&
         pipe.pass(bodies.velocity) && pipe.pass(bodies.id) && pipe.pass(bodies.species) &&
         pipe.pass(bodies.radius) &&
         (bodies.radius.empty() || bodies.radius.size() == bodies.size()) &&
         pipe.pass(bodies.name) && (bodies.name.empty() || bodies.name.size() == bodies.size()) &&
         (bodies.species.empty() || bodies.species.size() == bodies.size()) &&
         bodies.position.size() == bodies.size() && bodies.velocity.size() == bodies.size() &&
         bodies.id.size() == bodies.size();
}

bool pass(files::Pipe& pipe, PartHeader& header) {
  return pipe.pass(header.files) && pipe.pass(header.counts) && pipe.pass(header.totals) &&
         pipe.pass(header.common);
}

/// Reads a file of a snapshot in a subprocess, where a malicious file can crash only that process.
Snapshot read_in_subprocess(fs::path const& path, CountCheck const& count, PartHeader& header) {
  auto const where = path.string();
  auto const size = files::Input(path).size();
  if (!size) refuse(where, "cannot be read as HDF5", "it is a pipe", "name a regular file");
  auto const bytes = *size;
  // Two copies: one in the subprocess, one here. The available memory is that of this process,
  // because the subprocess has a lower limit.
  auto const check_count = [&, available = host_memory()](std::uint64_t bodies) {
    check_memory(bodies, 2.0, where, available);
    if (count) count(bodies);
  };
  std::lock_guard const lock(hdf5_mutex());
  Snapshot snapshot;
  Problem problem;
  bool is_read = false;
  int limit = 0;  // errno if the subprocess exhausted a system limit
  auto const work = [&] {
    hdf5::Silence const silence;
    hdf5::WithoutPlugins const without_plugins;
    try {
      snapshot = read_open(access_for_reading(), bytes, where, check_count, header);
      is_read = true;
    } catch (Error const& error) {
      problem = error.problems().front();
      // The library does not report why a file cannot be opened, so test for an exhausted limit.
      int const probe = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
      limit = probe < 0 && is_system_limit(errno) ? errno : 0;
      if (probe >= 0) ::close(probe);
    }
  };
  auto const transfer = [&](files::Pipe& pipe) {
    if (!pipe.pass(is_read) || !pipe.pass(limit)) return false;
    if (is_read) return pass(pipe, snapshot) && pass(pipe, header);
    return pipe.pass(problem.problem) && pipe.pass(problem.why) && pipe.pass(problem.advice);
  };
  auto const seconds = static_cast<unsigned>(60 + bytes / (10 * mebi));
  auto const max_bytes = hdf5::max_content_bytes(bytes);
  auto const reason =
      files::run_in_subprocess(work, transfer, {256 * mebi + 4 * max_bytes, seconds, max_bytes});
  if (!reason.empty()) {
    refuse(where, "makes the HDF5 library fail", reason, "the file is damaged; use another one");
  }
  if (limit != 0) throw system_error(limit, {where, "cannot be read", "", ""});
  if (!is_read) refuse(where, problem.problem, problem.why, problem.advice);
  return snapshot;
}

}  // namespace

Snapshot read_snapshot(fs::path const& path, CountCheck const& count, bool with_ids) {
  auto const first = first_part(path);
  PartHeader header;
  auto snapshot = read_in_subprocess(first, count, header);
  if (header.files == 1) return checked_bodies(std::move(snapshot), first.string(), with_ids);
  snapshot.bodies = HostBodies();  // of the given file, which is read again in its turn
  JoinedParts joined(first, header);
  for (std::uint64_t number = 0; number < header.files; ++number) {
    auto const name = part_path(first, header.files, number);
    PartHeader part_header;
    auto part = read_in_subprocess(name, {}, part_header);
    joined.add(name, std::move(part), part_header);
  }
  static_cast<BodiesFile&>(snapshot) = joined.take();
  return checked_bodies(std::move(snapshot), path.string(), with_ids);
}

Snapshot read_snapshot_image(std::span<std::byte const> image, std::string const& where) {
  hdf5::Session const session;
  hdf5::WithoutPlugins const without_plugins;
  Handle const access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
  if (image.empty()) refuse(where, "is empty", "", "use another file");
  checked(H5Pset_fapl_core(access, mebi, false));
  // The library copies the bytes.
  checked(H5Pset_file_image(access, const_cast<std::byte*>(image.data()), image.size()));
  auto const check_count = [&](std::uint64_t bodies) { check_memory(bodies, 1.0, where); };
  PartHeader header;
  auto snapshot = read_open(access, image.size(), where, check_count, header);
  if (header.files != 1) {
    refuse(where, "is one of several files of a snapshot", "", "read it by its path");
  }
  return checked_bodies(std::move(snapshot), where);
}

}  // namespace apsis::formats
