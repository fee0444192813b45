// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace apsis::view {

/// Closes a listening socket in each child process that fork() makes without a new program: the
/// child has no thread that answers, and would keep the port. Accepted connections stay open there
/// until the child ends. Destroy this object before the socket is closed.
class ClosedInForks {
 public:
  explicit ClosedInForks(int socket);
  ~ClosedInForks();
  ClosedInForks(ClosedInForks const&) = delete;
  ClosedInForks& operator=(ClosedInForks const&) = delete;

 private:
  int socket_;
};

}  // namespace apsis::view
