// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/view/command.hpp>
#include <apsis/view/frame.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace apsis::view {

struct ServerOptions {
  std::string address = "127.0.0.1";  ///< an IP address of this machine
  std::uint16_t port = 0;             ///< 0: any that is free
  /// Whether viewers may send commands other than `stop`; what they may in any case is to look.
  bool control = false;
  /// Whether viewers may also send `stop`, which ends the command that serves them.
  bool stop = false;
  /// What every request has to know; required for addresses other than loopback, see new_token().
  std::string token;
};

struct Limits;  // src/view/limits.hpp

/// Whether only this machine reaches an address. Throws a usage error if it is no IP address.
bool is_loopback(std::string const& address);

/// 128 random bits in hexadecimal digits.
std::string new_token();

/// Serves the page and streams frames to any number of viewers, from a thread of its own. All
/// members may be called from any thread and none waits for a viewer: a frame that a slow viewer
/// has not taken is replaced by the next one.
///
/// GET / and its files: the page. GET /stream: a WebSocket. To the viewer go text messages, which
/// are JSON objects with a member "type" (see say() and append()), and binary ones, which are
/// frames: 64 bytes of header (little-endian: "APS1"; uint32 points; uint64 step, bodies; double
/// time; float centre x, y, z, half, speed; 12 bytes 0) and the points. The viewer sends what
/// understand() reads; it gets a frame only after it said that it is ready for one.
///
/// Requests whose Host is no name of this machine's, whose Origin is another page, or that lack the
/// token get 403; more than 64 viewers get 503; messages of more than `longest_message` bytes and
/// viewers that are silent in a handshake for 10 s end the connection.
class Server {
 public:
  /// Listens at once. Throws an input/output error if the port is taken or the address is not this
  /// machine's, a usage error for an address beyond loopback without a token.
  explicit Server(ServerOptions const& options);
  Server(ServerOptions const& options, Limits const& limits);  ///< for tests, which have less time
  /// Tells viewers what they have not heard yet, and {"type":"over"} unless that topic was said;
  /// closes. Waits for no viewer longer than 1 s.
  ~Server();
  Server(Server const&) = delete;
  Server& operator=(Server const&) = delete;

  /// Where a browser finds it, the token included.
  std::string url() const;

  std::size_t viewers() const;
  /// The most points that a viewer who is ready for a frame wants; 0 if none is. One atomic load.
  std::uint32_t wanted() const;
  /// Every viewer who is ready gets its first points as soon as the network takes them; later
  /// viewers get the last frame at once.
  void publish(Frame frame);
  /// A JSON text for all viewers, the last one of its topic for later viewers. Each viewer gets the
  /// newest of each topic that it has not seen yet when the network takes it.
  void say(std::string const& topic, std::string json);
  /// A JSON text that later viewers get as well, after the others of its topic: a plot grows.
  /// clear() forgets them for viewers to come.
  void append(std::string const& topic, std::string json);
  void clear(std::string const& topic);

  /// The next command of a viewer, in the order of their coming. Beyond 64 that nobody takes,
  /// further ones are dropped.
  std::optional<Command> take();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace apsis::view
