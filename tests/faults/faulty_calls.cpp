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
// The process can also be a server (APSIS_FAULT_SERVER, the number of a socket): main() is then
// run in a fork for every request. This saves the time of the loader for tens of thousands of
// runs. All calls go to the kernel directly, so that this works with any C library.
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdarg>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

namespace {

enum class Kind { none, kill, power, eio, enospc, full, cut_short, interrupt };

struct Plan {
  Kind kind = Kind::none;
  long call = 0;
  long byte = -1;
  long first_stop = -1, last_stop = -2;
  bool every_byte = false;
  char const* under = nullptr;
  char const* only = nullptr;
};

/// Counters in shared memory, which the server reads also after the process was killed.
struct Count {
  std::atomic<long> calls{0};
  std::atomic<long> bytes{0};
  std::atomic<long> places{0};  ///< places where a process can be stopped
  std::atomic<long> faults{0};
  std::atomic<long> file_faults{0};  ///< faults after which a file may be incomplete
};

Plan plan;
Count local_count;
Count* count = &local_count;

// State of files that count, by descriptor. A copy of the descriptor survives close() and rename().
constexpr int most_files = 1024;
enum Watch : unsigned char { ignored = 0, counted = 1, written_to = 2 };
Watch watched[most_files];
// Paths of open directories, for calls that name a file relative to a directory's descriptor.
constexpr std::size_t most_letters = 512;
char directories[most_files][most_letters];
std::atomic<int> files_written{0};
struct Written {
  int copy;
  int descriptor;
  long synced;  ///< bytes that survive a loss of power
} written[most_files];

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

char const* setting(char const* name) {
  char const* value = std::getenv(name);
  return value != nullptr && *value != '\0' ? value : nullptr;
}

bool equals(char const* a, char const* b) {
  return std::strcmp(a, b) == 0;
}

void read_plan() {
  plan = Plan{};
  plan.under = setting("APSIS_FAULT_UNDER");
  plan.only = setting("APSIS_FAULT_ONLY");
  if (auto const* call = setting("APSIS_FAULT_CALL")) plan.call = std::atol(call);
  if (auto const* byte = setting("APSIS_FAULT_BYTE")) plan.byte = std::atol(byte);
  if (auto const* stops = setting("APSIS_FAULT_STOPS")) {
    char* rest = nullptr;
    plan.first_stop = std::strtol(stops, &rest, 10);
    plan.last_stop = std::strtol(rest, nullptr, 10);
  }
  plan.every_byte = setting("APSIS_FAULT_EVERY") != nullptr;
  char const* kind = setting("APSIS_FAULT");
  if (kind == nullptr) return;
  plan.kind = equals(kind, "kill")     ? Kind::kill
              : equals(kind, "power")  ? Kind::power
              : equals(kind, "eio")    ? Kind::eio
              : equals(kind, "enospc") ? Kind::enospc
              : equals(kind, "full")   ? Kind::full
              : equals(kind, "short")  ? Kind::cut_short
              : equals(kind, "intr")   ? Kind::interrupt
                                       : Kind::none;
}

__attribute__((constructor)) void begin() {
  read_plan();
}

bool is_counted_file(char const* path) {
  if (plan.under == nullptr || path == nullptr) return false;
  std::size_t const length = std::strlen(plan.under);
  if (std::strncmp(path, plan.under, length) != 0) return false;
  if (path[length] != '/' && path[length] != '\0') return false;
  return plan.only == nullptr || std::strstr(path, plan.only) != nullptr;
}

/// Returns the path of a file that a call names relative to a directory's descriptor, in `buffer`
/// if needed, as the process spells it: paths below the directory are absolute.
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

/// Records the path of an open directory below APSIS_FAULT_UNDER, whether or not its files count.
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

[[noreturn]] void die() {
  ++count->faults;
  syscall(SYS_kill, getpid(), SIGKILL);
  for (;;) pause();
}

void discard_unsynced_bytes() {
  for (int i = 0; i < files_written; ++i) {
    struct stat now {};
    if (fstat(written[i].copy, &now) == 0 && now.st_size > written[i].synced) {
      syscall(SYS_ftruncate, written[i].copy, written[i].synced);
    }
  }
}

/// Whether a path names an entry of a directory.
bool is_in(char const* directory, char const* path) {
  std::size_t const length = std::strlen(directory);
  return std::strncmp(directory, path, length) == 0 && path[length] == '/' &&
         std::strchr(path + length + 1, '/') == nullptr;
}

void backup_name(int number, char* name) {
  std::strcpy(name, plan.under);
  std::strcat(name, ".kept/");
  auto* end = name + std::strlen(name);
  for (int digit = 3; digit-- > 0; number /= 10) end[digit] = static_cast<char>('0' + number % 10);
  end[3] = '\0';
}

/// Called before a rename: preserves the file that it will replace.
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

// Fate of a call.
enum class Verdict { pass, fail, half };
// Properties of calls: those that need disk space, transfer bytes, can be interrupted by a signal,
// or decide about the content of a file.
enum Property {
  other = 0,
  needs_space = 1,
  moves_bytes = 2,
  interruptible = 4,
  changes_content = 8
};

bool stops_at(long place) {
  return place >= plan.first_stop && place <= plan.last_stop;
}
/// Sent to this thread: a signal to the process could be delivered later, to another thread.
void stop() {
  syscall(SYS_tgkill, getpid(), syscall(SYS_gettid), SIGSTOP);
}

std::atomic_flag stopping = ATOMIC_FLAG_INIT;

/// Counts a place. If a stop is requested there, calls `prepare` and stops. One thread at a time:
/// one SIGCONT ends all stops, so a second thread that stops meanwhile would go unnoticed.
template <class Prepare>
void pass_place(Prepare const& prepare) {
  if (plan.first_stop < 0) {
    ++count->places;
    return;
  }
  while (stopping.test_and_set(std::memory_order_acquire)) syscall(SYS_sched_yield);
  if (stops_at(count->places++)) {
    prepare();
    stop();
  }
  stopping.clear(std::memory_order_release);
}

/// Counts a call and decides about its fault; sets errno if it fails.
Verdict judge_call(int properties) {
  pass_place([] {});
  long const call = ++count->calls;
  bool const is_this_call = plan.kind != Kind::none && call == plan.call;
  bool const is_after_call = plan.kind == Kind::full && plan.call > 0 && call >= plan.call;
  if (!is_this_call && !is_after_call) return Verdict::pass;
  int code = 0;
  switch (plan.kind) {
    case Kind::none:
      return Verdict::pass;
    case Kind::power:
      discard_unsynced_bytes();
      undo_renames();
      die();
    case Kind::kill:
      die();
    case Kind::eio:
      code = EIO;
      break;
    case Kind::enospc:
    case Kind::full:
      if ((properties & needs_space) == 0) return Verdict::pass;
      code = ENOSPC;
      break;
    case Kind::cut_short:
      if ((properties & moves_bytes) == 0) return Verdict::pass;
      ++count->faults;
      return Verdict::half;
    case Kind::interrupt:
      if ((properties & interruptible) == 0) return Verdict::pass;
      code = EINTR;
      break;
  }
  ++count->faults;
  if ((properties & changes_content) != 0 && code != EINTR) ++count->file_faults;
  errno = code;
  return Verdict::fail;
}

/// Properties of a call on an open file.
int properties_of(int descriptor) {
  return interruptible | (watched[descriptor] == written_to ? changes_content : other);
}

std::size_t half(std::size_t bytes) {
  return bytes > 1 ? bytes / 2 : bytes;
}

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
  if (directories[descriptor][0] != '\0') {
    for (int i = 0; i < renames; ++i) {
      if (is_in(directories[descriptor], renamed[i].destination)) renamed[i].synced = true;
    }
  }
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

namespace {

using Main = int (*)(int, char**, char**);
Main program_main;

constexpr std::size_t most_request = std::size_t{1} << 16;
char request[most_request];
constexpr int most_arguments = 64;
constexpr unsigned patience = 180;  ///< [s]; only a process that hangs takes longer

/// Receives a whole message; false at the end.
bool receive(int socket, void* destination, std::size_t bytes) {
  auto* offset = static_cast<char*>(destination);
  while (bytes > 0) {
    auto const got = syscall(SYS_read, socket, offset, bytes);
    if (got <= 0) return false;
    offset += got;
    bytes -= static_cast<std::size_t>(got);
  }
  return true;
}

void redirect(int descriptor, char const* path) {
  auto const file =
      static_cast<int>(syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_CREAT | O_TRUNC, 0666));
  dup2(file, descriptor);
  syscall(SYS_close, file);
}

/// Answer to a request.
struct Reply {
  long status;  ///< as returned by waitpid()
  long calls, bytes, places, faults, file_faults;
};

/// Runs a request, a list of zero-terminated strings: the working directory, files for standard
/// output and standard error, environment settings, an empty string, the words of the command line.
int run_request(std::size_t bytes, char** environment) {
  char* offset = request;
  auto const* end = request + bytes;
  auto const next = [&] {
    char* const string = offset;
    offset += std::strlen(offset) + 1;
    return string;
  };
  if (chdir(next()) != 0) _exit(126);
  redirect(STDOUT_FILENO, next());
  redirect(STDERR_FILENO, next());
  for (char* each = next(); *each != '\0'; each = next()) putenv(each);
  static char* arguments[most_arguments + 1];
  int number = 0;
  while (offset < end && number < most_arguments) arguments[number++] = next();
  read_plan();
  alarm(patience);  // a process that hangs is killed by SIGALRM
  return program_main(number, arguments, environment);
}

int serve(int argc, char** argv, char** environment) {
  char const* const server = setting("APSIS_FAULT_SERVER");
  if (server == nullptr) return program_main(argc, argv, environment);
  int const socket = std::atoi(server);
  count = static_cast<Count*>(
      mmap(nullptr, sizeof(Count), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
  pid_t child = -1;
  for (std::uint64_t bytes = 0; receive(socket, &bytes, sizeof(bytes));) {
    if (bytes > most_request || !receive(socket, request, bytes)) return 1;
    if (bytes == 0) {  // continue the stopped process
      kill(child, SIGCONT);
    } else {
      count->calls = count->bytes = count->places = count->faults = count->file_faults = 0;
      child = fork();
    }
    if (child == 0) {
      syscall(SYS_close, socket);
      return run_request(bytes, environment);
    }
    int status = 0;
    if (child < 0 || waitpid(child, &status, WUNTRACED) != child) return 1;
    Reply const reply{status,        count->calls,  count->bytes,
                      count->places, count->faults, count->file_faults};
    if (syscall(SYS_write, socket, &reply, sizeof(reply)) != sizeof(reply)) return 1;
  }
  return 0;
}

}  // namespace

extern "C" int __libc_start_main(Main main, int argc, char** argv, void (*init)(), void (*fini)(),
                                 void (*loader_fini)(), void* stack_end) {
  using Start = int (*)(Main, int, char**, void (*)(), void (*)(), void (*)(), void*);
  auto const start = reinterpret_cast<Start>(dlsym(RTLD_NEXT, "__libc_start_main"));
  program_main = main;
  return start(serve, argc, argv, init, fini, loader_fini, stack_end);
}
