// SPDX-License-Identifier: Apache-2.0
#include "view/server/server.hpp"

#include "connections.hpp"

#include <algorithm>
#include <atomic>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <csignal>
#include <exception>
#include <fcntl.h>
#include <optional>
#include <thread>
#include <utility>

namespace apsis::view {

namespace net = boost::asio;
using tcp = net::ip::tcp;

/// Members below `hub` belong to the server's thread. Their order matters: pending handlers die
/// with `io`, and with them sessions and viewers, which then remove themselves from `connections`.
struct Server::State {
  State(ServerOptions const& options, Limits const& limits);
  ~State();

  void run();
  void wake();
  void write_all();
  void accept();
  void on_change();
  void end();

  Hub hub;
  std::atomic<bool> woken{false};
  Connections connections;
  net::io_context io{1};
  net::executor_work_guard<net::io_context::executor_type> work{io.get_executor()};
  tcp::acceptor acceptor{io};
  std::optional<ClosedInForks> closed_in_forks;  ///< while the acceptor listens
  net::steady_timer pause{io};
  net::steady_timer closing_timer{io};
  bool accepting = false;
  std::thread thread;
};

Server::State::State(ServerOptions const& options, Limits const& limits) {
  connections.endpoint = listen(acceptor, options);
  closed_in_forks.emplace(acceptor.native_handle());
  connections.limits = limits;
  connections.limits.connections = affordable_connections(limits);
  connections.control = options.control;
  connections.stop = options.stop;
  if (!options.frame_ancestors.empty()) {
    connections.frame_ancestors.clear();
    for (auto const& origin : options.frame_ancestors) {
      connections.frame_ancestors += (connections.frame_ancestors.empty() ? "" : " ") + origin;
    }
    connections.endpoint.framed = true;
  }
  connections.changed = [this] { on_change(); };
  accept();
  // Signals are handled by the threads of the run.
  sigset_t every_signal, before;
  sigfillset(&every_signal);
  pthread_sigmask(SIG_SETMASK, &every_signal, &before);
  try {
    thread = std::thread([this] { run(); });
  } catch (...) {
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    throw;
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

Server::State::~State() {
  net::post(io, [this] { end(); });
  thread.join();
  connections.changed = [] {};  // the remaining connections are closed with `io`
}

void Server::State::run() {
  for (bool finished = false; !finished;) {
    try {
      io.run();
      finished = true;
    } catch (std::exception const&) {
      // A lack of memory ends the connection that caused it, not the run.
    }
  }
}

void Server::State::wake() {
  if (!woken.exchange(true)) net::post(io, [this] { write_all(); });
}

void Server::State::write_all() {
  woken = false;
  for (auto* viewer : connections.viewers) viewer->write_next();
  on_change();
}

void Server::State::accept() {
  accepting = !connections.closing && connections.count() < connections.limits.connections;
  if (!accepting) return;
  acceptor.async_accept([this](boost::system::error_code error, tcp::socket socket) {
    accepting = false;
    if (error) {
      // Too many open files, for example; there may be fewer later.
      pause.expires_after(std::chrono::milliseconds(100));
      accepting = true;
      pause.async_wait([this](boost::system::error_code) { accept(); });
      return;
    }
    close_in_children(socket.native_handle());
    socket.set_option(tcp::no_delay(true), error);
    std::make_shared<Session>(std::move(socket), connections, hub)->read();
    if (!accepting) accept();
  });
}

void Server::State::on_change() {
  std::uint32_t most = 0;
  for (auto const* viewer : connections.viewers) most = std::max(most, viewer->wanted_points());
  hub.wanted_points = most;
  hub.viewers = connections.viewers.size();
  if (connections.closing) {
    if (connections.count() == 0) io.stop();
  } else if (!accepting) {
    accept();
  }
}

void Server::State::end() {
  connections.closing = true;
  closed_in_forks.reset();
  boost::system::error_code ignored;
  acceptor.close(ignored);
  closing_timer.expires_after(connections.limits.closing);
  closing_timer.async_wait([this](boost::system::error_code) { io.stop(); });
  for (auto* session : connections.sessions) session->end();
  for (auto* viewer : connections.viewers) viewer->end();
  on_change();
}

Server::Server(ServerOptions const& options) : Server(options, Limits{}) {}

Server::Server(ServerOptions const& options, Limits const& limits)
    : state_(std::make_unique<State>(options, limits)) {}

Server::~Server() = default;

std::string Server::url() const {
  return url_of(state_->connections.endpoint);
}

std::size_t Server::viewers() const {
  return state_->hub.viewers;
}

std::uint32_t Server::wanted_points() const {
  return state_->hub.wanted_points;
}

void Server::publish(Frame frame) {
  state_->hub.publish(std::move(frame));
  state_->wake();
}

void Server::say(std::string const& topic, std::string json) {
  state_->hub.with_texts([&](Texts& texts) { texts.say(topic, std::move(json)); });
  state_->wake();
}

void Server::append(std::string const& topic, std::string json) {
  state_->hub.with_texts([&](Texts& texts) { texts.append(topic, std::move(json)); });
  state_->wake();
}

void Server::clear(std::string const& topic) {
  state_->hub.with_texts([&](Texts& texts) { texts.clear(topic); });
}

std::optional<Command> Server::take() {
  return state_->hub.take();
}

}  // namespace apsis::view
