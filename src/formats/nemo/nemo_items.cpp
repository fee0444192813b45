// SPDX-License-Identifier: Apache-2.0
#include "nemo_items.hpp"

#include "formats/check_bodies.hpp"
#include "formats/text/columns.hpp"
#include <apsis/core/text.hpp>

#include <algorithm>
#include <bit>

namespace apsis::formats {

/// Bytes of an input of known size, read in blocks.
class NemoBytes {
 public:
  explicit NemoBytes(files::Input& input) : input_(input) {
    APSIS_VALIDATE(input.size(),
                   {input.name(), "unknown size",
                    "it is a pipe, and counts are checked against the size", "name a file"});
    left_ = *input.size();
  }

  std::string const& name() const { return input_.name(); }
  std::uint64_t offset() const { return offset_; }
  /// Bytes up to the end.
  std::uint64_t left() const { return left_; }

  /// The next byte without reading it; nothing at the end.
  std::optional<unsigned char> peek() {
    if (left_ == 0) return std::nullopt;
    if (place_ == buffer_.size()) fill();
    return static_cast<unsigned char>(buffer_[place_]);
  }
  /// Reads the next byte. Throws at the end.
  unsigned char get() {
    auto const byte = peek();
    if (!byte) refuse("ends within an item", "there are no more bytes");
    ++place_;
    ++offset_;
    --left_;
    return *byte;
  }
  void skip(std::uint64_t count) {
    for (; count > 0; --count) get();
  }

  [[noreturn]] void refuse(std::string what, std::string why) const {
    throw Error(ExitStatus::bad_input,
                Problem{input_.name() + ": byte " + std::to_string(offset_), std::move(what),
                        std::move(why), "check that it is a whole file of NEMO"});
  }

 private:
  void fill() {
    constexpr std::uint64_t block_bytes = 1 << 16;
    buffer_.resize(static_cast<std::size_t>(std::min(block_bytes, left_)));
    place_ = 0;
    if (input_.read(buffer_) < buffer_.size()) {
      refuse("became shorter while it was read", "its size has changed");
    }
  }

  files::Input& input_;
  std::string buffer_{};
  std::size_t place_ = 0;
  std::uint64_t offset_ = 0, left_ = 0;
};

namespace {

constexpr unsigned single_magic = 0x0992, plural_magic = 0x0b92;  ///< both end with 0x92
constexpr std::size_t longest_name = 256, most_dimensions = 16;

/// A type of values: letter in files, word in listings, size [bytes].
struct NemoType {
  char letter;
  std::string_view word;
  std::size_t bytes;
};
constexpr std::array<NemoType, 9> nemo_types{{{'a', "any", 1},
                                              {'c', "char", 1},
                                              {'b', "byte", 1},
                                              {'s', "short", 2},
                                              {'i', "int", 4},
                                              {'l', "long", 8},
                                              {'h', "halfp", 2},
                                              {'f', "float", 4},
                                              {'d', "double", 8}}};

/// Sets the count of an item from its dimensions. Returns false if it has more than `most` values.
bool count_values(NemoItem& item, std::uint64_t most) {
  item.count = 1;
  for (auto const length : item.dimensions) {
    if (length == 0 || item.count > most / length) return false;
    item.count *= length;
  }
  return item.count <= most;
}

class BinaryItems final : public NemoItems {
 public:
  BinaryItems(NemoBytes bytes, bool little) : bytes_(std::move(bytes)), little_(little) {}

  bool next(NemoItem& item) override {
    if (!bytes_.peek()) return false;
    auto const magic = word(2);
    if (magic != single_magic && magic != plural_magic) {
      bytes_.refuse("no item of NEMO",
                    "it begins with " +
                        formatted("%04llx", static_cast<unsigned long long>(magic)) +
                        ", not with 0992 or 0b92");
    }
    item = {};
    item.type = name();
    if (item.type == ")") {
      item.kind = NemoItem::Kind::end_of_set;
      return true;
    }
    item.tag = name();
    if (item.type == "(") {
      item.kind = NemoItem::Kind::set;
      return true;
    }
    if (magic == plural_magic) read_dimensions(item);
    if (!count_values(item, bytes_.left() / size_of(item))) {
      bytes_.refuse("too few bytes for '" + printable(item.tag) + "'",
                    "its dimensions need more than the " + std::to_string(bytes_.left()) +
                        " bytes that are left");
    }
    return true;
  }

  void read(NemoItem const& item, std::vector<double>& values) override {
    values.clear();
    values.reserve(item.count);
    for (std::uint64_t i = 0; i < item.count; ++i) values.push_back(value(item.type.front()));
  }

  void skip(NemoItem const& item) override { bytes_.skip(item.count * size_of(item)); }

  std::string description() const override { return little_ ? "little endian" : "big endian"; }

 private:
  std::uint64_t word(std::size_t size) {
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < size; ++i) {
      std::uint64_t const byte = bytes_.get();
      value |= byte << 8 * (little_ ? i : size - 1 - i);
    }
    return value;
  }

  std::string name() {
    std::string text;
    for (char c = 0; (c = static_cast<char>(bytes_.get())) != '\0';) {
      text += c;
      if (text.size() > longest_name) bytes_.refuse("too long a name", "in an item of NEMO");
    }
    return text;
  }

  void read_dimensions(NemoItem& item) {
    while (auto const length = word(4)) {
      item.dimensions.push_back(length);
      if (item.dimensions.size() > most_dimensions) {
        bytes_.refuse("too many dimensions", "of '" + printable(item.tag) + "'");
      }
    }
  }

  std::size_t size_of(NemoItem const& item) const {
    for (auto const& type : nemo_types) {
      if (item.type.size() == 1 && item.type.front() == type.letter) return type.bytes;
    }
    bytes_.refuse("unknown type " + printed_word(item.type, 20),
                  "of '" + printable(item.tag) + "'");
  }

  double value(char type) {
    switch (type) {
      case 'd':
        return std::bit_cast<double>(word(8));
      case 'f':
        return std::bit_cast<float>(static_cast<std::uint32_t>(word(4)));
      case 'i':
        return static_cast<std::int32_t>(word(4));
      case 's':
        return static_cast<std::int16_t>(word(2));
      case 'l':
        return static_cast<double>(static_cast<std::int64_t>(word(8)));
      default:
        bytes_.refuse("no numbers", std::string("values of the type '") + type + "'");
    }
  }

  NemoBytes bytes_;
  bool little_;
};

class ListedItems final : public NemoItems {
 public:
  explicit ListedItems(NemoBytes bytes) : bytes_(std::move(bytes)) {}

  bool next(NemoItem& item) override {
    item = {};
    auto const first = next_word();
    if (first.empty()) return false;
    if (first == "tes") {
      item.kind = NemoItem::Kind::end_of_set;
      return true;
    }
    auto name = next_word();
    if (first == "set") {
      item.kind = NemoItem::Kind::set;
      item.tag = std::move(name);
      return true;
    }
    for (auto const& type : nemo_types) {
      if (first == type.word) item.type = type.letter;
    }
    if (item.type.empty()) {
      bytes_.refuse("no item of NEMO", "found " + printed_word(first));
    }
    read_dimensions(name, item);
    // A value takes at least a character and a blank.
    if (!count_values(item, item.type == "c" ? bytes_.left() : bytes_.left() / 2 + 1)) {
      bytes_.refuse("too few values of '" + printable(item.tag) + "'",
                    "its dimensions need more than the file has");
    }
    return true;
  }

  void read(NemoItem const& item, std::vector<double>& values) override {
    values.clear();
    for (std::uint64_t i = 0; i < item.count; ++i) values.push_back(next_number(item));
  }

  void skip(NemoItem const& /*item*/) override {
    skip_blanks();
    if (bytes_.peek() == '"') return skip_string();
    // Values of an unread item may be shortened: everything up to the next item is skipped.
    while (true) {
      skip_blanks();
      auto const begin = bytes_.peek();
      bool const is_value = begin && (*begin == '.' || *begin == '-' || *begin == '+' ||
                                      (*begin >= '0' && *begin <= '9'));
      if (!is_value) return;
      next_word();
    }
  }

  std::string description() const override { return "a listing by tsf, with the digits it shows"; }

 private:
  static bool is_blank(unsigned char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

  void skip_blanks() {
    while (bytes_.peek() && is_blank(*bytes_.peek())) bytes_.get();
  }

  std::string next_word() {
    skip_blanks();
    std::string text;
    while (bytes_.peek() && !is_blank(*bytes_.peek())) {
      text += static_cast<char>(bytes_.get());
      if (text.size() > longest_name) bytes_.refuse("too long a word", "in a listing by tsf");
    }
    return text;
  }

  void skip_string() {
    bytes_.get();
    while (true) {
      auto const c = bytes_.get();
      if (c == '"') return;
      if (c == '\\') bytes_.get();
    }
  }

  /// "PhaseSpace[10][2][3]"
  void read_dimensions(std::string_view name, NemoItem& item) {
    auto const bracket = std::min(name.find('['), name.size());
    item.tag = name.substr(0, bracket);
    auto rest = name.substr(bracket);
    while (!rest.empty()) {
      auto const end = rest.find(']');
      std::uint64_t length = 0;
      bool const good = rest.front() == '[' && end != rest.npos &&
                        parse(rest.substr(1, end - 1), length) == Fault::none;
      if (!good || item.dimensions.size() == most_dimensions) {
        bytes_.refuse("dimensions that are not understood", "found " + printed_word(name, 60));
      }
      item.dimensions.push_back(length);
      rest.remove_prefix(end + 1);
    }
  }

  double next_number(NemoItem const& item) {
    auto const text = next_word();
    double value = 0.0;
    if (parse(text, value) == Fault::none) return value;
    if (text.starts_with('.')) {
      bytes_.refuse("a shortened listing", "values of '" + printable(item.tag) +
                                               "' are left out; tsf lists all with allline=true");
    }
    bytes_.refuse("not a number",
                  "found " + printed_word(text) + " in '" + printable(item.tag) + "'");
  }

  NemoBytes bytes_;
};

}  // namespace

std::unique_ptr<NemoItems> open_nemo(files::Input& input) {
  NemoBytes bytes(input);
  auto const first = bytes.peek();
  bool const is_little = first == (single_magic & 255U);
  bool const is_big = first == (single_magic >> 8U) || first == (plural_magic >> 8U);
  if (is_little || is_big) return std::make_unique<BinaryItems>(std::move(bytes), is_little);
  return std::make_unique<ListedItems>(std::move(bytes));
}

}  // namespace apsis::formats
