// SPDX-License-Identifier: Apache-2.0
#include "connections.hpp"

#include "requests.hpp"
#include "view/messages.hpp"

#include <algorithm>
#include <boost/beast/core/buffers_to_string.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/write.hpp>
#include <boost/beast/websocket/rfc6455.hpp>
#include <string>
#include <utility>

namespace apsis::view {

namespace beast = boost::beast;
namespace http = boost::beast::http;
namespace websocket = boost::beast::websocket;

namespace {

std::string_view view_of(beast::string_view text) {
  return {text.data(), text.size()};
}

}  // namespace

Session::Session(boost::asio::ip::tcp::socket socket, Connections& connections, Hub& hub)
    : stream_(std::move(socket)),
      connections_(connections),
      hub_(hub),
      buffer_(connections.limits.header_bytes) {
  connections_.sessions.insert(this);
  connections_.changed();
}

Session::~Session() {
  connections_.sessions.erase(this);
  connections_.changed();
}

void Session::end() {
  stream_.close();
}

void Session::read() {
  parser_.emplace();
  parser_->header_limit(static_cast<std::uint32_t>(connections_.limits.header_bytes));
  stream_.expires_after(connections_.limits.request);
  http::async_read_header(
      stream_, buffer_, *parser_,
      [self = shared_from_this()](beast::error_code error, std::size_t) {
        if (!error) return self->answer();
        if (error == http::error::header_limit || error == http::error::buffer_overflow) {
          self->refuse(Status::request_header_fields_too_large, "headers too long");
        } else if (error.category() == make_error_code(http::error::bad_method).category() &&
                   error != http::error::end_of_stream && error != http::error::partial_message) {
          self->refuse(Status::bad_request, "malformed request");
        }
        // Otherwise the connection was closed or timed out.
      });
}

void Session::answer() {
  auto const& request = parser_->get();
  RequestHeaders const headers{view_of(request[http::field::host]),
                               view_of(request[http::field::origin]), view_of(request.target()),
                               view_of(request[http::field::cookie])};
  if (request.count(http::field::host) > 1 || request.count(http::field::origin) > 1 ||
      !headers.target.starts_with('/')) {
    return refuse(Status::bad_request, "malformed request");
  }
  if (!is_admitted(connections_.endpoint, headers))
    return refuse(Status::forbidden, "access denied");
  bool const head = request.method() == http::verb::head;
  if ((request.method() != http::verb::get && !head) || !parser_->is_done()) {
    return refuse(Status::method_not_allowed, "only GET and HEAD, without a body");
  }
  auto const path = path_of(headers.target);
  if (path == "/stream") return become_viewer();
  auto const* file = page_file(path);
  if (file == nullptr) return refuse(Status::not_found, "no such file");
  send(Status::ok, file->content_type, file->bytes);
}

void Session::become_viewer() {
  // Bytes after the request would be lost: a client must wait for the answer.
  if (!beast::websocket::is_upgrade(parser_->get()) || buffer_.size() > 0) {
    return refuse(Status::upgrade_required, "WebSocket upgrade required");
  }
  if (connections_.viewers.size() >= connections_.limits.viewers) {
    return refuse(Status::service_unavailable, "too many viewers");
  }
  std::make_shared<Viewer>(stream_.release_socket(), connections_, hub_)
      ->accept(parser_->release());
}

void Session::refuse(Status status, std::string const& why) {
  text_ = why + "\n";
  send(status, "text/plain; charset=utf-8",
       {reinterpret_cast<unsigned char const*>(text_.data()), text_.size()});
}

void Session::send(Status status, std::string_view content_type,
                   std::span<unsigned char const> bytes) {
  auto const& request = parser_->get();
  auto const& endpoint = connections_.endpoint;
  bool const good = status == Status::ok;
  response_ = {status, 11};
  set_security_headers(response_, connections_.frame_ancestors);
  response_.set(http::field::content_type,
                beast::string_view(content_type.data(), content_type.size()));
  if (status == Status::method_not_allowed) response_.set(http::field::allow, "GET, HEAD");
  if (status == Status::upgrade_required) response_.set(http::field::upgrade, "websocket");
  if (good && !endpoint.token.empty()) {
    // With the cookie, the page's own requests do not need the token in their URL.
    response_.set(http::field::set_cookie, cookie_name(endpoint) + "=" + endpoint.token +
                                               "; Path=/; HttpOnly; SameSite=Strict");
  }
  response_.keep_alive(good && request.keep_alive());
  response_.content_length(bytes.size());
  if (request.method() != http::verb::head) response_.body() = {bytes.data(), bytes.size()};
  stream_.expires_after(connections_.limits.request);
  http::async_write(
      stream_, response_,
      [self = shared_from_this()](beast::error_code error, std::size_t) { self->on_sent(error); });
}

void Session::on_sent(beast::error_code error) {
  if (error) return;
  if (response_.keep_alive()) return read();
  stream_.socket().shutdown(boost::asio::ip::tcp::socket::shutdown_send, error);
  // Closing with unread input would reset the connection before the answer is read.
  stream_.expires_after(connections_.limits.request);
  drain();
}

void Session::drain() {
  stream_.async_read_some(boost::asio::buffer(discarded_),
                          [self = shared_from_this()](beast::error_code error, std::size_t) {
                            if (!error) self->drain();
                          });
}

Viewer::Viewer(boost::asio::ip::tcp::socket socket, Connections& connections, Hub& hub)
    : stream_(std::move(socket)), connections_(connections), hub_(hub) {
  connections_.viewers.insert(this);
  connections_.changed();
}

Viewer::~Viewer() {
  connections_.viewers.erase(this);
  connections_.changed();
}

void Viewer::accept(Request request) {
  request_ = std::move(request);
  beast::get_lowest_layer(stream_).expires_never();  // the WebSocket has its own timeouts
  stream_.set_option(websocket::stream_base::timeout{connections_.limits.request,
                                                     connections_.limits.silence, true});
  stream_.set_option(websocket::stream_base::decorator(
      [ancestors = connections_.frame_ancestors](websocket::response_type& response) {
        set_security_headers(response, ancestors);
      }));
  stream_.read_message_max(max_message_bytes);
  stream_.auto_fragment(false);  // a frame is sent from its memory without a copy
  stream_.async_accept(request_, [self = shared_from_this()](beast::error_code error) {
    if (error) return self->drop();
    self->open_ = true;
    self->read();
    self->write_next();
  });
}

void Viewer::read() {
  stream_.async_read(received_, [self = shared_from_this()](beast::error_code error, std::size_t) {
    if (error) return self->drop();
    self->on_message();
    self->read();
  });
}

void Viewer::on_message() {
  auto const message = parse_message(beast::buffers_to_string(received_.data()));
  received_.consume(received_.size());
  if (!message) return;
  if (message->command && is_allowed(*message->command)) hub_.put(*message->command);
  if (!message->ready) return;
  ready_ = std::min(*message->ready, max_points);
  write_next();
  connections_.changed();
}

bool Viewer::is_allowed(Command const& command) const {
  return command.kind == Command::Kind::stop ? connections_.stop : connections_.control;
}

void Viewer::write_next() {
  if (!open_ || writing_ || over_sent_ || dropped_) return;
  text_ = hub_.with_texts([&](Texts const& texts) { return texts.next(text_position_); });
  if (text_) return write(*text_);
  if (ending_) {
    static std::string const over = R"({"type":"over"})";
    over_sent_ = true;
    bool const is_said = hub_.with_texts([](Texts const& texts) { return texts.has_said("over"); });
    return is_said ? close() : write(over);
  }
  if (ready_ > 0) write_frame();
}

void Viewer::write(std::string const& text) {
  writing_ = true;
  stream_.text(true);
  stream_.async_write(boost::asio::buffer(text),
                      [self = shared_from_this()](beast::error_code error, std::size_t) {
                        self->on_written(error);
                      });
}

void Viewer::write_frame() {
  auto newer = hub_.frame_after(frame_number_);
  if (!newer) return;
  frame_ = *std::move(newer);
  auto const points = static_cast<std::uint32_t>(
      std::min<std::size_t>(std::exchange(ready_, 0), frame_.points.size()));
  header_ = frame_header(frame_, points);
  writing_ = true;
  stream_.binary(true);
  auto const details = detail_count(frame_, points);
  std::array const buffers{boost::asio::const_buffer(boost::asio::buffer(header_)),
                           boost::asio::const_buffer(frame_.points.data(), points * sizeof(Point)),
                           boost::asio::const_buffer(details > 0 ? frame_.details->data() : nullptr,
                                                     details * sizeof(BodyDetails))};
  stream_.async_write(buffers, [self = shared_from_this()](beast::error_code error, std::size_t) {
    self->on_written(error);
  });
}

void Viewer::on_written(beast::error_code error) {
  writing_ = false;
  text_.reset();
  frame_ = {};
  if (error) return drop();
  if (over_sent_) return close();
  write_next();
}

void Viewer::end() {
  ending_ = true;
  write_next();
}

void Viewer::close() {
  stream_.async_close(websocket::close_code::going_away,
                      [self = shared_from_this()](beast::error_code) { self->drop(); });
}

void Viewer::drop() {
  dropped_ = true;
  ready_ = 0;
  // Pending reads and writes now end with an error. The last of them destroys this object.
  beast::get_lowest_layer(stream_).close();
}

}  // namespace apsis::view
