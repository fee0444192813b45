// SPDX-License-Identifier: Apache-2.0
#include "support/executable/commands.hpp"
#include "support/json_schema.hpp"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <sstream>

using namespace apsis::testing;
using nlohmann::json;

namespace {

/// Returns the constant that identifies an alternative of a schema: the name of a generator, an
/// integrator or a mode.
std::string alternative(json const& schema) {
  if (schema.contains("properties")) {
    for (auto const& [key, property] : schema["properties"].items()) {
      if (property.contains("const")) return property["const"].get<std::string>();
    }
  }
  return schema.value("type", "");
}

/// Returns one line for each default of a schema: its path in a deck and its value.
void list_defaults(json const& schema, std::string const& path, std::string& lines) {
  if (schema.contains("default")) lines += path + " = " + schema["default"].dump() + "\n";
  if (schema.contains("properties")) {
    for (auto const& [key, property] : schema["properties"].items()) {
      list_defaults(property, path + (path.empty() ? "" : ".") + key, lines);
    }
  }
  if (schema.contains("oneOf")) {
    for (auto const& one : schema["oneOf"]) {
      list_defaults(one, path + "[" + alternative(one) + "]", lines);
    }
  }
  if (schema.contains("items") && schema["items"].is_object()) {
    list_defaults(schema["items"], path + "[]", lines);
  }
}

}  // namespace

// A changed default changes the result of every deck that relies on it. If the change is intended,
// prefix this test's command with APSIS_WRITE_DEFAULTS=tests/system/defaults.txt to write the file.
TEST_CASE("every default of every generator, solver and integrator is the recorded one") {
  Scratch const scratch;
  auto const printed = run_apsis("schema", scratch);
  REQUIRE(printed.status == 0);
  std::string defaults;
  list_defaults(expanded(json::parse(printed.out)), "", defaults);
  if (auto const* const file = std::getenv("APSIS_WRITE_DEFAULTS")) {
    std::ofstream(file) << defaults;
  }
  auto const recorded = content(inputs().parent_path() / "tests/system/defaults.txt");
  CHECK(std::count(recorded.begin(), recorded.end(), '\n') > 200);
  std::istringstream now(defaults), record(recorded);
  for (std::string line, expected; std::getline(record, expected);) {
    std::getline(now, line);
    REQUIRE(line == expected);
  }
  CHECK(defaults == recorded);
}
