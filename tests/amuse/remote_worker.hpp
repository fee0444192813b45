// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "amuse/apsis_worker.h"

#include <array>
#include <cstdlib>
#include <sys/wait.h>
#include <unistd.h>

namespace apsis::testing {

/// A worker in a process of its own, as AMUSE has one for each code. Make it before Kokkos starts
/// in this process. Ends the process with status 1 if a call fails.
class RemoteWorker {
 public:
  using Numbers = std::array<double, 8>;
  using Call = int (*)(Numbers&);

  RemoteWorker() {
    int request_pipe[2], reply_pipe[2];
    if (pipe(request_pipe) != 0 || pipe(reply_pipe) != 0) std::exit(1);
    process_ = fork();
    if (process_ == 0) {
      close(request_pipe[1]);
      close(reply_pipe[0]);
      serve(request_pipe[0], reply_pipe[1]);
    }
    close(request_pipe[0]);
    close(reply_pipe[1]);
    requests_ = request_pipe[1];
    replies_ = reply_pipe[0];
  }
  RemoteWorker(RemoteWorker const&) = delete;
  RemoteWorker& operator=(RemoteWorker const&) = delete;
  ~RemoteWorker() {
    close(requests_);
    close(replies_);
    int status = 0;
    waitpid(process_, &status, 0);
  }

  /// Calls a function in the process of the worker: a pointer is valid there too. Returns the
  /// numbers as the function leaves them.
  Numbers call(Call function, Numbers numbers = {}) const {
    Message message{function, 0, numbers};
    transfer<ssize_t (*)(int, void const*, size_t)>(write, requests_, message);
    transfer<ssize_t (*)(int, void*, size_t)>(read, replies_, message);
    if (message.result != 0) std::exit(1);
    return message.numbers;
  }

 private:
  struct Message {
    Call function;
    int result;
    Numbers numbers;
  };

  template <class Operation>
  static void transfer(Operation operation, int file, Message& message) {
    if (operation(file, &message, sizeof message) != static_cast<ssize_t>(sizeof message)) _exit(1);
  }

  [[noreturn]] static void serve(int requests, int replies) {
    Message message;
    while (read(requests, &message, sizeof message) == static_cast<ssize_t>(sizeof message)) {
      message.result = message.function(message.numbers);
      transfer<ssize_t (*)(int, void const*, size_t)>(write, replies, message);
    }
    _exit(0);
  }

  pid_t process_;
  int requests_, replies_;
};

}  // namespace apsis::testing
