// SPDX-License-Identifier: Apache-2.0
#include "support/executable/background.hpp"
#include "support/executable/commands.hpp"
#include "support/executable/web_client.hpp"
#include "support/relative.hpp"

#include <chrono>
#include <cstring>
#include <functional>
#include <thread>

using namespace apsis::testing;
using nlohmann::json;

namespace {

/// Waits for the address that a command prints and returns its port.
std::uint16_t port_of(Scratch const& scratch) {
  std::uint16_t port = 0;
  bool const printed = comes_true([&] {
    auto const out = content(scratch / "background.out");
    auto const place = out.find("http://127.0.0.1:");
    if (place == std::string::npos || out.find('\n', place) == std::string::npos) return false;
    port = static_cast<std::uint16_t>(std::stoi(out.substr(place + 17)));
    return true;
  });
  if (!printed) FAIL("no address: " << content(scratch / "background.err"));
  return port;
}

/// Returns the first message to a viewer of this type that satisfies `good`.
json await_message(
    WebViewer& viewer, std::string const& type,
    std::function<bool(json const&)> const& good = [](json const&) { return true; }) {
  for (int i = 0; i < 2000; ++i) {
    auto const message = viewer.hear();
    REQUIRE(message.kind != 0);
    if (message.kind != 1) continue;
    auto const text = json::parse(message.content);
    if (text["type"] == type && good(text)) return text;
  }
  FAIL("nothing of type " << type);
  return {};
}

/// Returns step and number of points of the next frame.
std::pair<std::uint64_t, std::uint32_t> frame(WebViewer& viewer, std::string const& ready) {
  viewer.say(ready);
  for (int i = 0; i < 2000; ++i) {
    auto const message = viewer.hear();
    REQUIRE(message.kind != 0);
    if (message.kind != 2) continue;
    REQUIRE(message.content.size() >= 64);
    CHECK(message.content.substr(0, 4) == "APS1");
    std::uint32_t points = 0;
    std::uint64_t step = 0;
    std::memcpy(&points, message.content.data() + 4, 4);
    std::memcpy(&step, message.content.data() + 8, 8);
    CHECK(message.content.size() == 64 + 8 * static_cast<std::size_t>(points));
    return {step, points};
  }
  FAIL("no frame");
  return {};
}

bool has_status(json const& state, char const* status) {
  return state["status"] == status;
}

}  // namespace

TEST_CASE("a run that is watched, paused and stepped has the bits of an unwatched run") {
  Scratch const scratch;
  scratch.write("deck.json", resumed_deck);
  REQUIRE(run_apsis("run deck.json --output alone", scratch).status == 0);
  // Long enough to be watched.
  std::string const longer =
      "run deck.json --set run.steps=1000 --set conservation.max_relative_energy_error=1e-3 ";
  REQUIRE(run_apsis(longer + "--output alone_for_long", scratch).status == 0);
  Background run(longer + "--output watched --view 0 --view-control", scratch);
  auto const port = port_of(scratch);
  WebViewer viewer(port), other(port), third(port);
  auto const hello = await_message(viewer, "hello");
  CHECK(hello["mode"] == "run");
  CHECK(hello["control"] == true);
  CHECK(hello["bodies"] == 64);
  CHECK(hello["integrator"] == "hermite4");
  CHECK(frame(viewer, R"({"ready": 1000})").second == 64);
  CHECK(frame(other, R"({"ready": 10})").second == 10);
  third.connection().reset();
  viewer.say(R"({"do": "pause"})");
  auto const paused =
      await_message(viewer, "state", [](json const& state) { return has_status(state, "paused"); });
  std::uint64_t const step = paused["step"];
  viewer.say(R"({"do": "single_step"})");
  auto const stepped =
      await_message(viewer, "state", [&](json const& state) { return state["step"] > step; });
  CHECK(stepped["step"] == step + 1);
  CHECK(frame(viewer, R"({"ready": 64})").first == step + 1);
  viewer.say(R"({"do": "go_on"})");
  await_message(viewer, "conservation");
  auto const over = await_message(viewer, "over");
  auto const verdict = over["message"].get<std::string>();
  CHECK(verdict.starts_with("done: t = "));
  CHECK(contains(verdict, ", energy conserved to "));
  CHECK(contains(verdict, ", limit "));
  CHECK(over["verdict"] == "good");
  CHECK(run.wait() == 0);
  CHECK(log_of(scratch / "watched") == log_of(scratch / "alone_for_long"));
  CHECK(summary_of(scratch / "watched")["status"] ==
        summary_of(scratch / "alone_for_long")["status"]);
}

TEST_CASE("a run waits for its first viewer, keeps its pace and its page, and has the same bits") {
  Scratch const scratch;
  scratch.write("deck.json", resumed_deck);
  REQUIRE(run_apsis("run deck.json --output alone", scratch).status == 0);
  // 0.625 units of time in at least half a second.
  Background run("run deck.json --output paced --view 0 --view-wait yes --pace 1.25", scratch);
  auto const port = port_of(scratch);
  std::this_thread::sleep_for(std::chrono::milliseconds(500));
  CHECK_FALSE(std::filesystem::exists(scratch / "paced/conservation.csv"));
  auto const begin = std::chrono::steady_clock::now();
  {
    WebViewer viewer(port);
    auto const over = await_message(viewer, "over");
    CHECK(over["verdict"] == "unjudged");
    CHECK(contains(over["message"], ", no limit"));
    std::chrono::duration<double> const elapsed = std::chrono::steady_clock::now() - begin;
    CHECK(elapsed.count() > 0.45);
  }
  // The page stays for viewers that come after the end.
  WebViewer late(port);
  auto const state = await_message(late, "state");
  CHECK(has_status(state, "finished"));
  CHECK(state["steps_per_second"] > 0.0);
  CHECK(frame(late, R"({"ready": 64})").first == 40);
  run.send(SIGINT);
  CHECK(run.wait() == 0);
  CHECK(log_of(scratch / "paced") == log_of(scratch / "alone"));
  CHECK(content(scratch / "paced/snapshot_000004.h5") ==
        content(scratch / "alone/snapshot_000004.h5"));
}

TEST_CASE("Ctrl-C ends a run that waits for a viewer or for its pace") {
  Scratch const scratch;
  scratch.write("deck.json", resumed_deck);
  for (auto const* options : {"--view-wait yes", "--pace 1e-6"}) {
    CAPTURE(options);
    std::filesystem::remove(scratch / "background.out");
    Background run(std::string("run deck.json --force --view 0 ") + options, scratch);
    port_of(scratch);
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    run.send(SIGINT);
    CHECK(run.wait() == 75);
    CHECK(summary_of(scratch / "deck.run")["stop_reason"] == "signal");
  }
}

TEST_CASE("only viewers with control may stop a run") {
  Scratch const scratch;
  scratch.write("deck.json", resumed_deck);
  {
    Background run("run deck.json --view 0 " + endless_run, scratch);
    WebViewer viewer(port_of(scratch));
    CHECK(await_message(viewer, "hello")["control"] == false);
    viewer.say(R"({"do": "stop"})");
    viewer.say(R"({"do": "pause"})");
    auto const first = await_message(viewer, "state")["step"];
    await_message(viewer, "state", [&](json const& state) { return state["step"] > first; });
    run.send(SIGTERM);
    CHECK(contains(await_message(viewer, "over")["message"], "signal"));
    CHECK(run.wait() == 75);
  }
  std::filesystem::remove(scratch / "background.out");
  Background run("run deck.json --force --view 0 --view-control " + endless_run, scratch);
  WebViewer viewer(port_of(scratch));
  await_message(viewer, "state");
  viewer.say(R"({"do": "stop"})");
  await_message(viewer, "over");
  CHECK(run.wait() == 75);
  CHECK(summary_of(scratch / "deck.run")["stop_reason"] == "request");
}

TEST_CASE("a run restarted by a viewer leaves the same files as an undisturbed run") {
  Scratch const scratch;
  scratch.write("deck.json", resumed_deck);
  REQUIRE(run_apsis("run deck.json --output alone --set run.steps=1000", scratch).status == 0);
  Background run("run deck.json --set run.steps=1000 --output again --view 0 --view-control",
                 scratch);
  WebViewer viewer(port_of(scratch));
  await_message(viewer, "hello");
  viewer.say(R"({"do": "pause"})");
  await_message(viewer, "state", [](json const& state) { return has_status(state, "paused"); });
  viewer.say(R"({"do": "restart"})");
  // The viewer gets a new hello on the same connection.
  CHECK(await_message(viewer, "hello")["control"] == true);
  CHECK(await_message(viewer, "over")["verdict"] == "unjudged");
  CHECK(run.wait() == 0);
  CHECK(contains(content(scratch / "background.out"), "starts again, as requested by a viewer"));
  CHECK(log_of(scratch / "again") == log_of(scratch / "alone"));
  CHECK(content(scratch / "again/snapshot_000001.h5") ==
        content(scratch / "alone/snapshot_000001.h5"));
  CHECK(summary_of(scratch / "again")["stop_reason"] == "end");
  CHECK_FALSE(summary_of(scratch / "again").contains("resumed_from_step"));
}

TEST_CASE("a viewer may restart a run repeatedly; a signal still ends it") {
  Scratch const scratch;
  scratch.write("deck.json", resumed_deck);
  Background run("run deck.json --output again --view 0 --view-control " + endless_run, scratch);
  WebViewer viewer(port_of(scratch));
  for (int times = 0; times < 3; ++times) {
    await_message(viewer, "hello");
    std::filesystem::remove(scratch / "deck.json");
    await_message(viewer, "state", [](json const& state) { return state["step"] > 20; });
    viewer.say(R"({"do": "restart"})");
  }
  await_message(viewer, "hello");
  CHECK_FALSE(std::filesystem::exists(scratch / "again/checkpoint/manifest.json"));
  viewer.say(R"({"do": "stop"})");
  CHECK(contains(await_message(viewer, "over")["message"], "request"));
  run.wait();
  CHECK(summary_of(scratch / "again")["status"] == "stopped");

  // A resumed run, with the resolved deck, restarts from its beginning.
  std::filesystem::remove(scratch / "background.out");
  Background resumed("run again/deck.resolved.json --output again --resume --view 0 --view-control",
                     scratch);
  WebViewer second(port_of(scratch));
  std::uint64_t const step = await_message(second, "state")["step"];
  second.say(R"({"do": "restart"})");
  await_message(second, "hello");
  await_message(second, "state", [&](json const& state) { return state["step"] < step + 1000000; });
  second.say(R"({"do": "restart"})");
  resumed.send(SIGTERM);
  CHECK(resumed.wait() == 75);
  CHECK(std::filesystem::exists(scratch / "again/summary.json"));
}

TEST_CASE("snapshots are played") {
  Scratch const scratch;
  scratch.write("deck.json", resumed_deck);
  REQUIRE(run_apsis("run deck.json", scratch).status == 0);
  Background player("view deck.run --port 0 --view-control", scratch);
  WebViewer viewer(port_of(scratch));
  auto const hello = await_message(viewer, "hello");
  CHECK(hello["mode"] == "play");
  CHECK(hello["bodies"] == 64);
  await_message(viewer, "conservation");
  viewer.say(R"({"do": "pause"})");
  await_message(viewer, "state", [](json const& state) { return has_status(state, "paused"); });
  viewer.say(R"({"do": "seek", "value": 0.5})");
  // A step is a snapshot, so that the number of steps shows the position.
  auto const half =
      await_message(viewer, "state", [](json const& state) { return state["step"] == 2; });
  CHECK(half["steps"] == 4);
  CHECK(half["time"] == 0.3125);
  viewer.say(R"({"do": "single_step"})");
  viewer.say(R"({"do": "seek", "value": 1.0})");
  auto const end = await_message(viewer, "state",
                                 [](json const& state) { return has_status(state, "finished"); });
  CHECK(end["time"] == 0.625);
  CHECK(end["step"] == 4);
  CHECK(frame(viewer, R"({"ready": 64})").first == 4);
  viewer.say(R"({"do": "stop"})");
  CHECK(player.wait() == 0);
}

TEST_CASE("the demonstration shows all its presets") {
  Scratch const scratch;
  Background demo("demo --port 0 --bodies 256 --seconds 1", scratch);
  WebViewer viewer(port_of(scratch));
  for (int preset = 0; preset < 3; ++preset) {
    auto const hello = await_message(viewer, "hello");
    CHECK(hello["mode"] == "demo");
    CHECK(hello["preset"] == preset);
    CHECK(hello["presets"].size() == 8);
    CHECK(hello["bodies"] == 256);
  }
  viewer.say(R"({"do": "pause"})");
  viewer.say(R"({"do": "next"})");
  CHECK(await_message(viewer, "hello")["preset"] == 3);
  CHECK(frame(viewer, R"({"ready": 1000})").second == 256);
  auto const state = await_message(
      viewer, "state", [](json const& text) { return text["interactions_per_second"] > 0.0; });
  CHECK(state["gflops"].get<double>() ==
        approximately(state["interactions_per_second"].get<double>() * 20e-9));
  for (int preset : {4, 5, 6, 7, 0}) {
    viewer.say(R"({"do": "next"})");
    CHECK(await_message(viewer, "hello")["preset"] == preset);
  }
  viewer.say(R"({"do": "previous"})");
  CHECK(await_message(viewer, "hello")["preset"] == 7);
  demo.send(SIGINT);
  CHECK(demo.wait() == 0);
}

TEST_CASE("a demonstration stays with the requested preset until a viewer goes on") {
  Scratch const scratch;
  Background demo("demo --port 0 --bodies 256 --seconds 1 --preset 6", scratch);
  WebViewer viewer(port_of(scratch));
  CHECK(await_message(viewer, "hello")["preset"] == 6);
  auto const setup = await_message(viewer, "setup");
  CHECK(setup["held"] == true);
  CHECK(setup["deck"]["time_step"] == 0.016);
  CHECK(setup["deck"]["damping"] == 1.0);
  // Longer than the time of a preset, at 60 steps a second.
  await_message(viewer, "state", [](json const& state) { return state["step"] > 150; });
  viewer.say(R"({"do": "hold", "value": 0})");
  CHECK(await_message(viewer, "setup")["held"] == false);
  CHECK(await_message(viewer, "hello")["preset"] == 7);
  demo.send(SIGINT);
  CHECK(demo.wait() == 0);
}

TEST_CASE("a demonstration shows any deck, and viewers change its softening, step and damping") {
  Scratch const scratch;
  scratch.write("deck.json", R"({"title": "mine", "bodies": {"generator": "plummer", "count": 64},
    "gravity": {"softening": 0.1}, "integrator": {"name": "euler", "time_step": 0.0625},
    "run": {"end_time": 0.5}})");
  Background demo("demo deck.json --port 0 --threads 1", scratch);
  WebViewer viewer(port_of(scratch));
  auto const hello = await_message(viewer, "hello");
  CHECK(hello["title"] == "mine");
  CHECK(hello["bodies"] == 64);
  CHECK(hello["presets"].empty());
  await_message(viewer, "setup");
  // It goes on after the end of the deck, and changes keep the time.
  await_message(viewer, "state", [](json const& state) { return state["time"] > 1.0; });
  viewer.say(R"({"do": "next"})");
  viewer.say(R"({"do": "pause"})");
  auto const paused =
      await_message(viewer, "state", [](json const& state) { return has_status(state, "paused"); });
  viewer.say(R"({"do": "softening", "value": 0.4})");
  viewer.say(R"({"do": "time_step", "value": 0.5})");
  viewer.say(R"({"do": "damping", "value": 0.75})");
  auto const setup = await_message(viewer, "setup",
                                   [](json const& text) { return text["now"]["damping"] == 0.75; });
  CHECK(setup["now"]["softening"] == 0.4);
  CHECK(setup["now"]["time_step"] == 0.5);
  CHECK(setup["deck"]["softening"] == 0.1);
  viewer.say(R"({"do": "single_step"})");
  await_message(viewer, "state", [&](json const& state) {
    return state["step"] == 1 && state["time"] == paused["time"].get<double>() + 0.5;
  });
  viewer.say(R"({"do": "restart"})");
  await_message(viewer, "hello");
  CHECK(await_message(viewer, "setup")["now"]["softening"] == 0.1);
  demo.send(SIGINT);
  CHECK(demo.wait() == 0);
}

TEST_CASE("a viewer cannot end a player or a demonstration without control") {
  Scratch const scratch;
  scratch.write("a.txt", "1 0 0 0 0 0 0\n");
  for (auto const* command : {"view a.txt --port 0", "demo --port 0 --bodies 256"}) {
    CAPTURE(command);
    std::filesystem::remove(scratch / "background.out");
    Background shown(command, scratch);
    WebViewer viewer(port_of(scratch));
    await_message(viewer, "hello");
    viewer.say(R"({"do": "stop"})");
    viewer.say(R"({"do": "restart"})");
    viewer.say(R"({"do": "pause"})");
    await_message(viewer, "state", [](json const& state) { return !has_status(state, "running"); });
    shown.send(SIGINT);
    CHECK(shown.wait() == 0);
  }
}

TEST_CASE("input that cannot be shown is reported in one line") {
  Scratch const scratch;
  scratch.write("deck.json", resumed_deck);
  std::filesystem::create_directory(scratch / "empty");
  check_errors(run_apsis("run deck.json --view-control", scratch), 64);
  check_errors(run_apsis("run deck.json --view-address 127.0.0.1", scratch), 64);
  check_errors(run_apsis("run deck.json --view 70000", scratch), 64);
  check_errors(run_apsis("run deck.json --view nonsense", scratch), 64);
  check_errors(run_apsis("run deck.json --pace 1", scratch), 64);
  check_errors(run_apsis("run deck.json --view 0 --pace -1", scratch), 64);
  check_errors(run_apsis("run deck.json --view 0 --view-wait perhaps", scratch), 64);
  check_errors(run_apsis("run deck.json --view-wait yes", scratch), 64);
  check_errors(run_apsis("run deck.json --view 0 --view-frame localhost", scratch), 64);
  check_errors(run_apsis("run deck.json --view 0 --view-address 192.0.2.77", scratch), 74);
  check_errors(run_apsis("run deck.json --view 0 --view-address nowhere", scratch), 64);
  check_errors(run_apsis("view", scratch), 64);
  check_errors(run_apsis("view nowhere", scratch), 74);
  check_errors(run_apsis("view nowhere.h5", scratch), 74);
  check_errors(run_apsis("view empty", scratch), 65);
  check_errors(run_apsis("view deck.json", scratch), 65);
  check_errors(run_apsis("demo --bodies 1", scratch), 64);
  check_errors(run_apsis("demo --port 99999", scratch), 64);
  check_errors(run_apsis("demo --preset 7", scratch), 64);
  check_errors(run_apsis("demo deck.json --preset 1", scratch), 64);
  check_errors(run_apsis("demo missing.json", scratch), 74);
  Background demo("demo --port 0 --bodies 256", scratch);
  auto const taken = run_apsis("demo --port " + std::to_string(port_of(scratch)), scratch);
  check_errors(taken, 74);
  // With the address that is in use, and advice.
  CHECK(contains(taken.err, std::to_string(port_of(scratch))));
}
