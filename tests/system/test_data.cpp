// SPDX-License-Identifier: Apache-2.0
#include "support/executable/background.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>

using namespace apsis::testing;
using nlohmann::json;

/// Output of the executable for programs: facts as JSON.

namespace {

/// Runs a command that prints one JSON object and nothing else.
json data_of(std::string const& arguments, Scratch const& scratch) {
  CAPTURE(arguments);
  auto const result = run_apsis(arguments, scratch);
  CHECK(result.status == 0);
  CHECK(result.err == "");
  return json::parse(result.out);
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
  CHECK(check["end_time"].get<double>() == doctest::Approx(0.2));
  CHECK(check["memory"].get<double>() > 100 * 80);
  CHECK(check["seconds"].get<double>() > 0.0);
  CHECK(check["units"]["length"] == "au");
  CHECK(check["units"]["G"].get<double>() == doctest::Approx(39.4769));
  CHECK(check["scales"]["mass"].get<double>() == doctest::Approx(1.0));
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
