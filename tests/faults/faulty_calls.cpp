// SPDX-License-Identifier: Apache-2.0
// Makes calls to the system fail in a process that it is loaded into with LD_PRELOAD.
//
// Only calls about files under a directory count: open, read, write, fsync, rename and so on, in
// the order in which they are made. The environment says what happens:
//
//     APSIS_FAULT_UNDER   the directory, as the process spells it; without it nothing happens
//     APSIS_FAULT_ONLY    only files with this in their path count
//     APSIS_FAULT_CALL    at this call, the first is 1, ...
//     APSIS_FAULT         kill    the process is gone before it
//                         power   the same, and what was not fsynced is lost: written bytes, and
//                                 renames whose directory was not. A disk may keep the newest of
//                                 them and lose older ones, which it does at every other call
//                         eio     it fails with EIO and does nothing
//                         enospc  so does this with ENOSPC, if it is one that needs space
//                         full    from there on all fail that need space
//                         short   a write or a read does only half of what it was asked for
//                         intr    it fails with EINTR and does nothing (close does what it should)
//     APSIS_FAULT_BYTE    the process is gone when it has written that many bytes
//     APSIS_FAULT_STOPS   "first last": it is stopped (SIGSTOP) at these places, the first is 0:
//                         before each call and in each write after the first byte, half-way,
//                         somewhere else and before the last byte
//     APSIS_FAULT_EVERY   places are all bytes of a write, one in 97 of a long one
//
// The process can also be a server (APSIS_FAULT_SERVER, the number of a socket): then main() is run
// in a fork for every request. That saves the time of the loader, and there are tens of thousands
// of runs. Everything is asked of the kernel directly, so that this works with any C library.
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

/// What a server tells of a process that may have been killed.
struct Count {
  std::atomic<long> calls{0};
  std::atomic<long> bytes{0};
  std::atomic<long> places{0};  ///< where a process can be stopped
  std::atomic<long> faults{0};
  std::atomic<long> grave{0};  ///< of them, those after which something may be missing in a file
};

Plan plan;
Count own_count;
Count* count = &own_count;

// Files that count, by descriptor. The copy of a descriptor outlives close() and rename().
constexpr int most_files = 1024;
enum Watch : unsigned char { ignored = 0, counted = 1, written_to = 2 };
Watch watched[most_files];
// Directories that are open, for calls that name a file by its directory's descriptor.
constexpr std::size_t most_letters = 512;
char directories[most_files][most_letters];
std::atomic<int> files_written{0};
struct Written {
  int copy;
  int descriptor;
  long synced;  ///< bytes that a loss of power leaves
} written[most_files];

/// Renames in their order, and what they replaced. Older files are kept by a second name in
/// APSIS_FAULT_UNDER + ".kept".
struct Renamed {
  char from[most_letters];
  char to[most_letters];
  bool replaced;
  bool synced;  ///< the directory was, since
};
constexpr int most_renames = 512;
Renamed renamed[most_renames];
std::atomic<int> renames{0};

char const* setting(char const* name) {
  char const* value = std::getenv(name);
  return value != nullptr && *value != '\0' ? value : nullptr;
}

bool is(char const* a, char const* b) {
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
  plan.kind = is(kind, "kill")     ? Kind::kill
              : is(kind, "power")  ? Kind::power
              : is(kind, "eio")    ? Kind::eio
              : is(kind, "enospc") ? Kind::enospc
              : is(kind, "full")   ? Kind::full
              : is(kind, "short")  ? Kind::cut_short
              : is(kind, "intr")   ? Kind::interrupt
                                   : Kind::none;
}

__attribute__((constructor)) void begin() {
  read_plan();
}

bool counts(char const* path) {
  if (plan.under == nullptr || path == nullptr) return false;
  std::size_t const length = std::strlen(plan.under);
  if (std::strncmp(path, plan.under, length) != 0) return false;
  if (path[length] != '/' && path[length] != '\0') return false;
  return plan.only == nullptr || std::strstr(path, plan.only) != nullptr;
}

/// The path of a file that a call names by a directory's descriptor, in `buffer` if need be. As the
/// process spells it: paths below the directory that matters are absolute.
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

/// Remembers the path of a directory that is below the one that matters, whatever its files are.
void remember_directory(int descriptor, char const* path, int flags) {
  if (descriptor < 0 || descriptor >= most_files) return;
  directories[descriptor][0] = '\0';
  if ((flags & O_DIRECTORY) == 0 || plan.under == nullptr || std::strlen(path) >= most_letters) {
    return;
  }
  if (std::strncmp(path, plan.under, std::strlen(plan.under)) == 0) {
    std::strcpy(directories[descriptor], path);
  }
}

bool counts(int descriptor) {
  return descriptor >= 0 && descriptor < most_files && watched[descriptor] != ignored;
}

[[noreturn]] void die() {
  ++count->faults;
  syscall(SYS_kill, getpid(), SIGKILL);
  for (;;) pause();
}

void lose_what_is_not_on_the_disk() {
  for (int i = 0; i < files_written; ++i) {
    struct stat now {};
    if (fstat(written[i].copy, &now) == 0 && now.st_size > written[i].synced) {
      syscall(SYS_ftruncate, written[i].copy, written[i].synced);
    }
  }
}

/// Whether a path is that of an entry of a directory.
bool is_in(char const* directory, char const* path) {
  std::size_t const length = std::strlen(directory);
  return std::strncmp(directory, path, length) == 0 && path[length] == '/' &&
         std::strchr(path + length + 1, '/') == nullptr;
}

void kept_name(int number, char* name) {
  std::strcpy(name, plan.under);
  std::strcat(name, ".kept/");
  auto* end = name + std::strlen(name);
  for (int digit = 3; digit-- > 0; number /= 10) end[digit] = static_cast<char>('0' + number % 10);
  end[3] = '\0';
}

/// Before a rename: keeps what it will replace.
void remember_rename(char const* from, char const* to) {
  bool const fits = renames < most_renames && std::strlen(from) < most_letters &&
                    std::strlen(to) < most_letters && std::strlen(plan.under) + 16 < most_letters;
  if (plan.kind != Kind::power || !fits) return;
  auto& entry = renamed[renames];
  std::strcpy(entry.from, from);
  std::strcpy(entry.to, to);
  entry.synced = false;
  char name[most_letters];
  kept_name(renames, name);
  *std::strrchr(name, '/') = '\0';
  syscall(SYS_mkdirat, AT_FDCWD, name, 0777);
  kept_name(renames, name);
  syscall(SYS_unlinkat, AT_FDCWD, name, 0);
  entry.replaced = syscall(SYS_linkat, AT_FDCWD, to, AT_FDCWD, name, 0) == 0;
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
    syscall(SYS_renameat2, AT_FDCWD, entry.to, AT_FDCWD, entry.from, 0);
    if (!entry.replaced) continue;
    char name[most_letters];
    kept_name(i, name);
    syscall(SYS_renameat2, AT_FDCWD, name, AT_FDCWD, entry.to, 0);
  }
}

// What a call is told to do instead of what it should.
enum class Verdict { pass, fail, half };
// What kinds of calls there are: those that need space on the disk, those that move bytes, those
// that a signal can interrupt, those on whose success the content of a file depends, and the rest.
enum Nature { other = 0, needs_space = 1, moves_bytes = 2, interruptible = 4, matters = 8 };

bool stops_at(long place) {
  return place >= plan.first_stop && place <= plan.last_stop;
}
/// To this thread: a signal that is sent to the process comes when another of its threads likes.
void stop() {
  syscall(SYS_tgkill, getpid(), syscall(SYS_gettid), SIGSTOP);
}

std::atomic_flag stopping = ATOMIC_FLAG_INIT;

/// Counts a place. If a stop is asked for there, calls `prepare` and stops. One thread at a time: a
/// second thread that stopped meanwhile would not be seen, since one SIGCONT ends both stops.
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

/// Counts a call that counts, and sets errno if it fails.
Verdict judged(int nature) {
  pass_place([] {});
  long const call = ++count->calls;
  bool const here = plan.kind != Kind::none && call == plan.call;
  bool const from_here = plan.kind == Kind::full && plan.call > 0 && call >= plan.call;
  if (!here && !from_here) return Verdict::pass;
  int code = 0;
  switch (plan.kind) {
    case Kind::none:
      return Verdict::pass;
    case Kind::power:
      lose_what_is_not_on_the_disk();
      undo_renames();
      die();
    case Kind::kill:
      die();
    case Kind::eio:
      code = EIO;
      break;
    case Kind::enospc:
    case Kind::full:
      if ((nature & needs_space) == 0) return Verdict::pass;
      code = ENOSPC;
      break;
    case Kind::cut_short:
      if ((nature & moves_bytes) == 0) return Verdict::pass;
      ++count->faults;
      return Verdict::half;
    case Kind::interrupt:
      if ((nature & interruptible) == 0) return Verdict::pass;
      code = EINTR;
      break;
  }
  ++count->faults;
  if ((nature & matters) != 0 && code != EINTR) ++count->grave;
  errno = code;
  return Verdict::fail;
}

/// Of a call for a file that is open.
int nature_of(int descriptor) {
  return interruptible | (watched[descriptor] == written_to ? matters : other);
}

std::size_t half(std::size_t bytes) {
  return bytes > 1 ? bytes / 2 : bytes;
}

void remember_written(int descriptor, int flags) {
  if (plan.kind != Kind::power || files_written >= most_files) return;
  struct stat now {};
  fstat(descriptor, &now);
  auto const copy = static_cast<int>(syscall(SYS_fcntl, descriptor, F_DUPFD_CLOEXEC, 512));
  bool const emptied = (flags & O_TRUNC) != 0;
  written[files_written++] = {copy, descriptor, emptied ? 0 : static_cast<long>(now.st_size)};
}

Written* of(int descriptor) {
  for (int i = files_written; i-- > 0;) {
    if (written[i].descriptor == descriptor) return &written[i];
  }
  return nullptr;
}

int open_at(int where, char const* path, int flags, mode_t mode) {
  char buffer[most_letters];
  auto const* const whole = path_at(where, path, buffer);
  bool const ours = counts(whole);
  int const nature = interruptible | ((flags & O_CREAT) != 0 ? needs_space : other);
  if (ours && judged(nature) == Verdict::fail) return -1;
  auto const descriptor = static_cast<int>(syscall(SYS_openat, where, path, flags, mode));
  remember_directory(descriptor, whole, flags);
  if (descriptor >= 0 && descriptor < most_files) {
    watched[descriptor] = ours ? counted : ignored;
    if (ours && (flags & O_ACCMODE) != O_RDONLY) remember_written(descriptor, flags);
  }
  return descriptor;
}

mode_t mode_of(int flags, va_list arguments) {
  return (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(arguments, mode_t) : 0;
}

/// Whether a process can be stopped before this byte of a write. What a write that is cut short
/// leaves depends on whether anything of it is there, whether all but its end is, and, for a line
/// of text, on where in the line it ends.
bool is_place(long byte, long bytes) {
  bool const somewhere = byte == (bytes * 5 + 3) / 7;
  if (byte == 0) return false;  // that is before the call
  if (plan.every_byte && (bytes < 4096 || byte % 97 == 0)) return true;
  return byte == 1 || byte == bytes / 2 || byte == bytes - 1 || somewhere;
}

/// One write of any kind; `put(from, bytes)` does a part of it.
template <class Put>
ssize_t write_some(int descriptor, std::size_t bytes, Put const& put) {
  if (!counts(descriptor)) return put(0, bytes);
  watched[descriptor] = written_to;
  auto const verdict = judged(needs_space | moves_bytes | nature_of(descriptor));
  if (verdict == Verdict::fail) return -1;
  if (verdict == Verdict::half) bytes = half(bytes);
  auto const asked = static_cast<long>(bytes);
  long const before = count->bytes.fetch_add(asked);
  if (plan.byte >= before && plan.byte < before + asked) {
    if (plan.byte > before) put(0, static_cast<std::size_t>(plan.byte - before));
    die();
  }
  long done = 0;
  for (long byte = 0; byte < asked; ++byte) {
    if (!is_place(byte, asked)) continue;
    bool put_short = false;
    pass_place([&] {
      auto const some = static_cast<std::size_t>(byte - done);
      put_short = some > 0 && put(static_cast<std::size_t>(done), some) != byte - done;
      done = byte;
    });
    if (put_short) return -1;
  }
  auto const put_last = put(static_cast<std::size_t>(done), bytes - static_cast<std::size_t>(done));
  return put_last < 0 ? put_last : done + put_last;
}

template <class Get>
ssize_t read_some(int descriptor, std::size_t bytes, Get const& get) {
  if (!counts(descriptor)) return get(bytes);
  auto const verdict = judged(moves_bytes | interruptible);
  if (verdict == Verdict::fail) return -1;
  return get(verdict == Verdict::half ? half(bytes) : bytes);
}

ssize_t write_at(int descriptor, void const* from, std::size_t bytes, off64_t at) {
  auto const* all = static_cast<char const*>(from);
  return write_some(descriptor, bytes, [&](std::size_t first, std::size_t some) {
    return static_cast<ssize_t>(
        syscall(SYS_pwrite64, descriptor, all + first, some, at + static_cast<off64_t>(first)));
  });
}

ssize_t read_at(int descriptor, void* to, std::size_t bytes, off64_t at) {
  return read_some(descriptor, bytes, [&](std::size_t some) {
    return static_cast<ssize_t>(syscall(SYS_pread64, descriptor, to, some, at));
  });
}

int cut(int descriptor, off64_t bytes) {
  if (counts(descriptor)) {
    if (judged(nature_of(descriptor)) == Verdict::fail) return -1;
    auto* file = of(descriptor);
    if (file != nullptr && file->synced > bytes) file->synced = bytes;
  }
  return static_cast<int>(syscall(SYS_ftruncate, descriptor, bytes));
}

}  // namespace

extern "C" {

// The order and the types of the C library; each with the name that programs call it by that were
// compiled for large files.
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

ssize_t write(int descriptor, void const* from, std::size_t bytes) {
  auto const* all = static_cast<char const*>(from);
  return write_some(descriptor, bytes, [&](std::size_t first, std::size_t some) {
    return static_cast<ssize_t>(syscall(SYS_write, descriptor, all + first, some));
  });
}

ssize_t pwrite(int descriptor, void const* from, std::size_t bytes, off_t at) {
  return write_at(descriptor, from, bytes, at);
}
ssize_t pwrite64(int descriptor, void const* from, std::size_t bytes, off64_t at) {
  return write_at(descriptor, from, bytes, at);
}

ssize_t writev(int descriptor, iovec const* parts, int number) {
  if (!counts(descriptor)) return syscall(SYS_writev, descriptor, parts, number);
  // Nobody may rely on more than the first part being written.
  for (int i = 0; i + 1 < number && parts[0].iov_len == 0; ++i) ++parts;
  return write(descriptor, parts[0].iov_base, parts[0].iov_len);
}

ssize_t read(int descriptor, void* to, std::size_t bytes) {
  return read_some(descriptor, bytes, [&](std::size_t some) {
    return static_cast<ssize_t>(syscall(SYS_read, descriptor, to, some));
  });
}

ssize_t pread(int descriptor, void* to, std::size_t bytes, off_t at) {
  return read_at(descriptor, to, bytes, at);
}
ssize_t pread64(int descriptor, void* to, std::size_t bytes, off64_t at) {
  return read_at(descriptor, to, bytes, at);
}

// What the tests run on loses no power: the disk itself is never waited for.
int fsync(int descriptor) {
  if (!counts(descriptor)) return static_cast<int>(syscall(SYS_fsync, descriptor));
  if (judged(nature_of(descriptor)) == Verdict::fail) return -1;
  if (directories[descriptor][0] != '\0') {
    for (int i = 0; i < renames; ++i) {
      if (is_in(directories[descriptor], renamed[i].to)) renamed[i].synced = true;
    }
  }
  struct stat now {};
  if (auto* file = of(descriptor)) {
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
  bool const ours = counts(descriptor);
  auto const verdict = ours ? judged(nature_of(descriptor)) : Verdict::pass;
  int const code = errno;
  if (descriptor >= 0 && descriptor < most_files) {
    watched[descriptor] = ignored;
    directories[descriptor][0] = '\0';
  }
  if (auto* file = of(descriptor)) file->descriptor = -1;
  auto const status = static_cast<int>(syscall(SYS_close, descriptor));
  if (verdict != Verdict::fail) return status;
  errno = code;
  return -1;
}

#pragma GCC diagnostic ignored "-Wshadow"  // there is a struct flock as well
int flock(int descriptor, int operation) noexcept {
  if (counts(descriptor) && judged(interruptible) == Verdict::fail) return -1;
  return static_cast<int>(syscall(SYS_flock, descriptor, operation));
}

// From here on the C library has the descriptor, and closes it without our knowing.
DIR* fdopendir(int descriptor) {
  if (counts(descriptor)) watched[descriptor] = ignored;
  if (descriptor >= 0 && descriptor < most_files) directories[descriptor][0] = '\0';
  using Call = DIR* (*)(int);
  static auto const call = reinterpret_cast<Call>(dlsym(RTLD_NEXT, "fdopendir"));
  return call(descriptor);
}

int renameat(int from_where, char const* from, int to_where, char const* to) noexcept {
  char from_buffer[most_letters], to_buffer[most_letters];
  auto const* const whole_from = path_at(from_where, from, from_buffer);
  auto const* const whole_to = path_at(to_where, to, to_buffer);
  if (counts(whole_from) || counts(whole_to)) {
    if (judged(needs_space | matters) == Verdict::fail) return -1;
    remember_rename(whole_from, whole_to);
  }
  return static_cast<int>(syscall(SYS_renameat2, from_where, from, to_where, to, 0));
}
int rename(char const* from, char const* to) noexcept {
  return renameat(AT_FDCWD, from, AT_FDCWD, to);
}

int linkat(int from_where, char const* from, int to_where, char const* to, int flags) noexcept {
  char buffer[most_letters];
  bool const ours = counts(path_at(to_where, to, buffer));
  if (ours && judged(needs_space | matters) == Verdict::fail) return -1;
  return static_cast<int>(syscall(SYS_linkat, from_where, from, to_where, to, flags));
}

int unlinkat(int where, char const* path, int flags) noexcept {
  char buffer[most_letters];
  if (counts(path_at(where, path, buffer)) && judged(other) == Verdict::fail) return -1;
  return static_cast<int>(syscall(SYS_unlinkat, where, path, flags));
}
int unlink(char const* path) noexcept {
  return unlinkat(AT_FDCWD, path, 0);
}
int rmdir(char const* path) noexcept {
  return unlinkat(AT_FDCWD, path, AT_REMOVEDIR);
}
int remove(char const* path) noexcept {
  if (counts(path) && judged(other) == Verdict::fail) return -1;
  if (syscall(SYS_unlinkat, AT_FDCWD, path, 0) == 0) return 0;
  if (errno != EISDIR) return -1;
  return static_cast<int>(syscall(SYS_unlinkat, AT_FDCWD, path, AT_REMOVEDIR));
}

int mkdirat(int where, char const* path, mode_t mode) noexcept {
  char buffer[most_letters];
  if (counts(path_at(where, path, buffer)) && judged(needs_space) == Verdict::fail) return -1;
  return static_cast<int>(syscall(SYS_mkdirat, where, path, mode));
}
int mkdir(char const* path, mode_t mode) noexcept {
  return mkdirat(AT_FDCWD, path, mode);
}

}  // extern "C"

namespace {

using Main = int (*)(int, char**, char**);
Main own_main;

constexpr std::size_t most_request = std::size_t{1} << 16;
char request[most_request];
constexpr int most_arguments = 64;
constexpr unsigned patience = 180;  ///< [s], which only a process that hangs exceeds

/// The whole of a message, or false at the end.
bool receive(int socket, void* to, std::size_t bytes) {
  auto* at = static_cast<char*>(to);
  while (bytes > 0) {
    auto const got = syscall(SYS_read, socket, at, bytes);
    if (got <= 0) return false;
    at += got;
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

/// What a request is answered with.
struct Reply {
  long status;  ///< as waitpid() gives it
  long calls, bytes, places, faults, grave;
};

/// A request is strings, each with its zero: the directory to work in, files for what is printed
/// and for errors, settings of the environment, an empty one, the words of the command line.
int run_request(std::size_t bytes, char** environment) {
  char* at = request;
  auto const* end = request + bytes;
  auto const next = [&] {
    char* const string = at;
    at += std::strlen(at) + 1;
    return string;
  };
  if (chdir(next()) != 0) _exit(126);
  redirect(STDOUT_FILENO, next());
  redirect(STDERR_FILENO, next());
  for (char* each = next(); *each != '\0'; each = next()) putenv(each);
  static char* arguments[most_arguments + 1];
  int number = 0;
  while (at < end && number < most_arguments) arguments[number++] = next();
  read_plan();
  alarm(patience);  // one that hangs is killed by SIGALRM
  return own_main(number, arguments, environment);
}

int serve(int argc, char** argv, char** environment) {
  char const* const server = setting("APSIS_FAULT_SERVER");
  if (server == nullptr) return own_main(argc, argv, environment);
  int const socket = std::atoi(server);
  count = static_cast<Count*>(
      mmap(nullptr, sizeof(Count), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
  pid_t child = -1;
  for (std::uint64_t bytes = 0; receive(socket, &bytes, sizeof(bytes));) {
    if (bytes > most_request || !receive(socket, request, bytes)) return 1;
    if (bytes == 0) {  // the one that was stopped goes on
      kill(child, SIGCONT);
    } else {
      count->calls = count->bytes = count->places = count->faults = count->grave = 0;
      child = fork();
    }
    if (child == 0) {
      syscall(SYS_close, socket);
      return run_request(bytes, environment);
    }
    int status = 0;
    if (child < 0 || waitpid(child, &status, WUNTRACED) != child) return 1;
    Reply const reply{status,        count->calls,  count->bytes,
                      count->places, count->faults, count->grave};
    if (syscall(SYS_write, socket, &reply, sizeof(reply)) != sizeof(reply)) return 1;
  }
  return 0;
}

}  // namespace

extern "C" int __libc_start_main(Main main, int argc, char** argv, void (*init)(), void (*fini)(),
                                 void (*loader_fini)(), void* stack_end) {
  using Start = int (*)(Main, int, char**, void (*)(), void (*)(), void (*)(), void*);
  auto const start = reinterpret_cast<Start>(dlsym(RTLD_NEXT, "__libc_start_main"));
  own_main = main;
  return start(serve, argc, argv, init, fini, loader_fini, stack_end);
}
