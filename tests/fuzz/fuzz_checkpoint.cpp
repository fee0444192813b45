// SPDX-License-Identifier: Apache-2.0
#include "core/digest.hpp"
#include "files/checkpoint.hpp"
#include "harness.hpp"

#include <cstring>
#include <string>
#include <string_view>

using namespace apsis;

namespace {

void put(std::string& file, std::size_t offset, std::uint64_t word) {
  if (offset + sizeof(word) <= file.size()) std::memcpy(file.data() + offset, &word, sizeof(word));
}

std::uint64_t get(std::string const& file, std::size_t offset) {
  std::uint64_t word = 0;
  if (offset + sizeof(word) <= file.size()) std::memcpy(&word, file.data() + offset, sizeof(word));
  return word;
}

/// The file with correct digests, so that the code after the checks of digests is reached too.
std::string with_digests(std::string file) {
  std::string_view const bytes_of_file(file);
  if (file.size() < 32) return file;
  put(file, 24, digest(bytes_of_file.substr(0, 24)));
  std::size_t offset = 32;
  std::uint64_t file_digest = 0;
  std::uint64_t const count = get(file, 16);
  for (std::uint64_t k = 0; k < count && offset + 48 <= file.size(); ++k) {
    std::uint64_t const name = get(file, offset), bytes = get(file, offset + 16);
    std::size_t const body = offset + 48;
    if (name > file.size() - body || bytes > file.size() - body - name) break;
    put(file, offset + 24, digest(bytes_of_file.substr(body, name)));
    put(file, offset + 32, digest(bytes_of_file.substr(body + name, bytes)));
    put(file, offset + 40, digest(bytes_of_file.substr(offset, 40)));
    file_digest = digest(bytes_of_file.substr(offset, 48), file_digest);
    offset = body + name + bytes;
  }
  put(file, offset + 8, file.size());
  put(file, offset + 16, file_digest);
  return file;
}

void read(std::string const& bytes) {
  std::vector<StateBlock> blocks;
  if (!fuzzing::accepted([&] { blocks = files::decode_checkpoint(bytes, "checkpoint"); })) return;
  // Each valid file is the only encoding of its blocks.
  fuzzing::require(files::encode_checkpoint(blocks) == bytes,
                   "decoded blocks encode to the same file");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  std::string const bytes(reinterpret_cast<char const*>(data), size);
  read(bytes);
  read(with_digests(bytes));
  return 0;
}
