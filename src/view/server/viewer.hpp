// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "connections.hpp"
#include "hub.hpp"

#include <array>
#include <boost/asio/buffer.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http/empty_body.hpp>
#include <boost/beast/http/message.hpp>
#include <boost/beast/websocket/stream.hpp>
#include <cstdint>
#include <memory>

namespace apsis::view {

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

  /// Answers the request for a WebSocket.
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
