// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "connections.hpp"
#include "hub.hpp"

#include <array>
#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http/empty_body.hpp>
#include <boost/beast/http/message.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/span_body.hpp>
#include <memory>
#include <optional>
#include <span>
#include <string>

namespace apsis::view {

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

}  // namespace apsis::view
