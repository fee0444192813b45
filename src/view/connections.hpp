// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "admission.hpp"
#include "limits.hpp"

#include <cstddef>
#include <functional>
#include <set>

namespace apsis::view {

class Session;
class Viewer;

/// Open connections and settings of a server. Used by the server's thread only.
struct Connections {
  Endpoint endpoint;
  Limits limits;
  bool control = false;
  bool stop = false;
  bool closing = false;
  std::set<Session*> sessions;  ///< connections that are not viewers (yet)
  std::set<Viewer*> viewers;
  std::function<void()>
      changed;  ///< called after a connection was opened or closed, or a viewer became ready

  std::size_t count() const { return sessions.size() + viewers.size(); }
};

}  // namespace apsis::view
