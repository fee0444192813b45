// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hub.hpp"
#include "requests.hpp"
#include "server.hpp"

#include <array>
#include <boost/asio/buffer.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http/empty_body.hpp>
#include <boost/beast/http/fields.hpp>
#include <boost/beast/http/message.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/span_body.hpp>
#include <boost/beast/websocket/stream.hpp>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>

namespace apsis::view {

class Session;
class Viewer;

/// Open connections and settings of a server. Used by the server's thread only.
struct Connections {
  Endpoint endpoint;
  Limits limits;
  bool control = false;
  bool stop = false;
  std::string frame_ancestors = "'none'";  ///< source list of the Content-Security-Policy
  bool closing = false;
  std::set<Session*> sessions;  ///< connections that are not viewers (yet)
  std::set<Viewer*> viewers;
  std::function<void()>
      changed;  ///< called after a connection was opened or closed, or a viewer became ready

  std::size_t count() const { return sessions.size() + viewers.size(); }
};

/// Sets the security headers of every response: the page loads its own files only, no page but the
/// frame ancestors may embed it, none may read it, and nothing is cached.
inline void set_security_headers(boost::beast::http::fields& fields,
                                 std::string const& frame_ancestors) {
  using boost::beast::http::field;
  fields.set("Content-Security-Policy",
             "default-src 'self'; connect-src 'self'; img-src 'self' data: blob:; media-src blob:; "
             "base-uri 'none'; form-action 'none'; frame-ancestors " +
                 frame_ancestors);
  fields.set("X-Content-Type-Options", "nosniff");
  fields.set("Referrer-Policy", "no-referrer");
  fields.set("Cross-Origin-Resource-Policy", "same-origin");
  fields.set(field::cache_control, "no-store");
}

/// Closes a listening socket in each child process that fork() makes without a new program: the
/// child has no thread that answers, and would keep the port. Accepted connections stay open there
/// until the child ends. Destroy this object before the socket is closed.
class ClosedInForks {
 public:
  explicit ClosedInForks(int socket);
  ~ClosedInForks();
  ClosedInForks(ClosedInForks const&) = delete;
  ClosedInForks& operator=(ClosedInForks const&) = delete;

 private:
  int socket_;
};

/// Makes the acceptor listen at the address of the options; throws the errors of Server.
Endpoint listen(boost::asio::ip::tcp::acceptor& acceptor, ServerOptions const& options);

std::string url_of(Endpoint const& endpoint);

/// Closes the socket in child processes, so that they do not hold the port or a connection.
void close_in_children(int socket);

/// Connection that requests files of the page, one after the other, until it becomes a viewer.
class Session : public std::enable_shared_from_this<Session> {
 public:
  Session(boost::asio::ip::tcp::socket socket, Connections& connections, Hub& hub);
  ~Session();
  Session(Session const&) = delete;
  Session& operator=(Session const&) = delete;

  void read();
  void end();

 private:
  using Status = boost::beast::http::status;
  using Request = boost::beast::http::request<boost::beast::http::empty_body>;

  void answer();
  void become_viewer();
  void refuse(Status status, std::string const& why);
  void send(Status status, std::string_view content_type, std::span<unsigned char const> bytes);
  void on_sent(boost::beast::error_code error);
  void drain();

  boost::beast::tcp_stream stream_;
  Connections& connections_;
  Hub& hub_;
  boost::beast::flat_buffer buffer_;
  std::optional<boost::beast::http::request_parser<boost::beast::http::empty_body>> parser_;
  boost::beast::http::response<boost::beast::http::span_body<unsigned char const>> response_;
  std::string text_;                    ///< of a refusal, while it is sent
  std::array<char, 1024> discarded_{};  ///< buffer for input that is discarded
};

/// Connection of a viewer: a WebSocket with one write operation at a time. When that operation
/// ends, or when there is something new, the viewer takes the next unsent item from the hub, texts
/// first. Nothing is queued per viewer.
class Viewer : public std::enable_shared_from_this<Viewer> {
 public:
  using Request = boost::beast::http::request<boost::beast::http::empty_body>;

  Viewer(boost::asio::ip::tcp::socket socket, Connections& connections, Hub& hub);
  ~Viewer();
  Viewer(Viewer const&) = delete;
  Viewer& operator=(Viewer const&) = delete;

  void accept(Request request);
  /// Starts writing the next item, unless a write is in progress.
  void write_next();
  /// Sends the remaining texts and the last message, then closes.
  void end();

  /// Number of points that the viewer is ready for; 0: not ready.
  std::uint32_t wanted_points() const { return ready_; }

 private:
  void read();
  void on_message();
  bool is_allowed(Command const& command) const;
  void write(std::string const& text);
  void write_frame();
  void on_written(boost::beast::error_code error);
  void close();
  void drop();

  boost::beast::websocket::stream<boost::beast::tcp_stream> stream_;
  Connections& connections_;
  Hub& hub_;
  Request request_;
  boost::beast::flat_buffer received_;

  bool open_ = false, writing_ = false, ending_ = false, over_sent_ = false, dropped_ = false;
  std::uint32_t ready_ = 0;
  Texts::Position text_position_;
  std::uint64_t frame_number_ = 0;

  // Buffers of the write in progress.
  SharedText text_;
  Frame frame_;
  std::array<unsigned char, 64> header_{};
};

}  // namespace apsis::view
