// SPDX-License-Identifier: Apache-2.0
#include "json_value.hpp"
#include <apsis/io/record.hpp>

namespace apsis::io {

namespace {

Ordered object_of(Record const& record) {
  auto object = Ordered::object();
  for (auto const& [name, value] : record) {
    auto* place = &object;
    std::string key = name;
    for (auto dot = key.find('.'); dot != std::string::npos; dot = key.find('.')) {
      place = &(*place)[key.substr(0, dot)];
      key.erase(0, dot + 1);
    }
    (*place)[key] = json_of(value, Parameter("", Kind::object, ""));
  }
  return object;
}

std::string printed(Ordered const& object) {
  return object.dump(2, ' ', false, Ordered::error_handler_t::replace) + "\n";
}

}  // namespace

std::string to_json(Record const& record) {
  return printed(object_of(record));
}

std::string to_json(Record const& environment, std::vector<Record> const& rows) {
  auto object = Ordered::object();
  if (!environment.empty()) object["environment"] = object_of(environment);
  object["rows"] = Ordered::array();
  for (auto const& row : rows) object["rows"].push_back(object_of(row));
  return printed(object);
}

}  // namespace apsis::io
