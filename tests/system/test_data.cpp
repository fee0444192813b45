// SPDX-License-Identifier: Apache-2.0
#include "support/executable/background.hpp"
#include "support/relative.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <regex>

using namespace apsis::testing;
using nlohmann::json;

/// Output of the executable for programs: facts and messages as JSON.

namespace {

/// Runs a command that prints one JSON object and nothing else.
json data_of(std::string const& arguments, Scratch const& scratch) {
  CAPTURE(arguments);
  auto const result = run_apsis(arguments, scratch);
  CHECK(result.status == 0);
  CHECK(result.err == "");
  return json::parse(result.out);
}

/// Returns the messages on the standard error of a command with JSON, and checks their members.
std::vector<json> messages_of(Result const& result) {
  std::vector<json> messages;
  std::istringstream lines(result.err);
  for (std::string line; std::getline(lines, line);) {
    CAPTURE(line);
    messages.push_back(json::parse(line));
    std::vector<std::string> names;
    for (auto const& [name, value] : messages.back().items()) {
      CHECK(value.is_string());
      names.push_back(name);
    }
    CHECK(names == std::vector<std::string>{"advice", "kind", "problem", "where", "why"});
  }
  return messages;
}

/// Returns the text of a message as it is printed without the option.
std::string text_of(json const& message) {
  auto const part = [&](char const* name) { return message[name].get<std::string>(); };
  return "apsis: " + part("kind") + ": " + part("where") + ": " + part("problem") +
         (part("why").empty() ? "" : " (" + part("why") + ")") +
         (part("advice").empty() ? "" : "; " + part("advice")) + "\n";
}

}  // namespace

TEST_CASE("info and list as data have the text of the commands and its facts") {
  Scratch const scratch;
  auto const info = data_of("info --json", scratch);
  CHECK(info["text"] == run_apsis("info", scratch).out);
  CHECK(info["version"] == APSIS_TEST_VERSION);
  CHECK(info["backend"] == APSIS_TEST_BACKEND);
  CHECK(info["device"].is_string());
  CHECK(info["threads"].get<int>() > 0);
  CHECK(info["auto_kernels"]["double"][0]["from_bodies"] == 0);

  auto const list = data_of("list --json", scratch);
  CHECK(list["text"] == run_apsis("list", scratch).out);
  CHECK(list["tables"].size() == 15);
  for (auto const& table : list["tables"]) {
    CAPTURE(table["name"]);
    CHECK(!table["place"].empty());
    CHECK(!table["entries"].empty());
    auto const& first = table["entries"][0];
    CHECK(contains(list["text"].get<std::string>(), first["doc"].get<std::string>()));
  }
  auto const units = data_of("list units --json", scratch);
  CHECK(units["tables"].size() == 1);
  auto const plummer = data_of("list generators plummer --json", scratch);
  CHECK(plummer["text"] == run_apsis("list generators plummer", scratch).out);
  auto const& entry = plummer["tables"][0]["entries"][0];
  CHECK(plummer["tables"][0]["entries"].size() == 1);
  CHECK(entry["name"] == "plummer");
  CHECK(entry["schema"]["properties"]["count"]["type"] == "integer");
  CHECK(data_of("list none --json", scratch)["tables"].size() == 1);
  auto const hermite = data_of("list integrators hermite6 --json", scratch);
  CHECK(hermite["tables"][0]["entries"][0]["order"] == 6);
  CHECK(!entry.contains("order"));
  check_errors(run_apsis("list nothing --json", scratch), 64);
}

TEST_CASE("check as data has the text of the command, its facts and the resolved deck") {
  Scratch const scratch;
  scratch.write("deck.json", small);
  auto const check = data_of(
      "check deck.json --json --set units.system=solar --set bodies.mass=1 "
      "--set bodies.scale_radius=1",
      scratch);
  auto const text = check["text"].get<std::string>();
  CHECK(
      contains(text, "deck.json: good\n100 bodies, 20 steps of 0.01 to t = 0.2 yr, leapfrog_kdk"));
  CHECK(check["source"] == "deck.json");
  CHECK(check["bodies"] == 100);
  CHECK(check["steps"] == 20);
  CHECK(check["end_time"].get<double>() == approximately(0.2));
  CHECK(check["memory"].get<double>() > 100 * 80);
  CHECK(check["seconds"].get<double>() > 0.0);
  CHECK(check["units"]["length"] == "au");
  CHECK(check["units"]["G"].get<double>() == approximately(39.4769));
  CHECK(check["scales"]["mass"].get<double>() == approximately(1.0));
  CHECK(check["scales"]["crossing_time"].is_number());
  CHECK(check["resolved"]["bodies"]["generator"] == "plummer");
  CHECK(check["resolved"]["gravity"]["precision"] == "double");
  for (auto const& remark : check["remarks"]) {
    CHECK(contains(text, "note: " + remark.get<std::string>() + "\n"));
  }
  CHECK(check["remarks"].size() == occurrences(text, "\nnote: "));

  auto const many = data_of(
      "check deck.json --json --set bodies.count=30000 --set bodies.henon_units=true", scratch);
  CHECK(many["scales"].is_null());
  auto const bad = run_apsis("check deck.json --json --set gravity.softening=-1", scratch);
  check_errors(bad, 65);
  CHECK(bad.out == "");
}

TEST_CASE("errors, warnings and notes are lines of JSON on request") {
  Scratch const scratch;
  scratch.write("deck.json", small);
  for (auto const& [words, status] :
       {std::pair{"check deck.json --set gravity.softening=-1 --set bodies.cuont=3", 65},
        std::pair{"run nowhere.json", 74}, std::pair{"rnu deck.json", 64},
        std::pair{"run deck.json --bogus", 64}, std::pair{"run deck.json --threads two", 64},
        std::pair{"bench -fp64", 64}, std::pair{"list nothing", 64},
        std::pair{"help deck x", 64}}) {
    CAPTURE(words);
    auto const text = run_apsis(words, scratch);
    std::string const line = words;
    for (auto const& asked :
         {line + " --errors json", line + " --errors=json", "--errors json " + line}) {
      CAPTURE(asked);
      auto const result = run_apsis(asked, scratch);
      CHECK(result.status == status);
      std::string joined;
      for (auto const& message : messages_of(result)) joined += text_of(message);
      CHECK(joined == text.err);
    }
    CHECK(run_apsis(line + " --errors text", scratch).err == text.err);
  }
  for (auto const* words : {"info --errors yaml", "info --errors", "info --errors="}) {
    check_errors(run_apsis(words, scratch), 64);
  }

  auto const stopped =
      run_apsis("run deck.json --errors json --set run.max_wall_time=1e-9", scratch);
  CHECK(stopped.status == 75);
  auto const notes = messages_of(stopped);
  REQUIRE(!notes.empty());
  CHECK(notes.back()["kind"] == "note");
  auto const again = run_apsis("run deck.json --errors json --resume --allow-deck-change", scratch);
  CHECK(again.status == 0);
  auto const messages = messages_of(again);
  CHECK(std::any_of(messages.begin(), messages.end(), [](json const& message) {
    return message["kind"] == "note" && contains(message["problem"].get<std::string>(), "resumes");
  }));
  auto const broken = run_apsis(
      "run deck.json --errors json --force --set conservation.max_relative_energy_error=0",
      scratch);
  CHECK(broken.status == 1);
  CHECK(messages_of(broken).back()["kind"] == "error");
}

TEST_CASE("a process that a library ends says so in JSON on request") {
  if (is_sanitized) return;  // a sanitizer handles the signal itself
  Scratch const scratch;
  scratch.write("deck.json", small);
  Background run("run deck.json --errors json " + endless_run, scratch);
  await_start(run);
  run.send(SIGABRT);
  CHECK(run.wait() == 70);
  auto const messages = messages_of({70, "", run.err()});
  REQUIRE(!messages.empty());
  CHECK(messages.back()["problem"] == "died in a library");
}

TEST_CASE("a run has an identity and times in UTC, which it keeps when it is resumed") {
  Scratch const scratch;
  scratch.write("deck.json", small);
  REQUIRE(run_apsis("run deck.json --quiet", scratch).status == 0);
  auto const first = summary_of(scratch / "deck.run");
  auto const uuid = first["uuid"].get<std::string>(), start = first["start"].get<std::string>();
  CHECK(std::regex_match(
      uuid, std::regex("[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}")));
  std::regex const utc("20[0-9]{2}-[01][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-6][0-9]Z");
  CHECK(std::regex_match(start, utc));
  CHECK(std::regex_match(first["end"].get<std::string>(), utc));
  CHECK(start <= first["end"].get<std::string>());
  auto const snapshot = content(scratch / "deck.run/snapshot_000000.h5");

  REQUIRE(run_apsis("run deck.json --quiet --resume --set run.steps=40", scratch).status == 0);
  auto const resumed = summary_of(scratch / "deck.run");
  CHECK(resumed["steps"] == 40);
  CHECK(resumed["uuid"] == uuid);
  CHECK(resumed["start"] == start);
  CHECK(resumed["end"].get<std::string>() >= first["end"].get<std::string>());

  REQUIRE(run_apsis("run deck.json --quiet --force", scratch).status == 0);
  CHECK(summary_of(scratch / "deck.run")["uuid"] != uuid);
  CHECK(content(scratch / "deck.run/snapshot_000000.h5") == snapshot);
}
