// SPDX-License-Identifier: Apache-2.0
#include "connections.hpp"

#include <mutex>
#include <pthread.h>
#include <set>
#include <unistd.h>

namespace apsis::view {

namespace {

/// Sockets of the servers of this process. Never destroyed: a process may fork until its end.
struct OpenSockets {
  std::mutex mutex;
  std::set<int> numbers;
};

OpenSockets& open_sockets() {
  static auto* const sockets = [] {
    ::pthread_atfork([] { open_sockets().mutex.lock(); }, [] { open_sockets().mutex.unlock(); },
                     [] {
                       auto& inherited = open_sockets();
                       for (int const socket : inherited.numbers) ::close(socket);
                       inherited.numbers.clear();
                       inherited.mutex.unlock();
                     });
    return new OpenSockets;
  }();
  return *sockets;
}

}  // namespace

ClosedInForks::ClosedInForks(int socket) : socket_(socket) {
  auto& sockets = open_sockets();
  std::scoped_lock const lock(sockets.mutex);
  sockets.numbers.insert(socket);
}

ClosedInForks::~ClosedInForks() {
  auto& sockets = open_sockets();
  std::scoped_lock const lock(sockets.mutex);
  sockets.numbers.erase(socket_);
}

}  // namespace apsis::view
