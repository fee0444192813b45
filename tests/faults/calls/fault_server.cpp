// SPDX-License-Identifier: Apache-2.0
#include "fault_plan.hpp"

#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/wait.h>

// The process as a server (APSIS_FAULT_SERVER, the number of a socket): main() is run in a fork for
// every request. This saves the time of the loader for tens of thousands of runs.
using namespace apsis::faults;

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

extern "C" [[gnu::visibility("default")]] int __libc_start_main(Main main, int argc, char** argv,
                                                                void (*init)(), void (*fini)(),
                                                                void (*loader_fini)(),
                                                                void* stack_end) {
  using Start = int (*)(Main, int, char**, void (*)(), void (*)(), void (*)(), void*);
  auto const start = reinterpret_cast<Start>(dlsym(RTLD_NEXT, "__libc_start_main"));
  program_main = main;
  return start(serve, argc, argv, init, fini, loader_fini, stack_end);
}
