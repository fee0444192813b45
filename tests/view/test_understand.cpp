// SPDX-License-Identifier: Apache-2.0
#include "view/messages.hpp"

#include <doctest/doctest.h>

#include <string>

using namespace apsis::view;

TEST_CASE("every command is parsed") {
  struct Case {
    char const* message;
    Command::Kind kind;
    double value;
  };
  for (auto const& [message, kind, value] :
       {Case{R"({"do": "pause"})", Command::Kind::pause, 0.0},
        Case{R"({"do": "go_on"})", Command::Kind::go_on, 0.0},
        Case{R"({"do": "single_step"})", Command::Kind::single_step, 0.0},
        Case{R"({"do": "restart"})", Command::Kind::restart, 0.0},
        Case{R"({"do": "next"})", Command::Kind::next, 0.0},
        Case{R"({"do": "previous"})", Command::Kind::previous, 0.0},
        Case{R"({"do": "hold", "value": 1})", Command::Kind::hold, 1.0},
        Case{R"({"do": "softening", "value": 0.25})", Command::Kind::softening, 0.25},
        Case{R"({"do": "time_step", "value": -0.5})", Command::Kind::time_step, -0.5},
        Case{R"({"do": "damping", "value": 0.98})", Command::Kind::damping, 0.98},
        Case{R"({"do": "stop"})", Command::Kind::stop, 0.0},
        Case{R"({"do": "speed", "value": 2})", Command::Kind::speed, 2.0},
        Case{R"({"value": 0.5, "do": "speed"})", Command::Kind::speed, 0.5},
        Case{R"({"do": "seek", "value": 0})", Command::Kind::seek, 0.0},
        Case{R"({"do": "seek", "value": 1e0})", Command::Kind::seek, 1.0}}) {
    CAPTURE(message);
    auto const message_read = parse_message(message);
    REQUIRE(message_read);
    REQUIRE(message_read->command);
    CHECK(message_read->command->kind == kind);
    CHECK(message_read->command->value == value);
    CHECK_FALSE(message_read->ready);
  }
}

TEST_CASE("a viewer says for how many points it is ready") {
  CHECK(*parse_message(R"({"ready": 100000})")->ready == 100000);
  CHECK(*parse_message(R"({"ready": 0})")->ready == 0);
  CHECK(*parse_message(R"({"ready": 4294967295})")->ready == 4294967295U);
  auto const both = parse_message(R"({"ready": 7, "do": "pause"})");
  REQUIRE(both);
  CHECK(*both->ready == 7);
  CHECK(both->command->kind == Command::Kind::pause);
}

TEST_CASE("invalid messages are refused") {
  for (auto const* message : {"",
                              " ",
                              "{",
                              "{}",
                              "[]",
                              "null",
                              "7",
                              "\"pause\"",
                              "true",
                              R"({"do": "dance"})",
                              R"({"do": "hold"})",
                              R"({"do": "previous", "value": 1})",
                              R"({"do": "softening", "value": -1})",
                              R"({"do": "softening", "value": 1e300})",
                              R"({"do": "damping", "value": 1.5})",
                              R"({"do": ""})",
                              R"({"do": null})",
                              R"({"do": 1})",
                              R"({"do": ["pause"]})",
                              R"({"do": {"do": "pause"}})",
                              R"({"do": "pause", "value": 1})",
                              R"({"do": "speed"})",
                              R"({"do": "speed", "value": "2"})",
                              R"({"do": "speed", "value": -1})",
                              R"({"do": "speed", "value": 1e7})",
                              R"({"do": "speed", "value": 1e400})",
                              R"({"do": "speed", "value": NaN})",
                              R"({"do": "speed", "value": Infinity})",
                              R"({"do": "seek", "value": 1.0001})",
                              R"({"do": "seek", "value": -0.1})",
                              R"({"value": 1})",
                              R"({"ready": -1})",
                              R"({"ready": 1.5})",
                              R"({"ready": 4294967296})",
                              R"({"ready": 99999999999999999999999})",
                              R"({"ready": "1"})",
                              R"({"ready": true})",
                              R"({"ready": 1, "ready": 2})",
                              R"({"do": "pause", "do": "stop"})",
                              R"({"ready": 1, "more": 2})",
                              R"({"ready": 1} {"ready": 1})",
                              R"({"ready": 1}x)",
                              R"({"ready": 1,})",
                              R"(/* */ {"ready": 1})",
                              "{\"do\": \"\xff\"}",
                              "{\"ready\": 1\xff}"}) {
    CAPTURE(message);
    CHECK_FALSE(parse_message(message));
  }
}

TEST_CASE("the length and depth of messages are limited") {
  std::string message = R"({"ready": 1})";
  message.resize(max_message_bytes, ' ');
  CHECK(parse_message(message));
  message += ' ';
  CHECK_FALSE(parse_message(message));
  CHECK_FALSE(parse_message(std::string(max_message_bytes, '[')));
  CHECK_FALSE(parse_message(std::string(std::size_t{1} << 24U, '[')));
  std::string deep;
  for (int i = 0; i < 170; ++i) deep += R"({"do":)";
  CHECK_FALSE(parse_message(deep));
}
