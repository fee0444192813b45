// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "view/messages.hpp"
#include <apsis/view/simulation_view.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace apsis::view {

/// Limits for connections. (Tests use shorter times.)
struct Limits {
  std::chrono::milliseconds request{
      10'000};  ///< until a request has arrived, and until a response was taken
  std::chrono::milliseconds silence{
      60'000};  ///< silence of a viewer until it is dropped; half-way it gets a ping
  std::chrono::milliseconds closing{800};  ///< for sending the last texts when the server closes
  std::size_t header_bytes = 8192;
  std::size_t viewers = 64;
  std::size_t connections = 128;  ///< further ones wait until one is closed
  std::size_t spare_files = 32;   ///< files that the process may open besides connections
};

/// Largest number of points of a frame that a viewer can ask for; more than the page ever does.
inline constexpr std::uint32_t max_points = 1U << 20U;

/// Returns the number of connections, at most `limits.connections`, that leaves
/// `limits.spare_files` of the files that this process may open (RLIMIT_NOFILE). Throws an internal
/// error if none is left.
std::size_t affordable_connections(Limits const& limits);

/// Whether only this machine reaches an IP address. Throws a usage error for other texts.
bool is_loopback(std::string const& address);

/// Whether a text is the origin of a page, as a frame ancestor is: "http://localhost:8888".
bool is_origin(std::string_view text);

/// Serves the page and streams frames to any number of viewers, from its own thread. All members
/// may be called from any thread, and none waits for a viewer: a frame that a slow viewer has not
/// taken is replaced by the next one.
///
/// GET / and its files: the page. GET /stream: a WebSocket. The server sends text messages, which
/// are JSON objects with a member "type" (see say() and append()), and binary frames: a header of
/// 64 bytes (little-endian: "APS1"; uint32 points; uint64 step, bodies; double time; float centre
/// x, y, z, half, speed; uint32 details; 8 bytes 0), the points, and the details of as many of them
/// (see BodyDetails). The viewer sends messages for parse_message().
/// It gets a frame only after it has said that it is ready for one.
///
/// Requests get status 403 if the Host is not a name of this machine, if the Origin is another
/// page, or if the token is missing. With frame ancestors the token is required for the page and
/// its stream only: in a frame of another site a browser sends no cookie with requests for scripts
/// and styles, which are those of every Apsis. Viewers beyond 64 get 503. Messages of more than
/// `max_message_bytes` bytes end the connection, and so do 10 s of silence in a handshake.
class Server {
 public:
  /// Listens at once. Throws an input/output error if the port is in use or the address does not
  /// belong to this machine, and a usage error for an address other than loopback without a token.
  explicit Server(ServerOptions const& options);
  Server(ServerOptions const& options, Limits const& limits);  ///< for tests, with shorter times
  /// Sends viewers the texts that they have not received yet, and {"type":"over"} unless that topic
  /// was sent already; then closes. Waits at most 1 s for a viewer.
  ~Server();
  Server(Server const&) = delete;
  Server& operator=(Server const&) = delete;

  /// URL of the page for a browser, including the token.
  std::string url() const;

  std::size_t viewers() const;
  /// Most points that a ready viewer asks for; 0 if no viewer is ready. One atomic load.
  std::uint32_t wanted_points() const;
  /// Sends each ready viewer its first points. Later viewers get the last frame at once.
  void publish(Frame frame);
  /// Sends a JSON text to all viewers. Later viewers get the last text of each topic. A viewer gets
  /// the newest unsent text of each topic when the network takes it.
  void say(std::string const& topic, std::string json);
  /// Sends a JSON text that later viewers also get, after the earlier texts of its topic, so that a
  /// plot can grow. clear() removes these texts for later viewers.
  void append(std::string const& topic, std::string json);
  void clear(std::string const& topic);

  /// Returns the next command, in order of arrival. At most 64 wait; further ones are dropped.
  std::optional<Command> take();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace apsis::view
