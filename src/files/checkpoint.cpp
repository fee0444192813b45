// SPDX-License-Identifier: Apache-2.0
#include "files/checkpoint.hpp"

#include "core/digest.hpp"
#include "files/file.hpp"
#include "files/input.hpp"
#include <apsis/core/error.hpp>
#include <apsis/core/text.hpp>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <optional>

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

constexpr std::string_view prefix = "generation_";
constexpr std::string_view suffix = ".bin";
constexpr std::uint64_t max_manifest_bytes = std::uint64_t{1} << 20;  // a larger one is damaged

std::string hexadecimal(std::uint64_t number) {
  return formatted("%016llx", static_cast<unsigned long long>(number));
}

/// Text of the manifest. Its digest covers the JSON text of the generations.
std::string manifest_text(std::vector<Generation> const& generations) {
  auto list = nlohmann::ordered_json::array();
  for (auto const& generation : generations) {
    list.push_back({{"number", generation.number},
                    {"bytes", generation.bytes},
                    {"digest", hexadecimal(generation.digest)}});
  }
  nlohmann::ordered_json manifest;
  manifest["format"] = "apsis checkpoint manifest 1";
  manifest["generations"] = list;
  manifest["digest"] = hexadecimal(digest(list.dump()));
  return manifest.dump(2) + "\n";
}

/// Parses a manifest; nothing unless the text is exactly as manifest_text() writes it.
std::optional<std::vector<Generation>> parsed_manifest(std::string const& text) {
  auto manifest = nlohmann::json::parse(text, nullptr, false);
  if (!manifest.is_object()) return std::nullopt;
  std::vector<Generation> generations;
  for (auto& entry : manifest["generations"]) {
    if (!entry.is_object()) return std::nullopt;
    auto const* number = entry["number"].get_ptr<std::uint64_t const*>();
    auto const* bytes = entry["bytes"].get_ptr<std::uint64_t const*>();
    auto const* hex = entry["digest"].get_ptr<std::string const*>();
    if (number == nullptr || bytes == nullptr || hex == nullptr) return std::nullopt;
    generations.push_back({*number, *bytes, 0});
    std::from_chars(hex->data(), hex->data() + hex->size(), generations.back().digest, 16);
  }
  if (manifest_text(generations) != text) return std::nullopt;
  return generations;
}

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

Place CheckpointStore::file_of(Generation const& generation) const {
  return directory_ / (std::string(prefix) +
                       formatted("%06llu", static_cast<unsigned long long>(generation.number)) +
                       std::string(suffix));
}

/// Numbers of the files that have the name of a generation, valid or not; newest first.
std::vector<std::uint64_t> CheckpointStore::numbers_present() const {
  std::vector<std::uint64_t> numbers;
  if (directory_.kind() != EntryKind::directory) return numbers;
  for (auto const& name : entry_names(manifest().parent().descriptor())) {
    if (!name.starts_with(prefix) || !name.ends_with(suffix)) continue;
    if ((directory_ / name).kind() != EntryKind::regular) continue;
    std::uint64_t number = 0;
    auto const* end = name.data() + name.size() - suffix.size();
    auto const parsed = std::from_chars(name.data() + prefix.size(), end, number);
    bool const is_number = parsed.ec == std::errc() && parsed.ptr == end;
    if (is_number && file_of({number, 0, 0}).file_name() == name) numbers.push_back(number);
  }
  std::sort(numbers.rbegin(), numbers.rend());
  return numbers;
}

std::vector<Generation> CheckpointStore::committed(std::vector<std::string>& remarks) const {
  // An error is not an absent manifest: the next generation would reuse a committed number.
  bool const exists = manifest().kind() != EntryKind::absent;
  if (exists) {
    if (auto const generations = parsed_manifest(read_part(manifest(), 0, max_manifest_bytes))) {
      return *generations;
    }
  }
  std::vector<Generation> intact;
  for (auto const number : numbers_present()) {
    auto const file = file_of({number, 0, 0});
    auto const size = Input(file).size().value_or(0);
    auto const ends = read_part(file, 0, checkpoint_head) +
                      read_part(file, size - std::min(size, checkpoint_tail), checkpoint_tail);
    if (!has_ends_of_checkpoint(ends, size)) {
      remarks.push_back(file.string() + " is damaged");
      continue;
    }
    auto const bytes = read_part(file, 0, size);
    intact.push_back({number, bytes.size(), digest(bytes)});
  }
  if (exists || !intact.empty()) {
    remarks.push_back(manifest().string() + (exists ? " is damaged" : " is missing"));
  }
  return intact;
}

std::vector<StateBlock> CheckpointStore::read(Generation const& generation) const {
  auto const file = file_of(generation);
  auto const size = Input(file).size();
  auto const bytes = size == generation.bytes ? read_part(file, 0, generation.bytes) : "";
  if (bytes.size() != generation.bytes || digest(bytes) != generation.digest) {
    throw Error(ExitStatus::bad_input,
                Problem{file.string(), "damaged", "it does not match the manifest",
                        "use an older generation"});
  }
  return decode_checkpoint(bytes, file.string());
}

void CheckpointStore::resume_from(Generation const& generation) {
  std::vector<std::string> remarks;
  for (auto const& other : committed(remarks)) {
    if (other.number > generation.number) rejected_.push_back(other.number);
  }
}

Generation CheckpointStore::commit(std::vector<StateBlock> const& blocks) {
  directory_.make_directory();
  std::vector<std::string> remarks;
  auto retained = committed(remarks);
  std::uint64_t number = 1;
  for (auto const& generation : retained) number = std::max(number, generation.number + 1);
  std::erase_if(retained, [&](Generation const& other) {
    return std::find(rejected_.begin(), rejected_.end(), other.number) != rejected_.end();
  });
  auto const bytes = encode_checkpoint(blocks);
  Generation const next{number, bytes.size(), digest(bytes)};
  write_file(file_of(next), bytes, ReadBack::yes);
  retained.insert(retained.begin(), next);
  retained.resize(std::min(retained.size(), retained_generations));
  write_file(manifest(), manifest_text(retained));
  remove_except(retained);
  return next;
}

/// Removes files of all other generations, also one that a killed process did not commit.
void CheckpointStore::remove_except(std::vector<Generation> const& retained) const {
  for (auto const number : numbers_present()) {
    bool const keep = std::any_of(retained.begin(), retained.end(),
                                  [&](Generation const& other) { return other.number == number; });
    if (!keep) file_of({number, 0, 0}).remove();
  }
}

}  // namespace apsis::files
