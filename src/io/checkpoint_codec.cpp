// SPDX-License-Identifier: Apache-2.0
#include <apsis/core/digest.hpp>
#include <apsis/core/error.hpp>
#include <apsis/io/checkpoint.hpp>

#include <cstring>

namespace apsis::io {

namespace {

constexpr std::string_view opening = "APSISCKP";
constexpr std::string_view closing = "APSISEND";
constexpr std::uint64_t version = 2;

/// What stands before a block, and before the digest of these numbers.
struct BlockHeader {
  std::uint64_t name_bytes, type, bytes;
  std::uint64_t of_name, of_bytes;  ///< digests
};

template <class Words = std::uint64_t>
void append(std::string& to, Words const& words) {
  to.append(reinterpret_cast<char const*>(&words), sizeof(words));
}

std::string_view characters(std::vector<std::byte> const& bytes) {
  return {reinterpret_cast<char const*>(bytes.data()), bytes.size()};
}

/// Reads from the front of a view and never past its end.
class Cursor {
 public:
  Cursor(std::string_view rest, std::string const& source) : rest_(rest), source_(source) {}

  [[noreturn]] void damaged(std::string const& why) const {
    throw Error(ExitStatus::bad_input, Problem{source_, "damaged", why, "use an older generation"});
  }

  std::string_view take(std::uint64_t bytes) {
    if (bytes > rest_.size()) damaged("the file ends too early");
    auto const taken = rest_.substr(0, bytes);
    rest_.remove_prefix(bytes);
    return taken;
  }

  template <class Words = std::uint64_t>
  Words words() {
    Words value;
    std::memcpy(&value, take(sizeof(value)).data(), sizeof(value));
    return value;
  }

  /// Takes a digest and holds it against what it is of.
  void check(std::string_view of, std::string const& what) {
    if (words() != digest(of)) damaged("the digest of " + what + " does not fit");
  }

  std::size_t left() const { return rest_.size(); }

 private:
  std::string_view rest_;
  std::string const& source_;
};

}  // namespace

bool has_ends_of_checkpoint(std::string_view ends, std::uint64_t size) {
  if (ends.size() != checkpoint_head + checkpoint_tail) return false;
  auto const word = [&](std::size_t at) {
    std::uint64_t value = 0;
    std::memcpy(&value, ends.data() + at, sizeof(value));
    return value;
  };
  auto const tail = ends.substr(checkpoint_head);
  return ends.starts_with(opening) && word(8) == version &&
         word(24) == digest(ends.substr(0, 24)) && tail.starts_with(closing) &&
         word(checkpoint_head + 8) == size;
}

std::string encode_checkpoint(std::vector<StateBlock> const& blocks) {
  std::size_t size = 24 + 8 + 24;
  for (auto const& block : blocks) size += 48 + block.name.size() + block.bytes.size();
  std::string file;
  file.reserve(size);
  file += opening;
  append(file, version);
  append<std::uint64_t>(file, blocks.size());
  append(file, digest(file));
  std::uint64_t of_all = 0;
  for (auto const& block : blocks) {
    std::size_t const begin = file.size();
    append(file,
           BlockHeader{block.name.size(), static_cast<std::uint64_t>(block.type),
                       block.bytes.size(), digest(block.name), digest(characters(block.bytes))});
    append(file, digest(std::string_view(file).substr(begin)));
    file += block.name;
    file += characters(block.bytes);
    of_all = digest(std::string_view(file).substr(begin, 48), of_all);
  }
  file += closing;
  append(file, file.size() + 16);
  append(file, of_all);
  return file;
}

std::vector<StateBlock> decode_checkpoint(std::string_view bytes, std::string const& source) {
  Cursor cursor(bytes, source);
  if (cursor.take(opening.size()) != opening) cursor.damaged("it does not begin as a checkpoint");
  if (cursor.words() != version) cursor.damaged("it is of an unknown version");
  std::uint64_t const count = cursor.words();
  cursor.check(bytes.substr(0, 24), "the header");
  std::vector<StateBlock> blocks;
  std::uint64_t of_all = 0;
  for (std::uint64_t k = 0; k < count; ++k) {
    auto const head = bytes.substr(bytes.size() - cursor.left());
    auto const header = cursor.words<BlockHeader>();
    cursor.check(head.substr(0, sizeof(header)), "a block's header");
    auto const name = cursor.take(header.name_bytes);
    auto const content = cursor.take(header.bytes);
    auto const type = static_cast<BlockType>(header.type);
    if (digest(name) != header.of_name) cursor.damaged("the digest of a name does not fit");
    if (digest(content) != header.of_bytes) {
      cursor.damaged("the digest of block '" + std::string(name) + "' does not fit");
    }
    if (header.type > static_cast<std::uint64_t>(BlockType::uint64) ||
        header.bytes % bytes_of(type) != 0) {
      cursor.damaged("a block is of an unknown type");
    }
    auto const* from = reinterpret_cast<std::byte const*>(content.data());
    blocks.push_back({std::string(name), type, {from, from + content.size()}});
    of_all = digest(head.substr(0, 48), of_all);
  }
  if (cursor.take(closing.size()) != closing) cursor.damaged("it does not end as a checkpoint");
  if (cursor.words() != bytes.size())
    cursor.damaged("it has another size than it was written with");
  if (cursor.words() != of_all) cursor.damaged("the digest of the file does not fit");
  if (cursor.left() != 0) cursor.damaged("something follows its end");
  return blocks;
}

}  // namespace apsis::io
