// SPDX-License-Identifier: Apache-2.0
// Injects faults into system calls of a process that loads this library with LD_PRELOAD.
//
// Only calls on files below a directory count: open, read, write, fsync, rename and so on, in the
// order in which they are made. Environment variables select the fault:
//
//     APSIS_FAULT_UNDER   the directory, as the process spells it; without it there is no fault
//     APSIS_FAULT_ONLY    only files with this text in their path count
//     APSIS_FAULT_CALL    number of the call with the fault, counted from 1
//     APSIS_FAULT         kill    the process is killed before the call
//                         power   as kill, and all data without fsync is lost: written bytes, and
//                                 renames in unsynced directories. A disk may keep the
//                                 newest rename and lose older ones; this happens at every other
//                                 call
//                         eio     the call fails with EIO and does nothing
//                         enospc  as eio with ENOSPC, if the call needs space
//                         full    from this call on all calls that need space fail
//                         short   a write or a read transfers only half of the requested bytes
//                         intr    the call fails with EINTR and does nothing (close does close)
//     APSIS_FAULT_BYTE    the process is killed when it has written that many bytes
//     APSIS_FAULT_STOPS   "first last": the process is stopped (SIGSTOP) at these places, counted
//                         from 0: before each call, and within each write after the first byte,
//                         half-way, at one other byte and before the last byte
//     APSIS_FAULT_EVERY   places are all bytes of a write, one in 97 of a long one
//
// All calls go to the kernel directly, so that this works with any C library.
#include "counted_files.hpp"
#include "fault_plan.hpp"
#include "power_loss.hpp"

#include <cerrno>
#include <cstdarg>
#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/uio.h>

using namespace apsis::faults;

namespace {

/// Properties of a call on an open file.
int properties_of(int descriptor) {
  return interruptible | (watched[descriptor] == written_to ? changes_content : other);
}

std::size_t half(std::size_t bytes) {
  return bytes > 1 ? bytes / 2 : bytes;
}

int open_at(int where, char const* path, int flags, mode_t mode) {
  char buffer[most_letters];
  auto const* const full_path = path_at(where, path, buffer);
  bool const is_counted = is_counted_file(full_path);
  int const properties = interruptible | ((flags & O_CREAT) != 0 ? needs_space : other);
  if (is_counted && judge_call(properties) == Verdict::fail) return -1;
  auto const descriptor = static_cast<int>(syscall(SYS_openat, where, path, flags, mode));
  record_directory(descriptor, full_path, flags);
  if (descriptor >= 0 && descriptor < most_files) {
    watched[descriptor] = is_counted ? counted : ignored;
    if (is_counted && (flags & O_ACCMODE) != O_RDONLY) record_written(descriptor, flags);
  }
  return descriptor;
}

mode_t mode_of(int flags, va_list arguments) {
  return (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(arguments, mode_t) : 0;
}

/// Whether a process can be stopped before this byte of a write. The remains of a partial write
/// differ in kind: nothing is written, all but the last byte is, or a line of text ends anywhere
/// within the line.
bool is_place(long byte, long bytes) {
  bool const somewhere = byte == (bytes * 5 + 3) / 7;
  if (byte == 0) return false;  // before the call
  if (plan.every_byte && (bytes < 4096 || byte % 97 == 0)) return true;
  return byte == 1 || byte == bytes / 2 || byte == bytes - 1 || somewhere;
}

/// Writes with any call; `put(first, bytes)` writes a part.
template <class Put>
ssize_t write_some(int descriptor, std::size_t bytes, Put const& put) {
  if (!is_counted_file(descriptor)) return put(0, bytes);
  watched[descriptor] = written_to;
  auto const verdict = judge_call(needs_space | moves_bytes | properties_of(descriptor));
  if (verdict == Verdict::fail) return -1;
  if (verdict == Verdict::half) bytes = half(bytes);
  auto const requested_bytes = static_cast<long>(bytes);
  long const before = count->bytes.fetch_add(requested_bytes);
  if (plan.byte >= before && plan.byte < before + requested_bytes) {
    if (plan.byte > before) put(0, static_cast<std::size_t>(plan.byte - before));
    die();
  }
  long written_bytes = 0;
  for (long byte = 0; byte < requested_bytes; ++byte) {
    if (!is_place(byte, requested_bytes)) continue;
    bool put_short = false;
    pass_place([&] {
      auto const some = static_cast<std::size_t>(byte - written_bytes);
      put_short =
          some > 0 && put(static_cast<std::size_t>(written_bytes), some) != byte - written_bytes;
      written_bytes = byte;
    });
    if (put_short) return -1;
  }
  auto const put_last =
      put(static_cast<std::size_t>(written_bytes), bytes - static_cast<std::size_t>(written_bytes));
  return put_last < 0 ? put_last : written_bytes + put_last;
}

template <class Get>
ssize_t read_some(int descriptor, std::size_t bytes, Get const& get) {
  if (!is_counted_file(descriptor)) return get(bytes);
  auto const verdict = judge_call(moves_bytes | interruptible);
  if (verdict == Verdict::fail) return -1;
  return get(verdict == Verdict::half ? half(bytes) : bytes);
}

ssize_t write_at(int descriptor, void const* source, std::size_t bytes, off64_t offset) {
  auto const* bytes_begin = static_cast<char const*>(source);
  return write_some(descriptor, bytes, [&](std::size_t first, std::size_t some) {
    return static_cast<ssize_t>(syscall(SYS_pwrite64, descriptor, bytes_begin + first, some,
                                        offset + static_cast<off64_t>(first)));
  });
}

ssize_t read_at(int descriptor, void* destination, std::size_t bytes, off64_t offset) {
  return read_some(descriptor, bytes, [&](std::size_t some) {
    return static_cast<ssize_t>(syscall(SYS_pread64, descriptor, destination, some, offset));
  });
}

int cut(int descriptor, off64_t bytes) {
  if (is_counted_file(descriptor)) {
    if (judge_call(properties_of(descriptor)) == Verdict::fail) return -1;
    auto* file = find_written(descriptor);
    if (file != nullptr && file->synced > bytes) file->synced = bytes;
  }
  return static_cast<int>(syscall(SYS_ftruncate, descriptor, bytes));
}

}  // namespace

#pragma GCC visibility push(default)

extern "C" {

// Signatures of the C library. Functions also have the names used by programs compiled for large
// files.
int open(char const* path, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  mode_t const mode = mode_of(flags, arguments);
  va_end(arguments);
  return open_at(AT_FDCWD, path, flags, mode);
}
int open64(char const* path, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  mode_t const mode = mode_of(flags, arguments);
  va_end(arguments);
  return open_at(AT_FDCWD, path, flags, mode);
}

int openat(int where, char const* path, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  mode_t const mode = mode_of(flags, arguments);
  va_end(arguments);
  return open_at(where, path, flags, mode);
}
int openat64(int where, char const* path, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  mode_t const mode = mode_of(flags, arguments);
  va_end(arguments);
  return open_at(where, path, flags, mode);
}

int creat(char const* path, mode_t mode) {
  return open_at(AT_FDCWD, path, O_CREAT | O_WRONLY | O_TRUNC, mode);
}
int creat64(char const* path, mode_t mode) {
  return open_at(AT_FDCWD, path, O_CREAT | O_WRONLY | O_TRUNC, mode);
}

ssize_t write(int descriptor, void const* source, std::size_t bytes) {
  auto const* bytes_begin = static_cast<char const*>(source);
  return write_some(descriptor, bytes, [&](std::size_t first, std::size_t some) {
    return static_cast<ssize_t>(syscall(SYS_write, descriptor, bytes_begin + first, some));
  });
}

ssize_t pwrite(int descriptor, void const* source, std::size_t bytes, off_t offset) {
  return write_at(descriptor, source, bytes, offset);
}
ssize_t pwrite64(int descriptor, void const* source, std::size_t bytes, off64_t offset) {
  return write_at(descriptor, source, bytes, offset);
}

ssize_t writev(int descriptor, iovec const* parts, int number) {
  if (!is_counted_file(descriptor)) return syscall(SYS_writev, descriptor, parts, number);
  // Callers must not rely on more than the first part being written.
  for (int i = 0; i + 1 < number && parts[0].iov_len == 0; ++i) ++parts;
  return write(descriptor, parts[0].iov_base, parts[0].iov_len);
}

ssize_t read(int descriptor, void* destination, std::size_t bytes) {
  return read_some(descriptor, bytes, [&](std::size_t some) {
    return static_cast<ssize_t>(syscall(SYS_read, descriptor, destination, some));
  });
}

ssize_t pread(int descriptor, void* destination, std::size_t bytes, off_t offset) {
  return read_at(descriptor, destination, bytes, offset);
}
ssize_t pread64(int descriptor, void* destination, std::size_t bytes, off64_t offset) {
  return read_at(descriptor, destination, bytes, offset);
}

// The machine of the tests loses no power, so the disk itself is not synced.
int fsync(int descriptor) {
  if (!is_counted_file(descriptor)) return static_cast<int>(syscall(SYS_fsync, descriptor));
  if (judge_call(properties_of(descriptor)) == Verdict::fail) return -1;
  if (directories[descriptor][0] != '\0') record_synced(directories[descriptor]);
  struct stat now {};
  if (auto* file = find_written(descriptor)) {
    if (fstat(descriptor, &now) == 0) file->synced = static_cast<long>(now.st_size);
  }
  return 0;
}
int fdatasync(int descriptor) {
  return fsync(descriptor);
}

int ftruncate(int descriptor, off_t bytes) noexcept {
  return cut(descriptor, bytes);
}
int ftruncate64(int descriptor, off64_t bytes) noexcept {
  return cut(descriptor, bytes);
}

int close(int descriptor) {
  bool const is_counted = is_counted_file(descriptor);
  auto const verdict = is_counted ? judge_call(properties_of(descriptor)) : Verdict::pass;
  int const code = errno;
  if (descriptor >= 0 && descriptor < most_files) {
    watched[descriptor] = ignored;
    directories[descriptor][0] = '\0';
  }
  if (auto* file = find_written(descriptor)) file->descriptor = -1;
  auto const status = static_cast<int>(syscall(SYS_close, descriptor));
  if (verdict != Verdict::fail) return status;
  errno = code;
  return -1;
}

#pragma GCC diagnostic ignored "-Wshadow"  // there is also a struct flock
int flock(int descriptor, int operation) noexcept {
  if (is_counted_file(descriptor) && judge_call(interruptible) == Verdict::fail) return -1;
  return static_cast<int>(syscall(SYS_flock, descriptor, operation));
}

// From here on the C library owns the descriptor, and closes it without these functions.
DIR* fdopendir(int descriptor) {
  if (is_counted_file(descriptor)) watched[descriptor] = ignored;
  if (descriptor >= 0 && descriptor < most_files) directories[descriptor][0] = '\0';
  using Call = DIR* (*)(int);
  static auto const call = reinterpret_cast<Call>(dlsym(RTLD_NEXT, "fdopendir"));
  return call(descriptor);
}

int renameat(int from_where, char const* source, int to_where, char const* destination) noexcept {
  char from_buffer[most_letters], to_buffer[most_letters];
  auto const* const whole_from = path_at(from_where, source, from_buffer);
  auto const* const whole_to = path_at(to_where, destination, to_buffer);
  if (is_counted_file(whole_from) || is_counted_file(whole_to)) {
    if (judge_call(needs_space | changes_content) == Verdict::fail) return -1;
    record_rename(whole_from, whole_to);
  }
  return static_cast<int>(syscall(SYS_renameat2, from_where, source, to_where, destination, 0));
}
int rename(char const* source, char const* destination) noexcept {
  return renameat(AT_FDCWD, source, AT_FDCWD, destination);
}

int linkat(int from_where, char const* source, int to_where, char const* destination,
           int flags) noexcept {
  char buffer[most_letters];
  bool const is_counted = is_counted_file(path_at(to_where, destination, buffer));
  if (is_counted && judge_call(needs_space | changes_content) == Verdict::fail) return -1;
  return static_cast<int>(syscall(SYS_linkat, from_where, source, to_where, destination, flags));
}

int unlinkat(int where, char const* path, int flags) noexcept {
  char buffer[most_letters];
  if (is_counted_file(path_at(where, path, buffer)) && judge_call(other) == Verdict::fail)
    return -1;
  return static_cast<int>(syscall(SYS_unlinkat, where, path, flags));
}
int unlink(char const* path) noexcept {
  return unlinkat(AT_FDCWD, path, 0);
}
int rmdir(char const* path) noexcept {
  return unlinkat(AT_FDCWD, path, AT_REMOVEDIR);
}
int remove(char const* path) noexcept {
  if (is_counted_file(path) && judge_call(other) == Verdict::fail) return -1;
  if (syscall(SYS_unlinkat, AT_FDCWD, path, 0) == 0) return 0;
  if (errno != EISDIR) return -1;
  return static_cast<int>(syscall(SYS_unlinkat, AT_FDCWD, path, AT_REMOVEDIR));
}

int mkdirat(int where, char const* path, mode_t mode) noexcept {
  char buffer[most_letters];
  if (is_counted_file(path_at(where, path, buffer)) && judge_call(needs_space) == Verdict::fail)
    return -1;
  return static_cast<int>(syscall(SYS_mkdirat, where, path, mode));
}
int mkdir(char const* path, mode_t mode) noexcept {
  return mkdirat(AT_FDCWD, path, mode);
}

}  // extern "C"

#pragma GCC visibility pop
