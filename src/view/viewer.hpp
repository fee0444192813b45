// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "doors.hpp"
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

/// One who watches: a WebSocket, written to by one operation at a time. Whenever that one ends, or
/// there is something new, it takes what it has not seen from the hub, texts first: nothing is
/// queued for a viewer.
class Viewer : public std::enable_shared_from_this<Viewer> {
 public:
  using Request = boost::beast::http::request<boost::beast::http::empty_body>;

  Viewer(boost::asio::ip::tcp::socket socket, Doors& doors, Hub& hub);
  ~Viewer();
  Viewer(Viewer const&) = delete;
  Viewer& operator=(Viewer const&) = delete;

  /// Answers the request that asks for it.
  void accept(Request request);
  /// Writes what there is, unless it is writing.
  void go_on();
  /// Tells it that it is over, after what it has not seen yet, and closes.
  void end();

  /// The points of a frame that it would take now; 0: none.
  std::uint32_t wants() const { return ready_; }

 private:
  void read();
  void hear();
  bool is_allowed(Command const& command) const;
  void write(std::string const& text);
  void write_frame();
  void written(boost::beast::error_code error);
  void close();
  void drop();

  boost::beast::websocket::stream<boost::beast::tcp_stream> stream_;
  Doors& doors_;
  Hub& hub_;
  Request request_;
  boost::beast::flat_buffer heard_;

  bool open_ = false, writing_ = false, ending_ = false, told_ = false, dropped_ = false;
  std::uint32_t ready_ = 0;
  Texts::Seen seen_texts_;
  std::uint64_t seen_frame_ = 0;

  // What is being written.
  SharedText text_;
  Frame frame_;
  std::array<unsigned char, 64> header_{};
};

}  // namespace apsis::view
