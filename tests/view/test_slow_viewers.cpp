// SPDX-License-Identifier: Apache-2.0
#include "support/contains.hpp"
#include "support/executable/web_client.hpp"
#include "support/served.hpp"
#include <apsis/core/error.hpp>

#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <sys/resource.h>
#include <thread>
#include <vector>

using namespace apsis;
using namespace apsis::testing;

namespace {

double resident_mebibytes() {
  std::ifstream status("/proc/self/statm");
  double pages = 0, resident = 0;
  status >> pages >> resident;
  return resident * static_cast<double>(::sysconf(_SC_PAGESIZE)) / (1 << 20);
}

/// Returns a frame with memory that counts how many such frames exist.
view::Frame counted_frame(std::atomic<int>& alive, std::uint64_t step) {
  auto frame = frame_of(1 << 16, step);
  ++alive;
  frame.memory = std::shared_ptr<void const>(
      nullptr, [&alive, memory = frame.memory](void const*) { --alive; });
  return frame;
}

}  // namespace

TEST_CASE("viewers that never read hold one frame each and do not delay other viewers") {
  std::atomic<int> alive{0};
  {
    // With these limits a server that waited for one of them would wait until it is dropped.
    auto limits = brief();
    limits.silence = 2 * patience;
    view::Server server(view::ServerOptions{}, limits);
    auto const port = port_of(server);
    std::vector<WebViewer> stuck;
    for (int i = 0; i < 8; ++i) {
      stuck.emplace_back(port, "/stream", "", 4096);
      stuck.back().say(R"({"ready": 1048576})");
    }
    CHECK(comes_true([&] { return server.viewers() == 8 && server.wanted_points() == 1048576; }));
    // 8 MB shared by all frames, so that the measured time is the server's own.
    auto const large = frame_of(1 << 20, 1);
    auto const before = resident_mebibytes();
    auto const seconds = processor_seconds_of([&] {
      for (int i = 0; i < 2000; ++i) {
        server.publish(large);
        server.say("state", std::string(1000, 'x'));
      }
    });
    CHECK(seconds < 2.0);
    CHECK(resident_mebibytes() - before < 100.0);
    for (int i = 0; i < 500; ++i) {
      server.publish(counted_frame(alive, 1));
      CHECK(alive <= 1 + 1 + 8);
    }
    // A viewer that reads is not delayed by the others.
    WebViewer brisk(port);
    brisk.say(R"({"ready": 10})");
    Message message;
    while ((message = brisk.hear()).kind == 1) {
    }
    CHECK(message.kind == 2);
    CHECK(message.content.size() == 64 + 80);
  }
  CHECK(alive == 0);
}

TEST_CASE("viewers that never read answer no ping and are dropped") {
  view::Server server(view::ServerOptions{}, brief());
  std::vector<WebViewer> stuck;
  for (int i = 0; i < 8; ++i) {
    stuck.emplace_back(port_of(server), "/stream", "", 4096);
    stuck.back().say(R"({"ready": 1048576})");
  }
  CHECK(comes_true([&] { return server.viewers() == 8; }));
  server.publish(frame_of(1 << 20, 1));
  CHECK(comes_true([&] { return server.viewers() == 0; }));
  CHECK(server.wanted_points() == 0);
}

TEST_CASE("the memory of a frame is released when it was sent and a newer one exists") {
  std::atomic<int> alive{0};
  view::Server server(view::ServerOptions{});
  WebViewer viewer(port_of(server));
  server.publish(counted_frame(alive, 1));
  viewer.say(R"({"ready": 65536})");
  CHECK(viewer.hear().content.size() == 64 + 8 * 65536);
  server.publish(counted_frame(alive, 2));
  CHECK(comes_true([&] { return alive == 1; }));
}

TEST_CASE("connections leave enough files for the run") {
  auto const open_files = [] {
    std::filesystem::directory_iterator const files("/proc/self/fd");
    return static_cast<std::size_t>(std::distance(begin(files), end(files)));
  };
  rlimit before{};
  REQUIRE(::getrlimit(RLIMIT_NOFILE, &before) == 0);
  auto const set_file_limit = [&](std::size_t files) {
    rlimit now = before;
    now.rlim_cur = files;
    REQUIRE(::setrlimit(RLIMIT_NOFILE, &now) == 0);
  };
  view::Limits const limits;
  auto const used = open_files();
  set_file_limit(used + limits.spare_files + 5);
  CHECK(view::affordable_connections(limits) <= 5);
  CHECK(view::affordable_connections(limits) >= 4);
  set_file_limit(used + limits.spare_files + 1000);
  CHECK(view::affordable_connections(limits) == limits.connections);
  set_file_limit(used + limits.spare_files / 2);
  int status = 0;
  try {
    view::Server const server(view::ServerOptions{});
  } catch (Error const& error) {
    status = static_cast<int>(error.status());
  }
  CHECK(status == 70);
  // With the largest number of connections a file can still be opened.
  set_file_limit(used + limits.spare_files + 40);
  {
    view::Server const server(view::ServerOptions{});
    auto const port = port_of(server);
    REQUIRE(::setrlimit(RLIMIT_NOFILE, &before) == 0);
    auto const start = open_files();
    std::vector<Connection> half_open;
    for (int i = 0; i < 60; ++i) half_open.emplace_back(port);
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    CHECK(open_files() - start <= 60 + 40);
  }
  REQUIRE(::setrlimit(RLIMIT_NOFILE, &before) == 0);
}

TEST_CASE("viewers disconnect in every possible way and reconnect") {
  view::Server server(view::ServerOptions{});
  auto const port = port_of(server);
  server.publish(frame_of(100'000, 1));
  for (int round = 0; round < 20; ++round) {
    std::optional<WebViewer> viewer(port);
    REQUIRE(contains(viewer->answer(), "101"));
    viewer->say(R"({"ready": 100000})");
    if (round % 4 == 0) viewer->connection().reset();
    if (round % 4 == 1) viewer->say("", 8);
    if (round % 4 == 2) CHECK(viewer->hear().content.size() == 64 + 800'000);
    if (round % 8 == 3)
      viewer->connection().send(std::string("\x81\xfe", 2));  // an incomplete message
    viewer.reset();
    CHECK(comes_true([&] { return server.viewers() == 0; }));
    CHECK(server.wanted_points() == 0);
  }
}

TEST_CASE("viewers that answer pings stay, silent ones are dropped") {
  view::Server server(view::ServerOptions{}, brief());
  WebViewer lively(port_of(server)), half_open(port_of(server));
  CHECK(comes_true([&] { return server.viewers() == 2; }));
  for (int i = 0; i < 4; ++i) {
    CHECK(lively.hear().kind == 9);
    lively.say("", 10);
  }
  CHECK(server.viewers() == 1);
}

TEST_CASE("viewers beyond the limit are refused until one leaves") {
  view::Server server(view::ServerOptions{});
  auto const port = port_of(server);
  std::vector<WebViewer> viewers;
  for (int i = 0; i < 64; ++i) viewers.emplace_back(port);
  CHECK(contains(viewers.back().answer(), "101 Switching Protocols"));
  CHECK(contains(WebViewer(port).answer(), "503 Service Unavailable"));
  viewers.pop_back();
  CHECK(comes_true([&] { return server.viewers() == 63; }));
  CHECK(contains(WebViewer(port).answer(), "101 Switching Protocols"));
}

TEST_CASE(
    "at its end the server sends the remaining texts and the last message, and waits for no "
    "viewer") {
  auto limits = brief();
  CHECK(view::Limits{}.closing < std::chrono::seconds(1));
  SUBCASE("all viewers read") {
    limits.closing = 2 * patience;
    auto server = std::make_unique<view::Server>(view::ServerOptions{}, limits);
    auto const port = port_of(*server);
    std::vector<WebViewer> viewers;
    for (int i = 0; i < 10; ++i) viewers.emplace_back(port);
    CHECK(comes_true([&] { return server->viewers() == 10; }));
    server->append("row", "last");
    std::thread browser([&] {
      for (auto& viewer : viewers) {
        CHECK(viewer.hear().content == "last");
        CHECK(viewer.hear().content == R"({"type":"over"})");
        auto const close = viewer.hear();
        CHECK(close.kind == 8);
        viewer.say(close.content, 8);
        CHECK(viewer.connection().take_all() == "");
        viewer.connection().close();
      }
    });
    CHECK(seconds_of([&] { server.reset(); }) < std::chrono::duration<double>(patience).count());
    browser.join();
  }
  SUBCASE("the run sends its own last message") {
    auto server = std::make_unique<view::Server>(view::ServerOptions{}, limits);
    WebViewer viewer(port_of(*server));
    server->say("over", R"({"type":"over","message":"done"})");
    server.reset();
    CHECK(viewer.hear().content == R"({"type":"over","message":"done"})");
    CHECK(viewer.hear().kind == 8);
  }
  SUBCASE("no viewer reads") {
    limits.closing = std::chrono::milliseconds(200);
    auto server = std::make_unique<view::Server>(view::ServerOptions{}, limits);
    auto const port = port_of(*server);
    std::vector<WebViewer> viewers;
    for (int i = 0; i < 10; ++i) {
      viewers.emplace_back(port, "/stream", "", 4096);
      viewers.back().say(R"({"ready": 1048576})");
    }
    Connection idle(port);
    CHECK(comes_true([&] { return server->wanted_points() == 1048576; }));
    server->publish(frame_of(1 << 20, 1));
    CHECK(comes_true([&] { return server->wanted_points() == 0; }));
    server.reset();
    CHECK(idle.take_all() == "");
    CHECK_THROWS(Connection(port));
    // The port is free again at once.
    view::ServerOptions again;
    again.port = port;
    view::Server const next(again);
    CHECK(contains(WebViewer(port).answer(), "101"));
  }
}
