// SPDX-License-Identifier: Apache-2.0
#include "support/contains.hpp"
#include "support/executable/web_client.hpp"
#include "support/served.hpp"
#include "view/messages.hpp"

#include <doctest/doctest.h>

#include <cstring>
#include <string>
#include <vector>

using namespace apsis;
using namespace apsis::testing;

namespace {

view::Server open_server(bool control = false) {
  view::ServerOptions options;
  options.control = control;
  return view::Server(options);
}

std::string on_the_wire(view::Frame const& frame, std::uint32_t points) {
  auto const header = view::frame_header(frame, points);
  std::string bytes(header.begin(), header.end());
  bytes.resize(64 + points * sizeof(view::Point));
  if (points > 0) std::memcpy(bytes.data() + 64, frame.points.data(), points * sizeof(view::Point));
  return bytes;
}

}  // namespace

TEST_CASE("the header of a frame has the same bytes on every machine") {
  view::Frame frame;
  frame.step = 0x0102030405060708;
  frame.bodies = 0x1112131415161718;
  frame.time = 1.5;
  frame.centre = {1.0F, -2.0F, 0.5F};
  frame.half = 4.0F;
  frame.speed = 0.25F;
  auto const header = view::frame_header(frame, 0xA1B2C3D4);
  std::array<unsigned char, 64> const expected{
      'A',  'P',  'S',  '1',                                          //
      0xD4, 0xC3, 0xB2, 0xA1,                                         // points
      0x08, 0x07, 0x06, 0x05, 0x04, 0x03, 0x02, 0x01,                 // step
      0x18, 0x17, 0x16, 0x15, 0x14, 0x13, 0x12, 0x11,                 // bodies
      0,    0,    0,    0,    0,    0,    0xF8, 0x3F,                 // time
      0,    0,    0x80, 0x3F, 0,    0,    0,    0xC0, 0, 0, 0, 0x3F,  // centre
      0,    0,    0x80, 0x40, 0,    0,    0x80, 0x3E,                 // half, speed
      0,    0,    0,    0,    0,    0,    0,    0,    0, 0, 0, 0};
  CHECK(header == expected);
}

TEST_CASE("a ready viewer gets the first points of each frame, once") {
  auto server = open_server();
  WebViewer viewer(port_of(server));
  REQUIRE(contains(viewer.answer(), "101 Switching Protocols"));
  CHECK(contains(viewer.answer(),
                 "s3pPLMBiTxaQ9kYGzzhZRbK+xOo="));  // example of RFC 6455, section 1.3
  CHECK(server.wanted_points() == 0);
  auto const first = frame_of(1000, 1);
  server.publish(first);
  CHECK(viewer.hear(50).kind == 0);  // the viewer was not ready
  viewer.say(R"({"ready": 10})");
  auto message = viewer.hear();
  CHECK(message.kind == 2);
  CHECK(message.content == on_the_wire(first, 10));
  viewer.say(R"({"ready": 5000})");
  CHECK(comes_true([&] { return server.wanted_points() == 5000; }));
  CHECK(viewer.hear(50).kind == 0);  // no new frame
  auto const second = frame_of(1000, 2);
  server.publish(second);
  CHECK(viewer.hear().content == on_the_wire(second, 1000));
  CHECK(comes_true([&] { return server.wanted_points() == 0; }));
  server.publish(frame_of(1000, 3));
  CHECK(viewer.hear(50).kind == 0);
  viewer.say(R"({"ready": 3})");
  CHECK(viewer.hear().content == on_the_wire(frame_of(1000, 3), 3));
  viewer.say(R"({"ready": 3})");
  CHECK(comes_true([&] { return server.wanted_points() == 3; }));
  viewer.say(R"({"ready": 0})");
  CHECK(comes_true([&] { return server.wanted_points() == 0; }));
  auto const empty = frame_of(0, 4);
  server.publish(empty);
  viewer.say(R"({"ready": 3})");
  CHECK(viewer.hear().content == on_the_wire(empty, 0));
}

TEST_CASE("a viewer gets no more points than the page ever asks for") {
  auto server = open_server();
  WebViewer viewer(port_of(server));
  viewer.say(R"({"ready": 4294967295})");
  CHECK(comes_true([&] { return server.wanted_points() == view::max_points; }));
}

TEST_CASE("a viewer with control may not stop the command unless that is allowed as well") {
  for (bool const may_stop : {false, true}) {
    view::ServerOptions options;
    options.control = true;
    options.stop = may_stop;
    view::Server server(options);
    WebViewer viewer(port_of(server));
    viewer.say(R"({"do": "stop"})");
    viewer.say(R"({"do": "pause"})");
    std::vector<view::Command::Kind> heard;
    CHECK(comes_true([&] {
      while (auto const command = server.take()) heard.push_back(command->kind);
      return !heard.empty() && heard.back() == view::Command::Kind::pause;
    }));
    CHECK((heard.front() == view::Command::Kind::stop) == may_stop);
  }
}

TEST_CASE("32 viewers get the same frame; the largest request counts") {
  auto server = open_server();
  std::vector<WebViewer> viewers;
  for (int i = 0; i < 32; ++i) viewers.emplace_back(port_of(server));
  CHECK(comes_true([&] { return server.viewers() == 32; }));
  auto const frame = frame_of(100'000, 1);
  for (unsigned i = 0; i < 32; ++i) {
    viewers[i].say(R"({"ready": )" + std::to_string(50'000 + 2000 * i) + "}");
  }
  CHECK(comes_true([&] { return server.wanted_points() == 112'000; }));
  server.publish(frame);
  for (unsigned i = 0; i < 32; ++i) {
    auto const points = std::min(100'000U, 50'000 + 2000 * i);
    CHECK(viewers[i].hear().content == on_the_wire(frame, points));
  }
  CHECK(comes_true([&] { return server.wanted_points() == 0; }));
}

TEST_CASE("texts arrive in order, also for later viewers, before the last frame") {
  auto server = open_server();
  WebViewer early(port_of(server));
  server.say("hello", R"({"type":"hello"})");
  CHECK(early.hear().content == R"({"type":"hello"})");
  std::vector<std::string> rows;
  for (int i = 0; i < 1000; ++i) {
    rows.push_back(R"({"type":"row","x":)" + std::to_string(i) + "}");
    server.append("row", rows.back());
  }
  server.say("state", R"({"type":"state","n":1})");
  server.say("state", R"({"type":"state","n":2})");
  server.publish(frame_of(10, 7));
  WebViewer late(port_of(server));
  late.say(R"({"ready": 5})");
  CHECK(late.hear().content == R"({"type":"hello"})");
  CHECK(late.hear().content == R"({"type":"state","n":2})");
  for (auto const& row : rows) {
    auto const message = late.hear();
    REQUIRE(message.kind == 1);
    REQUIRE(message.content == row);
  }
  CHECK(late.hear().content == on_the_wire(frame_of(10, 7), 5));
  std::vector<std::string> heard;
  while (heard.empty() || heard.back() != rows.back()) {
    auto message = early.hear();
    REQUIRE(message.kind == 1);
    if (message.content.find("row") != std::string::npos) heard.push_back(message.content);
  }
  CHECK(heard == rows);
  server.clear("row");
  WebViewer latest(port_of(server));
  CHECK(latest.hear().content == R"({"type":"hello"})");
  CHECK(latest.hear().content == R"({"type":"state","n":2})");
  CHECK(latest.hear(50).kind == 0);
}

TEST_CASE("commands are accepted in order by a server with control") {
  auto server = open_server(true);
  WebViewer viewer(port_of(server));
  CHECK_FALSE(server.take());
  viewer.say(R"({"do": "pause"})");
  viewer.say("nonsense");
  viewer.say(std::string("\x00\x01\xff", 3), 2);
  viewer.say(R"({"do": "speed", "value": 4})");
  std::vector<view::Command> taken;
  CHECK(comes_true([&] {
    if (auto const command = server.take()) taken.push_back(*command);
    return taken.size() == 2;
  }));
  CHECK(taken[0].kind == view::Command::Kind::pause);
  CHECK(taken[1].kind == view::Command::Kind::speed);
  CHECK(taken[1].value == 4.0);
  // More than the queue holds.
  for (int i = 0; i < 200; ++i) viewer.say(R"({"do": "single_step"})");
  viewer.say(R"({"ready": 9})");
  CHECK(comes_true([&] { return server.wanted_points() == 9; }));
  int count = 0;
  while (server.take()) ++count;
  CHECK(count == 64);
}

TEST_CASE("without control viewers can only watch") {
  auto server = open_server(false);
  WebViewer viewer(port_of(server));
  for (auto const* word : {"pause", "go_on", "stop", "restart"}) {
    viewer.say(std::string(R"({"do": ")") + word + "\"}");
  }
  viewer.say(R"({"do": "stop", "ready": 9})");
  CHECK(comes_true([&] { return server.wanted_points() == 9; }));
  CHECK_FALSE(server.take());
}

TEST_CASE("a message that is too long or empty ends the connection") {
  auto server = open_server(true);
  WebViewer fits(port_of(server)), too_long(port_of(server)), unmasked(port_of(server));
  std::string message = R"({"do": "pause"})";
  message.resize(view::max_message_bytes, ' ');
  fits.say(message);
  CHECK(comes_true([&] { return server.take().has_value(); }));
  too_long.say(message + ' ');
  CHECK(too_long.hear().kind == 8);
  unmasked.connection().send(std::string("\x81\x01{", 3));
  CHECK(unmasked.hear().kind == 8);
  too_long.connection().close();
  unmasked.connection().close();
  CHECK(comes_true([&] { return server.viewers() == 1; }));
  CHECK_FALSE(server.take());
}
