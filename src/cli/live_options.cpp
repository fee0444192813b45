// SPDX-License-Identifier: Apache-2.0
#include "live_options.hpp"

#include "core/signals.hpp"
#include "view/viewer_feed.hpp"

#include <chrono>
#include <iostream>
#include <thread>

namespace apsis::cli {

namespace {

/// Default port, so that the page keeps its address.
constexpr int default_port = 8642;

std::unique_ptr<view::Server> start_server(view::ServerOptions options, std::optional<int> port) {
  options.port = static_cast<std::uint16_t>(port.value_or(default_port));
  try {
    return std::make_unique<view::Server>(options);
  } catch (Error const&) {
    if (port) throw;
  }
  options.port = 0;
  return std::make_unique<view::Server>(options);
}

template <class Condition>
void sleep_until(Condition const& condition) {
  while (Signals::stop_signal() == 0 && !condition()) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
}

}  // namespace

void await_viewer(view::ViewerFeed const& feed) {
  std::cout << "waits for a browser to open this page; Ctrl-C ends the run" << std::endl;
  sleep_until([&] { return feed.is_watched(); });
}

void keep_page() {
  std::cout << "the page stays until Ctrl-C" << std::endl;
  Signals::stop_answering();
  sleep_until([] { return false; });
}

Option address_option(std::string const& name, LiveOptions& live) {
  return {name, "IP address to listen on; one that other machines reach needs the printed token",
          &live.address, "ADDRESS"};
}

Option frame_option(LiveOptions& live) {
  return Option{"--view-frame",
                "Origin of a page that may show the view in a frame, such as a notebook at "
                "http://localhost:8888; the printed address then has a token (repeatable)",
                TextList{&live.frames, false}, "ORIGIN"}
      .has_effect_if([&live]() -> std::optional<Problem> {
        for (auto const& origin : live.frames) {
          if (view::is_origin(origin)) continue;
          return Problem{"", "'" + origin + "' is not an origin", "",
                         "give scheme, host and port alone: http://localhost:8888"};
        }
        return {};
      });
}

Option port_option(LiveOptions& live) {
  return {"--port", "Port of the page (default: 8642, or a free port; 0: a free port)",
          IntegerRange<std::optional<int>, int>{&live.port, 0, 65535}, "N"};
}

Option control_option(std::string const& doc, LiveOptions& live) {
  return {"--view-control", doc, &live.control};
}

std::unique_ptr<view::Server> serve(LiveOptions const& options, ViewerRights viewers) {
  view::ServerOptions server_options;
  server_options.address = options.address;
  server_options.control = viewers != ViewerRights::watch;
  server_options.stop = viewers == ViewerRights::may_stop;
  server_options.frame_ancestors = options.frames;
  bool const needs_token = !view::is_loopback(options.address) || !options.frames.empty();
  if (needs_token) server_options.token = view::new_token();
  auto server = start_server(std::move(server_options), options.port);
  std::cout << "view             " << server->url() << std::endl;
  return server;
}

ExitStatus show_page(LiveOptions const& options, std::optional<int> threads,
                     std::function<void(view::ViewerFeed&, StopRequested const&)> const& show) {
  auto const kokkos = kokkos_session(threads);
  Signals const signals;
  auto const server = serve(options, options.control ? ViewerRights::may_stop : ViewerRights::play);
  std::cout << "open this page in a browser; Ctrl-C ends the program" << std::endl;
  view::ViewerFeed feed(*server);
  show(feed, [] { return Signals::stop_signal() != 0; });
  return ExitStatus::conserved;
}

}  // namespace apsis::cli
