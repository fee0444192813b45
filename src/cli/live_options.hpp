// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "commands.hpp"
#include <apsis/view/server.hpp>

#include <memory>
#include <optional>
#include <string>
#include <vector>

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

}  // namespace apsis::cli
