// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace apsis::files {

class JsonData;

/// One member of an object; members keep their order. A template, so that it is complete where the
/// functions of JsonData are defined.
template <class Value>
struct JsonMemberOf {
  std::string name;
  Value value;
};
using JsonMember = JsonMemberOf<JsonData>;

/// A text that is JSON, copied as a value: a resolved deck, a schema.
struct JsonText {
  std::string text;
};

/// A JSON value that a program builds: null, boolean, number, string, array or object. For output
/// with lists and nested objects; a Record holds flat ones.
class JsonData {
 public:
  using Array = std::vector<JsonData>;
  using Object = std::vector<JsonMember>;
  using Content = std::variant<std::nullptr_t, bool, std::int64_t, std::uint64_t, double,
                               std::string, JsonText, Array, Object>;

  JsonData(std::nullptr_t = nullptr) {}
  JsonData(std::same_as<bool> auto value) : content_(value) {}
  template <std::integral Integer>
  requires(!std::same_as<Integer, bool>) JsonData(Integer value) {
    if constexpr (std::is_signed_v<Integer>)
      content_ = static_cast<std::int64_t>(value);
    else
      content_ = static_cast<std::uint64_t>(value);
  }
  JsonData(double value) : content_(value) {}
  JsonData(std::string value) : content_(std::move(value)) {}
  JsonData(char const* value) : content_(std::string(value)) {}
  JsonData(JsonText value) : content_(std::move(value)) {}
  JsonData(Array value) : content_(std::move(value)) {}
  JsonData(Object value) : content_(std::move(value)) {}
  template <class Value>
  JsonData(std::optional<Value> const& value) {
    if (value) *this = JsonData(*value);
  }
  JsonData(std::vector<std::string> const& texts) : JsonData(Array(texts.begin(), texts.end())) {}

  Content const& content() const { return content_; }

 private:
  Content content_ = nullptr;
};

/// The value as indented text with a line feed at its end. Numbers that JSON cannot represent (NaN,
/// infinity) become null, bytes that are not UTF-8 a replacement character.
std::string to_json(JsonData const& data);

/// The value in one line, otherwise as to_json(): line feeds within strings are escaped.
std::string to_json_line(JsonData const& data);

}  // namespace apsis::files
