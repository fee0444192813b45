// SPDX-License-Identifier: Apache-2.0
#include "listen.hpp"
#include "session.hpp"
#include "viewer.hpp"
#include <apsis/view/server.hpp>

#include <algorithm>
#include <atomic>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <csignal>
#include <exception>
#include <fcntl.h>
#include <thread>
#include <utility>

namespace apsis::view {

namespace net = boost::asio;
using tcp = net::ip::tcp;

/// Everything below `hub` belongs to the thread. The order matters: handlers that nobody called die
/// with `io`, and with them sessions and viewers, which leave through the doors.
struct Server::State {
  State(ServerOptions const& options, Limits const& limits);
  ~State();

  void run();
  void wake();
  void show();
  void accept();
  void changed();
  void end();

  Hub hub;
  std::atomic<bool> woken{false};
  Doors doors;
  net::io_context io{1};
  net::executor_work_guard<net::io_context::executor_type> work{io.get_executor()};
  tcp::acceptor acceptor{io};
  net::steady_timer pause{io};
  net::steady_timer farewell{io};
  bool accepting = false;
  std::thread thread;
};

Server::State::State(ServerOptions const& options, Limits const& limits) {
  doors.entrance = listen(acceptor, options);
  doors.limits = limits;
  doors.limits.connections = affordable_connections(limits);
  doors.control = options.control;
  doors.stop = options.stop;
  doors.changed = [this] { changed(); };
  accept();
  // Signals are for the threads of the run.
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
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
  doors.changed = [] {};  // who is still inside leaves with `io`
}

void Server::State::run() {
  for (bool done = false; !done;) {
    try {
      io.run();
      done = true;
    } catch (std::exception const&) {
      // Memory that is short costs whoever asked for it the connection, not the run its life.
    }
  }
}

void Server::State::wake() {
  if (!woken.exchange(true)) net::post(io, [this] { show(); });
}

void Server::State::show() {
  woken = false;
  for (auto* viewer : doors.viewers) viewer->go_on();
  changed();
}

void Server::State::accept() {
  accepting = !doors.closing && doors.inside() < doors.limits.connections;
  if (!accepting) return;
  acceptor.async_accept([this](boost::system::error_code error, tcp::socket socket) {
    accepting = false;
    if (error) {
      // Such as too many open files, which may get fewer.
      pause.expires_after(std::chrono::milliseconds(100));
      accepting = true;
      pause.async_wait([this](boost::system::error_code) { accept(); });
      return;
    }
    close_in_children(socket.native_handle());
    socket.set_option(tcp::no_delay(true), error);
    std::make_shared<Session>(std::move(socket), doors, hub)->read();
    if (!accepting) accept();
  });
}

void Server::State::changed() {
  std::uint32_t most = 0;
  for (auto const* viewer : doors.viewers) most = std::max(most, viewer->wants());
  hub.wanted = most;
  hub.viewers = doors.viewers.size();
  if (doors.closing) {
    if (doors.inside() == 0) io.stop();
  } else if (!accepting) {
    accept();
  }
}

void Server::State::end() {
  doors.closing = true;
  boost::system::error_code ignored;
  acceptor.close(ignored);
  farewell.expires_after(doors.limits.farewell);
  farewell.async_wait([this](boost::system::error_code) { io.stop(); });
  for (auto* session : doors.sessions) session->end();
  for (auto* viewer : doors.viewers) viewer->end();
  changed();
}

Server::Server(ServerOptions const& options) : Server(options, Limits{}) {}

Server::Server(ServerOptions const& options, Limits const& limits)
    : state_(std::make_unique<State>(options, limits)) {}

Server::~Server() = default;

std::string Server::url() const {
  return url_of(state_->doors.entrance);
}

std::size_t Server::viewers() const {
  return state_->hub.viewers;
}

std::uint32_t Server::wanted() const {
  return state_->hub.wanted;
}

void Server::publish(Frame frame) {
  state_->hub.publish(std::move(frame));
  state_->wake();
}

void Server::say(std::string const& topic, std::string json) {
  state_->hub.say(topic, std::move(json));
  state_->wake();
}

void Server::append(std::string const& topic, std::string json) {
  state_->hub.append(topic, std::move(json));
  state_->wake();
}

void Server::clear(std::string const& topic) {
  state_->hub.clear(topic);
}

std::optional<Command> Server::take() {
  return state_->hub.take();
}

}  // namespace apsis::view
