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

/// Who is inside, of the server's thread alone.
struct Doors {
  Entrance entrance;
  Limits limits;
  bool control = false;
  bool stop = false;
  bool closing = false;
  std::set<Session*> sessions;  ///< connections that are no viewers yet, or never will be
  std::set<Viewer*> viewers;
  std::function<void()> changed;  ///< called after one came or went, or a viewer wants more

  std::size_t inside() const { return sessions.size() + viewers.size(); }
};

}  // namespace apsis::view
