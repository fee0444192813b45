// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "support/comes_true.hpp"

#include <arpa/inet.h>
#include <array>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <netinet/in.h>
#include <optional>
#include <poll.h>
#include <stdexcept>
#include <string>
#include <sys/socket.h>
#include <unistd.h>
#include <utility>

/// Client for HTTP and WebSockets on a plain socket, so that tests can send messages that no
/// browser would.
namespace apsis::testing {

/// Time after which a server is assumed to hang [ms].
inline constexpr int default_patience_ms = std::chrono::milliseconds(patience).count();

/// Connection to a port of this machine.
class Connection {
 public:
  /// `receive_bytes`: size of the socket's buffer; 0: the system's choice.
  explicit Connection(std::uint16_t port, int receive_bytes = 0)
      : socket_(::socket(AF_INET, SOCK_STREAM, 0)) {
    if (receive_bytes > 0) {
      ::setsockopt(socket_, SOL_SOCKET, SO_RCVBUF, &receive_bytes, sizeof receive_bytes);
    }
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (::connect(socket_, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) {
      ::close(socket_);
      throw std::runtime_error("cannot connect");
    }
  }
  Connection(Connection&& other) noexcept
      : socket_(std::exchange(other.socket_, -1)), got_(std::move(other.got_)) {}
  Connection(Connection const&) = delete;
  Connection& operator=(Connection const&) = delete;
  ~Connection() { close(); }

  void close() {
    if (socket_ >= 0) ::close(std::exchange(socket_, -1));
  }
  /// Closes like a killed process with unread input: the other side gets a "reset".
  void reset() {
    linger const at_once{1, 0};
    ::setsockopt(socket_, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
    close();
  }

  /// Whether the bytes could be sent.
  bool send(std::string const& bytes) {
    std::size_t sent = 0;
    while (sent < bytes.size()) {
      auto const n = ::send(socket_, bytes.data() + sent, bytes.size() - sent, MSG_NOSIGNAL);
      if (n <= 0) return false;
      sent += static_cast<std::size_t>(n);
    }
    return true;
  }

  /// Returns `bytes` bytes; fewer if the connection ends or nothing arrives.
  std::string take(std::size_t bytes, int patience_ms = default_patience_ms) {
    while (got_.size() < bytes && more(patience_ms)) {
    }
    return cut(std::min(bytes, got_.size()));
  }
  /// Returns all bytes up to and including the mark; all available ones if it does not arrive.
  std::string take_until(std::string const& mark) {
    std::size_t place = 0;
    while ((place = got_.find(mark)) == std::string::npos && more(default_patience_ms)) {
    }
    return cut(place == std::string::npos ? got_.size() : place + mark.size());
  }
  /// Returns everything until the other side closes; empty if it does not close in time.
  std::optional<std::string> take_all(int patience_ms = default_patience_ms) {
    while (more(patience_ms)) {
    }
    if (!ended_) return {};
    return cut(got_.size());
  }
  bool ended() const { return ended_; }

 private:
  bool more(int patience_ms) {
    pollfd ready{socket_, POLLIN, 0};
    if (ended_ || ::poll(&ready, 1, patience_ms) <= 0) return false;
    static thread_local std::array<char, 1 << 16> bytes;
    auto const n = ::recv(socket_, bytes.data(), bytes.size(), 0);
    ended_ = n <= 0;
    if (n > 0) got_.append(bytes.data(), static_cast<std::size_t>(n));
    return n > 0;
  }
  std::string cut(std::size_t bytes) {
    std::string front = got_.substr(0, bytes);
    got_.erase(0, bytes);
    return front;
  }

  int socket_;
  bool ended_ = false;
  std::string got_;
};

/// Returns a request with a Host for this port, and more header lines, each with \r\n.
inline std::string request(std::string const& method, std::string const& target, std::uint16_t port,
                           std::string const& more = "") {
  return method + " " + target + " HTTP/1.1\r\nHost: 127.0.0.1:" + std::to_string(port) + "\r\n" +
         more + "\r\n";
}

/// Message to a viewer: text (1), binary (2), close (8), ping (9).
struct Message {
  int kind = 0;
  std::string content;
};

/// WebSocket client of the live view.
class WebViewer {
 public:
  explicit WebViewer(std::uint16_t port, std::string const& target = "/stream",
                     std::string const& more = "", int receive_bytes = 0)
      : connection_(port, receive_bytes) {
    connection_.send(request("GET", target, port,
                             "Upgrade: websocket\r\nConnection: Upgrade\r\n"
                             "Sec-WebSocket-Version: 13\r\n"
                             "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n" +
                                 more));
    answer_ = connection_.take_until("\r\n\r\n");
  }

  /// Response to the request for a WebSocket.
  std::string const& answer() const { return answer_; }
  Connection& connection() { return connection_; }

  /// Whether the message could be sent. `kind` as in Message.
  bool say(std::string const& text, int kind = 1) {
    std::string bytes{static_cast<char>(0x80 | kind)};
    // (Masked with zeros, which is a valid mask.)
    if (text.size() < 126) {
      bytes += static_cast<char>(0x80 | text.size());
    } else {
      bytes += static_cast<char>(0x80 | 126);
      bytes += static_cast<char>(text.size() >> 8U);
      bytes += static_cast<char>(text.size() & 255U);
    }
    return connection_.send(bytes + std::string(4, '\0') + text);
  }

  /// Returns the next message; kind 0 if the connection ends or nothing arrives.
  Message hear(int patience_ms = default_patience_ms) {
    auto const start = connection_.take(2, patience_ms);
    if (start.size() < 2) return {};
    auto const number = [](std::string const& bytes) {
      std::size_t value = 0;
      for (char const c : bytes) value = value * 256 + static_cast<unsigned char>(c);
      return value;
    };
    std::size_t size = start[1] & 127;
    if (size == 126) size = number(connection_.take(2));
    if (size == 127) size = number(connection_.take(8));
    return {start[0] & 15, connection_.take(size)};
  }

 private:
  Connection connection_;
  std::string answer_;
};

}  // namespace apsis::testing
