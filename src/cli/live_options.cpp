// SPDX-License-Identifier: Apache-2.0
#include "live_options.hpp"

#include <apsis/driver/broadcast.hpp>
#include <apsis/driver/signals.hpp>

#include <iostream>

namespace apsis::cli {

namespace {

/// Where the page is found again if the port is free.
constexpr int usual_port = 8642;

std::unique_ptr<view::Server> listening(view::ServerOptions options, std::optional<int> port) {
  options.port = static_cast<std::uint16_t>(port.value_or(usual_port));
  try {
    return std::make_unique<view::Server>(options);
  } catch (Error const&) {
    if (port) throw;
  }
  options.port = 0;
  return std::make_unique<view::Server>(options);
}

}  // namespace

Option address_option(std::string const& name, LiveOptions& to) {
  return {name,
          "Address to listen on; others than this machine's own need the token that is printed",
          &to.address, "ADDRESS"};
}

Option port_option(LiveOptions& to) {
  return {"--port", "Port of the page (default: 8642, or any that is free; 0: any)",
          Within<std::optional<int>, int>{&to.port, 0, 65535}, "N"};
}

Option control_option(std::string const& doc, LiveOptions& to) {
  return {"--view-control", doc, &to.control};
}

std::unique_ptr<view::Server> serve(LiveOptions const& options, Viewers viewers) {
  view::ServerOptions of;
  of.address = options.address;
  of.control = viewers != Viewers::watch;
  of.stop = viewers == Viewers::may_stop;
  if (!view::is_loopback(options.address)) of.token = view::new_token();
  auto server = listening(std::move(of), options.port);
  std::cout << "view             " << server->url() << std::endl;
  return server;
}

ExitStatus show_page(LiveOptions const& options, std::optional<int> threads,
                     std::function<void(driver::Broadcast&, Stopped const&)> const& show) {
  auto const kokkos = kokkos_session(threads);
  driver::Signals const signals;
  auto const server = serve(options, options.control ? Viewers::may_stop : Viewers::play);
  std::cout << "open that page in a browser; Ctrl-C ends it" << std::endl;
  driver::Broadcast to(*server);
  show(to, [] { return driver::Signals::stop_signal() != 0; });
  return ExitStatus::conserved;
}

}  // namespace apsis::cli
