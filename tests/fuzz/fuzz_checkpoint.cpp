// SPDX-License-Identifier: Apache-2.0
#include "harness.hpp"
#include <apsis/core/digest.hpp>
#include <apsis/io/checkpoint.hpp>

#include <cstring>
#include <string>
#include <string_view>

using namespace apsis;

namespace {

void put(std::string& file, std::size_t at, std::uint64_t word) {
  if (at + sizeof(word) <= file.size()) std::memcpy(file.data() + at, &word, sizeof(word));
}

std::uint64_t get(std::string const& file, std::size_t at) {
  std::uint64_t word = 0;
  if (at + sizeof(word) <= file.size()) std::memcpy(&word, file.data() + at, sizeof(word));
  return word;
}

/// The digests as they would have to be, so that what is behind them is reached too.
std::string with_digests(std::string file) {
  std::string_view const all(file);
  if (file.size() < 32) return file;
  put(file, 24, digest(all.substr(0, 24)));
  std::size_t at = 32;
  std::uint64_t of_all = 0;
  std::uint64_t const count = get(file, 16);
  for (std::uint64_t k = 0; k < count && at + 48 <= file.size(); ++k) {
    std::uint64_t const name = get(file, at), bytes = get(file, at + 16);
    std::size_t const body = at + 48;
    if (name > file.size() - body || bytes > file.size() - body - name) break;
    put(file, at + 24, digest(all.substr(body, name)));
    put(file, at + 32, digest(all.substr(body + name, bytes)));
    put(file, at + 40, digest(all.substr(at, 40)));
    of_all = digest(all.substr(at, 48), of_all);
    at = body + name + bytes;
  }
  put(file, at + 8, file.size());
  put(file, at + 16, of_all);
  return file;
}

void read(std::string const& bytes) {
  std::vector<StateBlock> blocks;
  if (!fuzzing::accepted([&] { blocks = io::decode_checkpoint(bytes, "checkpoint"); })) return;
  // Nothing that is read can mean anything else than what would be written.
  fuzzing::require(io::encode_checkpoint(blocks) == bytes, "what is read is what was written");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  std::string const bytes(reinterpret_cast<char const*>(data), size);
  read(bytes);
  read(with_digests(bytes));
  return 0;
}
