// SPDX-License-Identifier: Apache-2.0
#include "core/digest.hpp"
#include "files/checkpoint.hpp"
#include <apsis/core/error.hpp>

#include <cstring>

namespace apsis::files {

namespace {

constexpr std::string_view opening = "APSISCKP";
constexpr std::string_view closing = "APSISEND";
constexpr std::uint64_t version = 2;

/// Header of a block in the file. The digest of these numbers follows it.
struct BlockHeader {
  std::uint64_t name_bytes, type, bytes;
  std::uint64_t name_digest, bytes_digest;
};

template <class Words = std::uint64_t>
void append(std::string& file, Words const& words) {
  file.append(reinterpret_cast<char const*>(&words), sizeof(words));
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
    auto const front = rest_.substr(0, bytes);
    rest_.remove_prefix(bytes);
    return front;
  }

  template <class Words = std::uint64_t>
  Words words() {
    Words value;
    std::memcpy(&value, take(sizeof(value)).data(), sizeof(value));
    return value;
  }

  /// Reads a digest and compares it with that of `bytes`.
  void check(std::string_view bytes, std::string const& what) {
    if (words() != digest(bytes)) damaged("the digest of " + what + " does not match");
  }

  std::size_t left() const { return rest_.size(); }

 private:
  std::string_view rest_;
  std::string const& source_;
};

}  // namespace

bool has_ends_of_checkpoint(std::string_view ends, std::uint64_t size) {
  if (ends.size() != checkpoint_head + checkpoint_tail) return false;
  auto const word = [&](std::size_t offset) {
    std::uint64_t value = 0;
    std::memcpy(&value, ends.data() + offset, sizeof(value));
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
  std::uint64_t file_digest = 0;
  for (auto const& block : blocks) {
    std::size_t const begin = file.size();
    append(file,
           BlockHeader{block.name.size(), static_cast<std::uint64_t>(block.type),
                       block.bytes.size(), digest(block.name), digest(characters(block.bytes))});
    append(file, digest(std::string_view(file).substr(begin)));
    file += block.name;
    file += characters(block.bytes);
    file_digest = digest(std::string_view(file).substr(begin, 48), file_digest);
  }
  file += closing;
  append(file, file.size() + 16);
  append(file, file_digest);
  return file;
}

std::vector<StateBlock> decode_checkpoint(std::string_view bytes, std::string const& source) {
  Cursor cursor(bytes, source);
  if (cursor.take(opening.size()) != opening) cursor.damaged("it does not begin like a checkpoint");
  if (cursor.words() != version) cursor.damaged("its format version is unknown");
  std::uint64_t const count = cursor.words();
  cursor.check(bytes.substr(0, 24), "the header");
  std::vector<StateBlock> blocks;
  std::uint64_t file_digest = 0;
  for (std::uint64_t k = 0; k < count; ++k) {
    auto const head = bytes.substr(bytes.size() - cursor.left());
    auto const header = cursor.words<BlockHeader>();
    cursor.check(head.substr(0, sizeof(header)), "a block's header");
    auto const name = cursor.take(header.name_bytes);
    auto const content = cursor.take(header.bytes);
    auto const type = static_cast<BlockType>(header.type);
    if (digest(name) != header.name_digest) cursor.damaged("the digest of a name does not match");
    if (digest(content) != header.bytes_digest) {
      cursor.damaged("the digest of block '" + std::string(name) + "' does not match");
    }
    if (header.type > static_cast<std::uint64_t>(BlockType::uint64) ||
        header.bytes % bytes_of(type) != 0) {
      cursor.damaged("a block has an unknown type");
    }
    auto const* data = reinterpret_cast<std::byte const*>(content.data());
    blocks.push_back({std::string(name), type, {data, data + content.size()}});
    file_digest = digest(head.substr(0, 48), file_digest);
  }
  if (cursor.take(closing.size()) != closing) cursor.damaged("it does not end like a checkpoint");
  if (cursor.words() != bytes.size()) cursor.damaged("its size is not the recorded one");
  if (cursor.words() != file_digest) cursor.damaged("the digest of the file does not match");
  if (cursor.left() != 0) cursor.damaged("there are bytes after its end");
  return blocks;
}

}  // namespace apsis::files
