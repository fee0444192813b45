// SPDX-License-Identifier: Apache-2.0
#include "viewer.hpp"

#include "connections.hpp"
#include "view/frame.hpp"

#include <algorithm>
#include <boost/beast/core/buffers_to_string.hpp>
#include <boost/beast/websocket/rfc6455.hpp>
#include <string>
#include <utility>

namespace apsis::view {

namespace beast = boost::beast;
namespace websocket = boost::beast::websocket;

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
  text_ = hub_.text_after(text_position_);
  if (text_) return write(*text_);
  if (ending_) {
    static std::string const over = R"({"type":"over"})";
    over_sent_ = true;
    return hub_.has_said("over") ? close() : write(over);
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
