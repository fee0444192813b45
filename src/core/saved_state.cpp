// SPDX-License-Identifier: Apache-2.0
#include "apsis/core/saved_state.hpp"

#include "rows.hpp"
#include <apsis/core/error.hpp>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>

namespace apsis {

namespace {

using Bytes = std::vector<std::byte>;

std::span<std::byte> bytes_at(void* data, std::size_t bytes) {
  return {static_cast<std::byte*>(data), bytes};
}

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

Bytes gather_rows(Communicator const& communicator, std::span<std::byte const> local,
                  std::size_t columns) {
  std::vector<Bytes> pieces(communicator.size());
  pieces.front().assign(local.begin(), local.end());
  auto const parts = communicator.exchange(pieces);
  Bytes table;
  if (communicator.rank() != 0) return table;
  for (std::size_t k = 0; k < columns; ++k) {
    for (auto const& part : parts) {
      auto const length = static_cast<std::ptrdiff_t>(part.size() / columns);
      auto const begin = part.begin() + static_cast<std::ptrdiff_t>(k) * length;
      table.insert(table.end(), begin, begin + length);
    }
  }
  return table;
}

void scatter_rows(Communicator const& communicator, std::span<std::byte const> table,
                  std::span<std::byte> local, std::size_t columns) {
  auto const lengths = gather_values(communicator, std::vector{local.size() / columns});
  std::vector<Bytes> pieces(communicator.size());
  auto rest = table;
  for (std::size_t k = 0; k < columns && communicator.rank() == 0; ++k) {
    for (std::size_t rank = 0; rank < communicator.size(); ++rank) {
      APSIS_EXPECT(rest.size() >= lengths[rank], "the table has the rows of all ranks");
      auto const part = rest.first(lengths[rank]);
      pieces[rank].insert(pieces[rank].end(), part.begin(), part.end());
      rest = rest.subspan(lengths[rank]);
    }
  }
  auto const received = communicator.exchange(pieces).front();
  APSIS_EXPECT(received.size() == local.size() && (communicator.rank() != 0 || rest.empty()),
               "the table has the rows of all ranks");
  std::copy(received.begin(), received.end(), local.begin());
}

Bytes broadcast(Communicator const& communicator, std::span<std::byte const> bytes) {
  return communicator.gather(communicator.rank() == 0 ? bytes : std::span<std::byte const>());
}

std::span<std::byte const> SavedState::next(std::string const& name, BlockType type,
                                            std::optional<std::size_t> count) {
  if (is_follower()) return {};
  if (next_ >= blocks_.size()) mismatch(name, "missing");
  auto const& block = blocks_[next_];
  if (block.name != name) mismatch(name, "missing; '" + block.name + "' is in its place");
  if (block.type != type) mismatch(name, "of another type");
  if (count && block.bytes.size() != *count * bytes_of(type)) {
    mismatch(name,
             "has " + std::to_string(block.count()) + " elements, not " + std::to_string(*count));
  }
  ++next_;
  return block.bytes;
}

void SavedState::exchange_raw(std::string const& name, BlockType type, void* data,
                              std::size_t count) {
  auto const target = bytes_at(data, count * bytes_of(type));
  if (!restores_) {
    if (!is_follower()) blocks_.push_back({name, type, {target.begin(), target.end()}});
    return;
  }
  auto const bytes = next(name, type, count);
  std::copy(bytes.begin(), bytes.end(), target.begin());
  if (!communicator_) return;
  auto const received = broadcast(*communicator_, target);
  APSIS_EXPECT(received.size() == target.size(), "the ranks restore blocks of different sizes");
  std::copy(received.begin(), received.end(), target.begin());
}

void SavedState::exchange_rows(std::string const& name, BlockType type, void* data,
                               std::size_t count, std::size_t columns) {
  if (!communicator_) return exchange_raw(name, type, data, count);
  auto const local = bytes_at(data, count * bytes_of(type));
  if (!restores_) {
    auto table = gather_rows(*communicator_, local, columns);
    if (!is_follower()) blocks_.push_back({name, type, std::move(table)});
    return;
  }
  auto const counts = gather_values(*communicator_, std::vector{count});
  auto const total = std::accumulate(counts.begin(), counts.end(), std::size_t{0});
  scatter_rows(*communicator_, next(name, type, total), local, columns);
}

void SavedState::exchange(std::string const& name, bool& value) {
  std::uint64_t number = value ? 1 : 0;
  exchange(name, number);
  value = number != 0;
}

void SavedState::exchange(std::string const& name, std::string& text) {
  if (!restores_) return exchange_raw(name, BlockType::text, text.data(), text.size());
  auto const assign = [&](std::span<std::byte const> bytes) {
    text.assign(reinterpret_cast<char const*>(bytes.data()), bytes.size());
  };
  auto const bytes = next(name, BlockType::text);
  communicator_ ? assign(broadcast(*communicator_, bytes)) : assign(bytes);
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
