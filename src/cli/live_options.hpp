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
};

Option address_option(std::string const& name, LiveOptions& to);
Option port_option(LiveOptions& to);

/// Listens, and says where.
std::unique_ptr<view::Server> serve(LiveOptions const& options, bool control);

using Stopped = std::function<bool()>;

/// Shows something on a page of its own, whose viewers may control it, until it is over or a signal
/// has stopped it.
ExitStatus show_page(LiveOptions const& options, std::optional<int> threads,
                     std::function<void(driver::Broadcast&, Stopped const&)> const& show);

}  // namespace apsis::cli
