// SPDX-License-Identifier: Apache-2.0
#include "live_options.hpp"

#include <apsis/driver/signals.hpp>
#include <apsis/driver/viewer_feed.hpp>

#include <iostream>

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

}  // namespace

Option address_option(std::string const& name, LiveOptions& live) {
  return {name, "IP address to listen on; one that other machines reach needs the printed token",
          &live.address, "ADDRESS"};
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
  if (!view::is_loopback(options.address)) server_options.token = view::new_token();
  auto server = start_server(std::move(server_options), options.port);
  std::cout << "view             " << server->url() << std::endl;
  return server;
}

ExitStatus show_page(LiveOptions const& options, std::optional<int> threads,
                     std::function<void(driver::ViewerFeed&, StopRequested const&)> const& show) {
  auto const kokkos = kokkos_session(threads);
  driver::Signals const signals;
  auto const server = serve(options, options.control ? ViewerRights::may_stop : ViewerRights::play);
  std::cout << "open this page in a browser; Ctrl-C ends the program" << std::endl;
  driver::ViewerFeed feed(*server);
  show(feed, [] { return driver::Signals::stop_signal() != 0; });
  return ExitStatus::conserved;
}

}  // namespace apsis::cli
