// SPDX-License-Identifier: Apache-2.0
#include "files/byte_order.hpp"
#include "files/input.hpp"
#include "formats/check_bodies.hpp"
#include "formats/gadget.hpp"
#include "parts.hpp"
#include <apsis/core/text.hpp>

#include <algorithm>
#include <array>
#include <cmath>

namespace apsis::formats {

namespace {

namespace layout = gadget;

[[noreturn]] void refuse_gadget(std::string const& source, std::string what, std::string why) {
  throw Error(ExitStatus::bad_input,
              Problem{source, std::move(what), std::move(why),
                      "the file is damaged or no GADGET snapshot; use another one"});
}

std::string byte_count(std::uint64_t bytes) {
  return std::to_string(bytes) + " bytes";
}

/// Data of a block in the file.
struct GadgetBlock {
  std::uint64_t begin = 0;  ///< offset of the data [bytes]
  std::uint64_t items = 0;  ///< bodies
  std::size_t width = 0;    ///< bytes of a number
};

/// Reader of one file. All records are checked before memory is allocated for bodies.
class GadgetFile {
 public:
  explicit GadgetFile(files::Input& input) : input_(input), source_(input.name()) {
    auto const size = input.size();
    if (!size) {
      refuse_gadget(source_, "unknown size", "it is a pipe, and the reader has to seek in it");
    }
    size_ = *size;
    read_records();
  }

  PartHeader const& header() const { return header_; }

  BodiesFile read(bool with_ids) {
    BodiesFile file;
    auto const total = sum_of_counts(header_.counts);
    file.bodies = HostBodies(total);
    auto& bodies = file.bodies;
    bool const all_dark = static_cast<std::uint64_t>(header_.counts[species_types::dark]) == total;
    if (!all_dark) bodies.species.resize(total);
    std::size_t row = 0;
    for (std::size_t type = 0; type < layout::types; ++type) {
      auto const count = static_cast<std::size_t>(header_.counts[type]);
      auto const begin = static_cast<std::ptrdiff_t>(row);
      auto const end = static_cast<std::ptrdiff_t>(row += count);
      std::fill(bodies.mass.begin() + begin, bodies.mass.begin() + end, masses_[type]);
      if (all_dark) continue;
      std::fill(bodies.species.begin() + begin, bodies.species.begin() + end,
                static_cast<std::uint8_t>(type));
    }
    read_vectors(position_, bodies.position);
    read_vectors(velocity_, bodies.velocity);
    row = 0;
    for_each_item(mass_, 1, [&](std::size_t, files::OrderedNumbers const& item) {
      while (masses_[bodies.species_of(row)] != 0.0) ++row;  // has the mass of its type
      bodies.mass[row++] = item.real(0, mass_.width);
    });
    if (with_ids) {
      for_each_item(id_, 1, [&](std::size_t i, files::OrderedNumbers const& item) {
        bodies.id[i] = id_.width == 4 ? item.word<std::uint32_t>(0) : item.word<std::uint64_t>(0);
      });
    }
    file.has_ids = with_ids;
    file.time = time_;
    file.has_time = true;
    file.unused = std::move(unused_);
    return file;
  }

 private:
  static constexpr std::size_t max_blocks = 256;                 // no code writes as many
  static constexpr std::uint64_t wrap = std::uint64_t{1} << 32;  // of the 32-bit record lengths

  /// Reads bytes at an offset that was checked to lie in the file.
  files::OrderedNumbers bytes_at(std::uint64_t offset, std::size_t count) {
    buffer_.resize(count);
    input_.seek(offset);
    if (input_.read(buffer_) != count) refuse_gadget(source_, "ends while it is read", "");
    return {buffer_, little_};
  }

  void read_records() {
    if (size_ < layout::marker_bytes) {
      refuse_gadget(source_, "no GADGET header", "it has " + byte_count(size_));
    }
    constexpr std::uint32_t named = layout::name_bytes + layout::marker_bytes;
    for (bool const little : {true, false}) {
      little_ = little;
      auto const first = bytes_at(0, layout::marker_bytes).word<std::uint32_t>(0);
      has_names_ = first == named;
      if (has_names_ || first == layout::header_bytes) break;
      if (!little) {
        refuse_gadget(source_, "no GADGET header", "the first word is not 256 or 8");
      }
    }
    read_header(next_name(layout::header_name));
    for (std::size_t block = 0; place_ < size_; ++block) {
      if (block == max_blocks) {
        refuse_gadget(source_, "more blocks than a snapshot has", "more than 256 records");
      }
      read_block(next_name(expected_name(block)));
    }
    for (auto const& [block, name] :
         {std::pair{&position_, layout::position_name},
          std::pair{&velocity_, layout::velocity_name}, std::pair{&id_, layout::id_name},
          std::pair{&mass_, layout::mass_name}}) {
      bool const is_needed =
          name == layout::mass_name ? masses_in_block_ > 0 : sum_of_counts(header_.counts) > 0;
      if (is_needed && block->width == 0) {
        refuse_gadget(source_, "has no block " + std::string(trimmed(name)),
                      "it ends after " + byte_count(size_));
      }
    }
    if (!other_blocks_.empty()) unused_.push_back("blocks: " + other_blocks_);
  }

  /// Name of a block by its place in a file of format 1.
  std::string_view expected_name(std::size_t block) const {
    constexpr std::array names{layout::position_name, layout::velocity_name, layout::id_name,
                               layout::mass_name};
    auto const present = masses_in_block_ > 0 ? names.size() : names.size() - 1;
    return block < present ? names[block] : std::string_view{};
  }

  /// Reads the record with a name in format 2; returns `expected` in format 1.
  std::string next_name(std::string_view expected) {
    if (!has_names_) return std::string(expected);
    auto const [begin, bytes] = next_record("with the name of a block");
    if (bytes != layout::name_bytes + layout::marker_bytes) {
      refuse_gadget(source_, "no name of a block at byte " + std::to_string(begin),
                    "its record has " + byte_count(bytes) + ", not 8");
    }
    auto const name = bytes_at(begin, layout::name_bytes).bytes;
    return std::string(name);
  }

  /// Checks the record at the current place: that it lies in the file and that its lengths before
  /// and after it are the same. Returns its begin and length. `expected`: possible lengths above
  /// the 32 bits of the record's own.
  std::pair<std::uint64_t, std::uint64_t> next_record(
      std::string const& words, std::span<std::uint64_t const> expected = {}) {
    auto const begin = place_ + layout::marker_bytes;
    if (size_ - place_ < 2 * layout::marker_bytes) {
      refuse_gadget(source_, "the record " + words + " is cut off",
                    byte_count(size_ - place_) + " are left for it");
    }
    std::uint64_t length = bytes_at(place_, layout::marker_bytes).word<std::uint32_t>(0);
    auto const marker = length;
    for (auto const bytes : expected) {
      if (bytes % wrap == marker) length = bytes;
    }
    auto const left = size_ - begin - layout::marker_bytes;
    if (length > left) {
      refuse_gadget(source_, "the record " + words + " is cut off",
                    "it has " + byte_count(length) + ", and " + std::to_string(left) +
                        " are left in the file");
    }
    auto const closing = bytes_at(begin + length, layout::marker_bytes).word<std::uint32_t>(0);
    if (closing != marker) {
      refuse_gadget(
          source_, "the record " + words + " has two lengths",
          std::to_string(marker) + " before it and " + std::to_string(closing) + " after it");
    }
    place_ = begin + length + layout::marker_bytes;
    return {begin, length};
  }

  void read_header(std::string const& name) {
    if (name != layout::header_name) {
      refuse_gadget(source_, "no GADGET header", "the first block is '" + printable(name) + "'");
    }
    auto const [begin, bytes] = next_record("of the header");
    if (bytes != layout::header_bytes) {
      refuse_gadget(source_, "no GADGET header", "it has " + byte_count(bytes) + ", not 256");
    }
    auto const numbers = bytes_at(begin, layout::header_bytes);
    auto const real = [&](std::size_t offset, std::string const& what) {
      double const value = numbers.real(offset);
      if (!std::isfinite(value)) refuse_gadget(source_, "the header has no finite " + what, "");
      header_.common.push_back(what);
      header_.common.push_back(shortest(value));
      return value;
    };
    bool has_totals = false;
    for (std::size_t type = 0; type < layout::types; ++type) {
      auto const count = numbers.integer(layout::counts_at + 4 * type);
      if (count < 0) {
        refuse_gadget(source_, "the header counts bodies below zero",
                      std::to_string(count) + " of type " + std::to_string(type));
      }
      header_.counts.push_back(count);
      // A high word of 2^31 or more would be no count.
      auto const high = numbers.word<std::uint32_t>(layout::high_words_at + 4 * type) & 0x7fffffffU;
      auto const low = numbers.word<std::uint32_t>(layout::totals_at + 4 * type);
      header_.totals.push_back((static_cast<std::int64_t>(high) << 32) | low);
      has_totals = has_totals || header_.totals.back() != 0;
      masses_[type] = real(layout::masses_at + 8 * type, "mass of type " + std::to_string(type));
      if (masses_[type] == 0.0) masses_in_block_ += static_cast<std::uint64_t>(count);
    }
    auto const files = numbers.integer(layout::files_at);
    header_.files = static_cast<std::uint64_t>(std::max(files, 1));
    // Initial conditions often have no totals.
    if (!has_totals && header_.files == 1) header_.totals = header_.counts;
    if (header_.files == 1 && header_.totals != header_.counts) {
      refuse_gadget(source_, "counts its bodies in two ways", "npart is not npartTotal");
    }
    CosmologyHeader const cosmology{real(layout::time_at, "Time"),
                                    real(layout::redshift_at, "Redshift"),
                                    1.0,
                                    real(layout::box_size_at, "BoxSize"),
                                    real(layout::omega0_at, "Omega0"),
                                    real(layout::omega_lambda_at, "OmegaLambda")};
    time_ = cosmology.time;
    double const h = real(layout::hubble_at, "HubbleParam");
    auto const reason = comoving_reason(cosmology);
    APSIS_VALIDATE(reason.empty(),
                   {source_, comoving_problem, reason + comoving_why, comoving_advice});
    APSIS_VALIDATE(h == 0.0 || h == 1.0,
                   {source_, "has a HubbleParam of " + shortest(h),
                    "its values contain factors of h, and it states no units for them",
                    "remove the factors and set HubbleParam to 1"});
    unused_ = unused_cosmology(cosmology);
    if (header_.counts[species_types::gas] > 0) unused_.emplace_back(gas_words);
  }

  void read_block(std::string const& name) {
    auto const words = name.empty() ? "after block " + last_block_
                                    : "of block " + std::string(trimmed(printable(name)));
    auto const total = sum_of_counts(header_.counts);
    struct Use {
      std::string_view name;
      GadgetBlock& block;
      std::uint64_t items;
      std::uint64_t numbers;
    };
    for (Use const& use :
         {Use{layout::position_name, position_, total, 3},
          Use{layout::velocity_name, velocity_, total, 3}, Use{layout::id_name, id_, total, 1},
          Use{layout::mass_name, mass_, masses_in_block_, 1}}) {
      if (name != use.name) continue;
      std::array const sizes{use.items * use.numbers * 4, use.items * use.numbers * 8};
      auto const [begin, bytes] = next_record(words, sizes);
      auto const block = std::string(trimmed(name));
      if (bytes != sizes[0] && bytes != sizes[1]) {
        refuse_gadget(source_, "the block " + block + " has another size",
                      std::to_string(use.items) + " bodies need " + std::to_string(sizes[0]) +
                          " or " + byte_count(sizes[1]) + ", and it has " + std::to_string(bytes));
      }
      if (use.block.width != 0) refuse_gadget(source_, "has two blocks " + block, "");
      use.block = {begin, use.items, bytes == sizes[0] ? 4U : 8U};
      last_block_ = block;
      return;
    }
    auto const [begin, bytes] = next_record(words);
    other_blocks_ +=
        (other_blocks_.empty() ? "" : ", ") +
        (name.empty() ? "one of " + byte_count(bytes) : std::string(trimmed(printable(name))));
  }

  /// Calls visit(index, numbers) for each body of a block with so many numbers a body.
  template <class Visit>
  void for_each_item(GadgetBlock const& block, std::size_t numbers, Visit const& visit) {
    constexpr std::uint64_t items_per_read = 16384;
    std::size_t const bytes = numbers * block.width;
    for (std::uint64_t first = 0; first < block.items; first += items_per_read) {
      auto const count = static_cast<std::size_t>(std::min(items_per_read, block.items - first));
      auto const read = bytes_at(block.begin + first * bytes, count * bytes);
      for (std::size_t i = 0; i < count; ++i) {
        visit(static_cast<std::size_t>(first) + i,
              files::OrderedNumbers{read.bytes.substr(i * bytes, bytes), little_});
      }
    }
  }

  void read_vectors(GadgetBlock const& block, std::vector<Vec3<double>>& column) {
    auto const width = block.width;
    for_each_item(block, 3, [&](std::size_t i, files::OrderedNumbers const& item) {
      column[i] = {item.real(0, width), item.real(width, width), item.real(2 * width, width)};
    });
  }

  files::Input& input_;
  std::string source_;
  std::uint64_t size_ = 0, place_ = 0;  ///< size and current offset [bytes]
  bool little_ = true, has_names_ = false;
  std::string buffer_;
  PartHeader header_;
  std::array<double, layout::types> masses_{};
  std::uint64_t masses_in_block_ = 0;  ///< bodies whose mass is in the block MASS
  double time_ = 0.0;
  GadgetBlock position_, velocity_, id_, mass_;
  std::string last_block_ = "HEAD", other_blocks_;
  std::vector<std::string> unused_;
};

BodiesFile checked_gadget(BodiesFile&& file, std::string const& source) {
  check_values(file, source);
  return std::move(file);
}

}  // namespace

BodiesFile read_gadget(std::filesystem::path const& path, CountCheck const& count, bool with_ids) {
  auto const first = first_part(path);
  files::Input input(first);
  GadgetFile file(input);
  auto const& header = file.header();
  auto const bodies = announced_bodies(header);
  check_memory(bodies, header.files > 1 ? 2.0 : 1.0, first.string());
  if (count) count(bodies);
  if (header.files == 1) return checked_gadget(file.read(with_ids), first.string());
  JoinedParts joined(first, header);
  for (std::uint64_t number = 0; number < header.files; ++number) {
    auto const name = part_path(first, header.files, number);
    files::Input part_input(name);
    GadgetFile part(part_input);
    joined.add(name, part.read(with_ids), part.header());
  }
  return checked_gadget(joined.take(), path.string());
}

BodiesFile read_gadget_image(std::string_view bytes, std::string const& source, bool with_ids) {
  files::Input input(bytes, source);
  GadgetFile file(input);
  auto const& header = file.header();
  APSIS_VALIDATE(header.files == 1,
                 {source, "is one of several files of a snapshot", "", "read it by its path"});
  check_memory(announced_bodies(header), 1.0, source);
  return checked_gadget(file.read(with_ids), source);
}

}  // namespace apsis::formats
