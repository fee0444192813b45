// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "commands.hpp"
#include <apsis/view/server.hpp>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace apsis::driver {
class Broadcast;
}

namespace apsis::cli {

/// Where viewers find a run, as options say it.
struct LiveOptions {
  std::optional<int> port;  ///< nothing: the usual one, or any that is free
  std::string address = "127.0.0.1";
  bool control = false;  ///< viewers may end what is shown
};

Option address_option(std::string const& name, LiveOptions& to);
Option port_option(LiveOptions& to);

/// `doc` says what viewers may do.
Option control_option(std::string const& doc, LiveOptions& to);

/// What viewers may do besides watching.
enum class Viewers {
  watch,     ///< nothing
  play,      ///< pause, step, seek and the like
  may_stop,  ///< all that, and stop
};

/// Listens, and says where.
std::unique_ptr<view::Server> serve(LiveOptions const& options, Viewers viewers);

using Stopped = std::function<bool()>;

/// Shows something on a page of its own, whose viewers may play it, until a signal, or a viewer if
/// the options let viewers do that, has stopped it.
ExitStatus show_page(LiveOptions const& options, std::optional<int> threads,
                     std::function<void(driver::Broadcast&, Stopped const&)> const& show);

}  // namespace apsis::cli
