// SPDX-License-Identifier: Apache-2.0
#include "connections.hpp"
#include "server.hpp"
#include <apsis/core/error.hpp>

#include <algorithm>
#include <boost/asio/ip/address.hpp>
#include <boost/asio/ip/host_name.hpp>
#include <boost/system/error_code.hpp>
#include <cerrno>
#include <fcntl.h>
#include <filesystem>
#include <mutex>
#include <pthread.h>
#include <set>
#include <sys/resource.h>
#include <unistd.h>
#include <utility>

namespace apsis::view {

namespace net = boost::asio;

namespace {

[[noreturn]] void fail(ExitStatus status, std::string const& where, std::string problem,
                       std::string why, std::string advice) {
  throw Error(status, Problem{where, std::move(problem), std::move(why), std::move(advice)});
}

net::ip::address address_of(std::string const& text) {
  boost::system::error_code error;
  auto const address = net::ip::make_address(text, error);
  if (error) {
    fail(ExitStatus::usage, "view at " + text, "not an IP address", "",
         "give an IP address of this machine, such as 127.0.0.1 or 0.0.0.0");
  }
  return address;
}

void check_token(net::ip::address const& address, std::string const& token) {
  auto const where = "view at " + address.to_string();
  if (token.empty() && !address.is_loopback()) {
    fail(ExitStatus::usage, where, "no token", "other machines can reach this address",
         "give a token, or use 127.0.0.1");
  }
  // The token is used unescaped in a URL and a cookie.
  constexpr auto plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_";
  if (token.size() > 128 || token.find_first_not_of(plain) != std::string::npos) {
    fail(ExitStatus::usage, where, "invalid token", "",
         "use up to 128 letters, digits, '-' and '_'");
  }
}

void check_frames(ServerOptions const& options) {
  if (options.frame_ancestors.empty()) return;
  if (options.token.empty()) {
    fail(ExitStatus::usage, "view", "no token", "another page may show this one in a frame",
         "give a token");
  }
  for (auto const& origin : options.frame_ancestors) {
    if (is_origin(origin)) continue;
    fail(ExitStatus::usage, "view", "'" + origin + "' is not an origin", "",
         "give scheme, host and port alone: http://localhost:8888");
  }
}

/// Returns the host part of a URL: the machine's name for the address 0.0.0.0 or ::.
std::string name_of(net::ip::address const& address) {
  if (address.is_unspecified()) {
    boost::system::error_code error;
    auto const name = net::ip::host_name(error);
    if (!error && !name.empty()) return name;
  }
  return address.is_v6() ? "[" + address.to_string() + "]" : address.to_string();
}

/// Sockets of the servers of this process. Never destroyed: a process may fork until its end.
struct OpenSockets {
  std::mutex mutex;
  std::set<int> numbers;
};

OpenSockets& open_sockets() {
  static auto* const sockets = [] {
    ::pthread_atfork([] { open_sockets().mutex.lock(); }, [] { open_sockets().mutex.unlock(); },
                     [] {
                       auto& inherited = open_sockets();
                       for (int const socket : inherited.numbers) ::close(socket);
                       inherited.numbers.clear();
                       inherited.mutex.unlock();
                     });
    return new OpenSockets;
  }();
  return *sockets;
}

}  // namespace

bool is_loopback(std::string const& address) {
  return address_of(address).is_loopback();
}

Endpoint listen(net::ip::tcp::acceptor& acceptor, ServerOptions const& options) {
  auto const address = address_of(options.address);
  check_token(address, options.token);
  check_frames(options);
  net::ip::tcp::endpoint const endpoint(address, options.port);
  boost::system::error_code error;
  acceptor.open(endpoint.protocol(), error);
  if (!error) {
    close_in_children(acceptor.native_handle());
    acceptor.set_option(net::socket_base::reuse_address(true),
                        error);  // of a server that has just ended
  }
  if (!error) acceptor.bind(endpoint, error);
  if (!error) acceptor.listen(net::socket_base::max_listen_connections, error);
  if (error) {
    fail(ExitStatus::input_output,
         "view at " + name_of(address) + ":" + std::to_string(options.port), "cannot be served",
         error.message(),
         error == net::error::address_in_use ? "choose another port, or 0 for any free port"
                                             : "choose an address and a port of this machine");
  }
  return {name_of(address), acceptor.local_endpoint().port(), address.is_loopback(), options.token};
}

std::size_t affordable_connections(Limits const& limits) {
  rlimit files{};
  if (::getrlimit(RLIMIT_NOFILE, &files) != 0 || files.rlim_cur == RLIM_INFINITY) {
    return limits.connections;
  }
  std::error_code error;
  std::size_t used = 0;
  for (std::filesystem::directory_iterator entry("/proc/self/fd", error), end;
       !error && entry != end; entry.increment(error)) {
    ++used;
  }
  used += limits.spare_files;
  if (used >= files.rlim_cur) {
    throw system_error(EMFILE, {"view", "cannot be served", "", ""});
  }
  return std::min<std::size_t>(limits.connections, files.rlim_cur - used);
}

std::string url_of(Endpoint const& endpoint) {
  return "http://" + endpoint.address + ":" + std::to_string(endpoint.port) + "/" +
         (endpoint.token.empty() ? "" : "?token=" + endpoint.token);
}

void close_in_children(int socket) {
  ::fcntl(socket, F_SETFD, FD_CLOEXEC);
}

ClosedInForks::ClosedInForks(int socket) : socket_(socket) {
  auto& sockets = open_sockets();
  std::scoped_lock const lock(sockets.mutex);
  sockets.numbers.insert(socket);
}

ClosedInForks::~ClosedInForks() {
  auto& sockets = open_sockets();
  std::scoped_lock const lock(sockets.mutex);
  sockets.numbers.erase(socket_);
}

}  // namespace apsis::view
