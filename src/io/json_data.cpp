// SPDX-License-Identifier: Apache-2.0
#include "apsis/io/json_data.hpp"

#include "json_value.hpp"

#include <cmath>

namespace apsis::io {

namespace {

Ordered ordered(JsonData const& data) {
  struct Convert {
    Ordered operator()(std::nullptr_t) const { return nullptr; }
    Ordered operator()(bool value) const { return value; }
    Ordered operator()(std::int64_t value) const { return value; }
    Ordered operator()(std::uint64_t value) const { return value; }
    Ordered operator()(double value) const {
      return std::isfinite(value) ? Ordered(value) : Ordered(nullptr);
    }
    Ordered operator()(std::string const& value) const { return value; }
    Ordered operator()(JsonText const& value) const { return Ordered::parse(value.text); }
    Ordered operator()(JsonData::Array const& items) const {
      auto array = Ordered::array();
      for (auto const& item : items) array.push_back(ordered(item));
      return array;
    }
    Ordered operator()(JsonData::Object const& members) const {
      Ordered::object_t object;
      object.reserve(members.size());
      for (auto const& member : members) object.emplace_back(member.name, ordered(member.value));
      return object;
    }
  };
  return std::visit(Convert{}, data.content());
}

}  // namespace

std::string to_json(JsonData const& data) {
  return ordered(data).dump(2, ' ', false, Ordered::error_handler_t::replace) + "\n";
}

std::string to_json_line(JsonData const& data) {
  return ordered(data).dump(-1, ' ', false, Ordered::error_handler_t::replace) + "\n";
}

}  // namespace apsis::io
