// SPDX-License-Identifier: Apache-2.0
// Runs a harness on the files of a folder and on systematic modifications of the small ones: every
// truncation, every byte with each bit flipped and at extreme values, and every line repeated many
// times. Checks that the memory in use stays below a small multiple of the input size.
#include "harness.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <malloc.h>
#include <new>
#include <string>
#include <vector>

namespace {
std::size_t live_bytes = 0, max_live_bytes = 0;

void* counted_allocation(std::size_t size) {
  void* const block = std::malloc(size == 0 ? 1 : size);
  if (block == nullptr) throw std::bad_alloc();
  live_bytes += malloc_usable_size(block);
  max_live_bytes = std::max(max_live_bytes, live_bytes);
  return block;
}
void counted_free(void* block) noexcept {
  if (block == nullptr) return;
  live_bytes -= malloc_usable_size(block);
  std::free(block);
}
}  // namespace

void* operator new(std::size_t size) {
  return counted_allocation(size);
}
void* operator new[](std::size_t size) {
  return counted_allocation(size);
}
void operator delete(void* block) noexcept {
  counted_free(block);
}
void operator delete[](void* block) noexcept {
  counted_free(block);
}
void operator delete(void* block, std::size_t) noexcept {
  counted_free(block);
}
void operator delete[](void* block, std::size_t) noexcept {
  counted_free(block);
}

namespace {

/// File to which a failing input is written, for debugging.
std::string const last_input = "last_input";
std::size_t inputs = 0;
double worst_multiple = 0.0;

void feed(std::string const& input) {
  constexpr double allowed_multiple = 64.0, allowed_always = 1 << 20;
  auto const before = live_bytes;
  max_live_bytes = live_bytes;
  LLVMFuzzerTestOneInput(reinterpret_cast<std::uint8_t const*>(input.data()), input.size());
  ++inputs;
  auto const used = static_cast<double>(max_live_bytes - before);
  auto const size = static_cast<double>(input.size());
  if (used > allowed_multiple * size + allowed_always) {
    std::ofstream(last_input, std::ios::binary) << input;
    std::fprintf(stderr, "%.0f bytes in use for an input of %.0f, left in %s\n", used, size,
                 last_input.c_str());
    std::abort();
  }
  if (used > allowed_always) worst_multiple = std::max(worst_multiple, used / size);
}

void feed_damaged(std::string const& seed) {
  for (std::size_t length = 0; length < seed.size(); ++length) feed(seed.substr(0, length));
  std::string input = seed;
  for (std::size_t i = 0; i < seed.size(); ++i) {
    for (int bit = 0; bit < 8; ++bit) {
      input[i] = static_cast<char>(seed[i] ^ (1 << bit));
      feed(input);
    }
    for (char const extreme : {'\x00', '\x7f', '\xff'}) {
      input[i] = extreme;
      feed(input);
    }
    input[i] = seed[i];
  }
}

void feed_stretched(std::string const& seed) {
  constexpr std::size_t size = 1 << 16;
  for (std::size_t begin = 0; begin < seed.size();) {
    auto const end = std::min(seed.find('\n', begin), seed.size() - 1) + 1;
    auto const line = seed.substr(begin, end - begin);
    std::string many;
    while (many.size() < size) many += line;
    feed(seed.substr(0, begin) + many + seed.substr(end));
    begin = end;
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: %s FOLDER\n", argv[0]);
    return 64;
  }
  std::vector<std::filesystem::path> files;
  for (auto const& entry : std::filesystem::directory_iterator(argv[1])) {
    files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  for (auto const& file : files) {
    std::ifstream stream(file, std::ios::binary);
    std::string const seed(std::istreambuf_iterator<char>(stream), {});
    feed(seed);
    if (seed.size() > 4096) continue;  // its modifications would take too long
    feed_damaged(seed);
    feed_stretched(seed);
  }
  std::printf("%s: %zu files, %zu inputs, at most %.0f times an input's size in use\n", argv[1],
              files.size(), inputs, worst_multiple);
  return files.empty() ? 1 : 0;
}
