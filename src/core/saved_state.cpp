// SPDX-License-Identifier: Apache-2.0
#include <apsis/core/error.hpp>
#include <apsis/core/saved_state.hpp>

#include <bit>
#include <cmath>
#include <cstring>

namespace apsis {

namespace {

[[noreturn]] void mismatch(std::string const& block, std::string const& problem) {
  throw Error(ExitStatus::bad_input,
              Problem{"checkpoint block '" + block + "'", problem,
                      "the checkpoint is of another deck or version of Apsis",
                      "resume with the executable and the deck that wrote it"});
}

template <class Real>
std::optional<std::size_t> first_not_finite(StateBlock const& block) {
  for (std::size_t i = 0; i < block.count(); ++i) {
    Real value;
    std::memcpy(&value, block.bytes.data() + i * sizeof(Real), sizeof(Real));
    if (!std::isfinite(value)) return i;
  }
  return std::nullopt;
}

}  // namespace

StateBlock const& SavedState::next(std::string const& name, BlockType type) {
  if (next_ >= blocks_.size()) mismatch(name, "missing");
  auto const& block = blocks_[next_];
  if (block.name != name) mismatch(name, "missing; '" + block.name + "' is in its place");
  if (block.type != type) mismatch(name, "of another type");
  ++next_;
  return block;
}

void SavedState::exchange_raw(std::string const& name, BlockType type, void* data,
                              std::size_t count) {
  std::size_t const bytes = count * bytes_of(type);
  if (!restores_) {
    auto const* from = static_cast<std::byte const*>(data);
    blocks_.push_back({name, type, std::vector<std::byte>(from, from + bytes)});
    return;
  }
  auto const& block = next(name, type);
  if (block.bytes.size() != bytes) {
    mismatch(name,
             "has " + std::to_string(block.count()) + " elements, not " + std::to_string(count));
  }
  if (bytes > 0) std::memcpy(data, block.bytes.data(), bytes);
}

void SavedState::exchange(std::string const& name, bool& value) {
  std::uint64_t number = value ? 1 : 0;
  exchange(name, number);
  value = number != 0;
}

void SavedState::exchange(std::string const& name, std::string& text) {
  if (!restores_) {
    exchange_raw(name, BlockType::text, text.data(), text.size());
    return;
  }
  auto const& block = next(name, BlockType::text);
  text.assign(reinterpret_cast<char const*>(block.bytes.data()), block.bytes.size());
}

void SavedState::exchange(std::string const& name, std::vector<std::string>& lines) {
  std::string joined;
  for (auto const& line : lines) joined += line + "\n";
  exchange(name, joined);
  if (!restores_) return;
  lines.clear();
  for (std::size_t begin = 0, end; (end = joined.find('\n', begin)) != std::string::npos;
       begin = end + 1) {
    lines.push_back(joined.substr(begin, end - begin));
  }
}

void SavedState::finish() const {
  if (next_ != blocks_.size()) mismatch(blocks_[next_].name, "is not known");
}

std::optional<SavedState::NotFinite> SavedState::not_finite() const {
  for (auto const& block : blocks_) {
    std::optional<std::size_t> bad;
    if (block.type == BlockType::float32) bad = first_not_finite<float>(block);
    if (block.type == BlockType::float64) bad = first_not_finite<double>(block);
    if (bad) return NotFinite{block.name, *bad};
  }
  return std::nullopt;
}

}  // namespace apsis
