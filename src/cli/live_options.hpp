// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "commands.hpp"
#include "view/server/server.hpp"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace apsis::view {
class ViewerFeed;
}

namespace apsis::cli {

struct LiveOptions {
  std::optional<int> port;  ///< empty: the default port, or a free one
  std::string address = "127.0.0.1";
  bool control = false;             ///< viewers may end the command
  std::vector<std::string> frames;  ///< origins of pages that may show the page in a frame
};

Option address_option(std::string const& name, LiveOptions& live);
/// Option for the pages, such as a notebook, that may show the page in a frame.
Option frame_option(LiveOptions& live);
Option port_option(LiveOptions& live);

/// `doc`: the rights that the option gives to viewers.
Option control_option(std::string const& doc, LiveOptions& live);

enum class ViewerRights {
  watch,     ///< watch only
  play,      ///< also pause, step, seek etc.
  may_stop,  ///< also stop
};

/// Waits for the first viewer or a signal.
void await_viewer(view::ViewerFeed const& feed);
void keep_page();

/// Starts the server and prints its URL.
std::unique_ptr<view::Server> serve(LiveOptions const& options, ViewerRights viewers);

using StopRequested = std::function<bool()>;

/// Shows something on a page of its own until a signal stops it. Viewers control the playback; they
/// may stop it as well if the options allow that.
ExitStatus show_page(LiveOptions const& options, std::optional<int> threads,
                     std::function<void(view::ViewerFeed&, StopRequested const&)> const& show);

}  // namespace apsis::cli
