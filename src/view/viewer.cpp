// SPDX-License-Identifier: Apache-2.0
#include "viewer.hpp"

#include "frame_header.hpp"
#include "headers.hpp"

#include <algorithm>
#include <boost/beast/core/buffers_to_string.hpp>
#include <boost/beast/websocket/rfc6455.hpp>
#include <string>
#include <utility>

namespace apsis::view {

namespace beast = boost::beast;
namespace websocket = boost::beast::websocket;

Viewer::Viewer(boost::asio::ip::tcp::socket socket, Doors& doors, Hub& hub)
    : stream_(std::move(socket)), doors_(doors), hub_(hub) {
  doors_.viewers.insert(this);
  doors_.changed();
}

Viewer::~Viewer() {
  doors_.viewers.erase(this);
  doors_.changed();
}

void Viewer::accept(Request request) {
  request_ = std::move(request);
  beast::get_lowest_layer(stream_).expires_never();  // the WebSocket has times of its own
  stream_.set_option(
      websocket::stream_base::timeout{doors_.limits.request, doors_.limits.silence, true});
  stream_.set_option(websocket::stream_base::decorator(
      [](websocket::response_type& response) { protect(response); }));
  stream_.read_message_max(longest_message);
  stream_.auto_fragment(false);  // a frame goes out from where it lies, without copies
  stream_.async_accept(request_, [self = shared_from_this()](beast::error_code error) {
    if (error) return self->drop();
    self->open_ = true;
    self->read();
    self->go_on();
  });
}

void Viewer::read() {
  stream_.async_read(heard_, [self = shared_from_this()](beast::error_code error, std::size_t) {
    if (error) return self->drop();
    self->hear();
    self->read();
  });
}

void Viewer::hear() {
  auto const said = understand(beast::buffers_to_string(heard_.data()));
  heard_.consume(heard_.size());
  if (!said) return;
  if (said->command && is_allowed(*said->command)) hub_.put(*said->command);
  if (!said->ready) return;
  ready_ = std::min(*said->ready, most_points);
  go_on();
  doors_.changed();
}

bool Viewer::is_allowed(Command const& command) const {
  return command.kind == Command::Kind::stop ? doors_.stop : doors_.control;
}

void Viewer::go_on() {
  if (!open_ || writing_ || told_ || dropped_) return;
  text_ = hub_.text_after(seen_texts_);
  if (text_) return write(*text_);
  if (ending_) {
    static std::string const over = R"({"type":"over"})";
    told_ = true;
    return hub_.has_said("over") ? close() : write(over);
  }
  if (ready_ > 0) write_frame();
}

void Viewer::write(std::string const& text) {
  writing_ = true;
  stream_.text(true);
  stream_.async_write(
      boost::asio::buffer(text),
      [self = shared_from_this()](beast::error_code error, std::size_t) { self->written(error); });
}

void Viewer::write_frame() {
  auto newer = hub_.frame_after(seen_frame_);
  if (!newer) return;
  frame_ = *std::move(newer);
  auto const points = static_cast<std::uint32_t>(
      std::min<std::size_t>(std::exchange(ready_, 0), frame_.points.size()));
  header_ = frame_header(frame_, points);
  writing_ = true;
  stream_.binary(true);
  std::array const buffers{boost::asio::const_buffer(boost::asio::buffer(header_)),
                           boost::asio::const_buffer(frame_.points.data(), points * sizeof(Point))};
  stream_.async_write(buffers, [self = shared_from_this()](beast::error_code error, std::size_t) {
    self->written(error);
  });
}

void Viewer::written(beast::error_code error) {
  writing_ = false;
  text_.reset();
  frame_ = {};
  if (error) return drop();
  if (told_) return close();
  go_on();
}

void Viewer::end() {
  ending_ = true;
  go_on();
}

void Viewer::close() {
  stream_.async_close(websocket::close_code::going_away,
                      [self = shared_from_this()](beast::error_code) { self->drop(); });
}

void Viewer::drop() {
  dropped_ = true;
  ready_ = 0;
  // What still reads or writes ends with an error, and this object with the last of them.
  beast::get_lowest_layer(stream_).close();
}

}  // namespace apsis::view
