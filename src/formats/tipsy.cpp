// SPDX-License-Identifier: Apache-2.0
#include "formats/tipsy.hpp"

#include "binary_output.hpp"
#include "check_bodies.hpp"
#include "files/byte_order.hpp"
#include "units_text.hpp"

#include <charconv>
#include <limits>
#include <span>

namespace apsis::formats {

namespace {

/// Three numbers of `width` bytes.
Vec3<double> vector_at(files::OrderedNumbers const& numbers, std::size_t offset,
                       std::size_t width) {
  return {numbers.real(offset, width), numbers.real(offset + width, width),
          numbers.real(offset + 2 * width, width)};
}

using Counts = std::array<std::int64_t, tipsy::species.size()>;

struct Header {
  files::OrderedNumbers numbers;
  double time;
  std::int32_t ndim;
  Counts counts;
  std::size_t bodies;
  bool pad;
  tipsy::Widths widths{};
};

[[noreturn]] void refuse(std::string const& source, std::string what, std::string why) {
  throw Error(ExitStatus::bad_input,
              Problem{source, std::move(what), std::move(why),
                      "check that it is a whole tipsy file, or name another format"});
}

/// The counts as text: "0 gas, 2500 dark and 17500 star bodies".
std::string in_words(Counts const& counts) {
  return formatted("%lld gas, %lld dark and %lld star bodies", static_cast<long long>(counts[0]),
                   static_cast<long long>(counts[1]), static_cast<long long>(counts[2]));
}

/// Reads the header from the first bytes of a file of `file_bytes` bytes.
Header read_header(std::string_view bytes, std::uint64_t file_bytes, std::string const& source) {
  if (bytes.size() < tipsy::header_bytes) {
    refuse(source, "no tipsy header",
           formatted("it has %zu bytes, a header takes %zu", bytes.size(), tipsy::header_bytes));
  }
  Header header{{bytes, true}, 0.0, 0, {}, 0, false};
  auto const is_dimension = [](std::int32_t value) { return value >= 1 && value <= 3; };
  header.numbers.little = is_dimension(header.numbers.integer(tipsy::ndim_at));
  header.ndim = header.numbers.integer(tipsy::ndim_at);
  if (!is_dimension(header.ndim)) {
    bool const is_text = std::all_of(bytes.begin(), bytes.end(), [](char c) {
      return (c >= ' ' && c <= '~') || c == '\t' || c == '\n' || c == '\r';
    });
    refuse(source, "no tipsy header",
           std::string("ndim is not 1, 2 or 3 in either byte order") +
               (is_text ? "; it looks like text" : ""));
  }
  header.time = header.numbers.real(0);
  if (!std::isfinite(header.time)) refuse(source, "time is not finite", shortest(header.time));

  // 64-bit integers hold every sum and size that 32-bit counts can give.
  auto& counts = header.counts;
  std::int64_t sum = 0;
  for (std::size_t s = 0; s < counts.size(); ++s) {
    counts[s] = header.numbers.integer(tipsy::counts_at + s * tipsy::word_bytes);
    if (counts[s] < 0) refuse(source, "a negative count", "the header says " + in_words(counts));
    sum += counts[s];
  }
  std::int64_t const nbodies = header.numbers.integer(tipsy::nbodies_at);
  if (sum != nbodies) {
    refuse(source, "counts that contradict each other",
           "nbodies is " + std::to_string(nbodies) + ", but there are " + in_words(counts));
  }
  auto const size = static_cast<std::int64_t>(file_bytes);
  auto const plain_size = [&](tipsy::Widths widths) {
    auto total = static_cast<std::int64_t>(tipsy::header_bytes);
    for (std::size_t s = 0; s < counts.size(); ++s) {
      total += counts[s] * static_cast<std::int64_t>(tipsy::species[s].record_bytes(widths));
    }
    return total;
  };
  header.bodies = static_cast<std::size_t>(sum);
  for (auto const widths : tipsy::all_widths) {
    auto const plain = plain_size(widths);
    header.pad = size == plain + static_cast<std::int64_t>(tipsy::pad_bytes);
    header.widths = widths;
    if (size == plain || header.pad) return header;
  }
  auto const plain = plain_size({});
  refuse(source, "a size that contradicts the counts",
         in_words(counts) + " take " + std::to_string(plain) + " or, with a pad, " +
             std::to_string(plain + static_cast<std::int64_t>(tipsy::pad_bytes)) +
             " bytes, and it has " + std::to_string(size) +
             "; with 64-bit positions a body takes 12 bytes more");
}

/// Calls visit(species, body index, record) for each record.
template <class Visit>
void for_each_record(files::Input& input, Header const& header, Visit const& visit) {
  constexpr std::size_t records_per_read = 16384;
  std::string buffer;
  std::size_t body = 0;
  for (std::size_t s = 0; s < tipsy::species.size(); ++s) {
    auto const record_bytes = tipsy::species[s].record_bytes(header.widths);
    auto left = static_cast<std::size_t>(header.counts[s]);
    while (left > 0) {
      auto const records = std::min(left, records_per_read);
      buffer.resize(records * record_bytes);
      if (input.read(buffer) < buffer.size()) {
        refuse(input.name(), "became shorter while it was read", "its size has changed");
      }
      for (std::size_t i = 0; i < records; ++i) {
        visit(s, body++,
              files::OrderedNumbers{std::string_view(buffer).substr(i * record_bytes, record_bytes),
                                    header.numbers.little});
      }
      left -= records;
    }
  }
}

/// Decides whether the last fields of the records are ids, and numbers the bodies otherwise.
/// `negative`: index of the first body with a negative id.
void decide_ids(std::size_t negative, std::string const& source, TipsyIds ids, BodiesFile& file) {
  file.has_ids = ids != TipsyIds::none && negative == file.bodies.size();
  if (ids == TipsyIds::integers) {
    APSIS_VALIDATE(file.has_ids,
                   {source + ": bodies[" + std::to_string(negative) + "]", "a negative id",
                    "ids in place of the potential were requested", "read it without ids"});
    return;  // problems_of() reports ids that are not unique
  }
  file.has_ids = file.has_ids && !repeated_id(file.bodies.id);
  if (!file.has_ids) number_anew(file);
}

std::string shortest_single(float value) {
  std::array<char, 32> buffer{};
  auto const end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value).ptr;
  return {buffer.data(), end};
}

/// Summary of the values of a field: the first few with their counts, and the range.
class Spread {
 public:
  void add(float value) {
    zero_ = zero_ && value == 0.0F;
    // Compare bits, because NaN is not equal to itself.
    auto const bits = std::bit_cast<std::uint32_t>(value);
    for (auto& [kind, count] : kinds_) {
      if (kind != bits) continue;
      ++count;
      return;
    }
    if (kinds_.size() < 4) {
      kinds_.emplace_back(bits, 1);
    } else {
      more_ = true;
    }
    if (std::isfinite(value)) {
      least_ = std::min(least_, value);
      greatest_ = std::max(greatest_, value);
    }
  }

  bool all_zero() const { return zero_; }

  std::string in_words() const {
    if (more_) {
      if (least_ > greatest_) return "none of them finite";
      return "from " + shortest_single(least_) + " to " + shortest_single(greatest_);
    }
    std::string words;
    for (auto const& [kind, count] : kinds_) {
      words += (words.empty() ? "" : ", ") + shortest_single(std::bit_cast<float>(kind));
      if (kinds_.size() > 1) words += " (" + std::to_string(count) + " bodies)";
    }
    return words;
  }

 private:
  std::vector<std::pair<std::uint32_t, std::size_t>> kinds_;  ///< bits and number of bodies
  float least_ = std::numeric_limits<float>::infinity();
  float greatest_ = -std::numeric_limits<float>::infinity();
  bool more_ = false;
  bool zero_ = true;
};

/// Summaries of the fields of each species; the last field is the potential.
using Spreads = std::array<std::array<Spread, 5>, tipsy::species.size()>;

std::vector<std::string> unused_of(Header const& header, Spreads const& spreads, bool has_ids) {
  std::vector<std::string> words;
  if (header.ndim != 3) {
    words.push_back("ndim is " + std::to_string(header.ndim) +
                    ", but all three components of a record are used");
  }
  if (header.counts[0] > 0) words.push_back(gas_words);
  for (std::size_t s = 0; s < spreads.size(); ++s) {
    auto const& kind = tipsy::species[s];
    for (std::size_t field = 0; field <= kind.field_count; ++field) {
      bool const is_potential = field == kind.field_count;
      if (spreads[s][field].all_zero() || (is_potential && has_ids)) continue;
      std::string const name(is_potential ? "potential" : kind.fields[field]);
      words.push_back(name + " of the " + std::to_string(header.counts[s]) + " " +
                      std::string(kind.name) + " bodies: " + spreads[s][field].in_words());
    }
  }
  return words;
}

constexpr std::size_t max_bodies = std::numeric_limits<std::int32_t>::max();

template <class Name>
std::uint32_t as_integer(std::uint64_t id, Name const& name) {
  APSIS_VALIDATE(id <= max_bodies, {name(), "an id too large for tipsy",
                                    std::to_string(id) + " is above " + std::to_string(max_bodies),
                                    "write another format, or leave the ids out"});
  return static_cast<std::uint32_t>(id);
}

tipsy::Widths widths_of(TipsyOptions const& options) {
  return {options.double_positions ? 8U : 4U, options.double_velocities ? 8U : 4U};
}

/// Index in tipsy::species of the records that hold bodies of a species.
std::size_t record_species(std::uint8_t species) {
  if (species == species_types::gas) return tipsy::gas;
  return species == species_types::stars ? tipsy::star : tipsy::dark;
}

/// Species that become dark bodies: "disk, bulge".
std::string species_in_dark(HostBodies const& bodies) {
  std::string names;
  for (std::uint8_t kind = 0; kind < species_types::count; ++kind) {
    bool const is_kept = kind == species_types::dark || record_species(kind) != tipsy::dark;
    if (is_kept || !bodies.has_species(kind)) continue;
    names += (names.empty() ? "" : ", ") + std::string(species_types::names[kind]);
  }
  return names;
}

}  // namespace

BodiesFile read_tipsy(files::Input&& input, TipsyIds ids, CountCheck const& count) {
  auto const& source = input.name();
  auto const size = input.size();
  if (!size) refuse(source, "unknown size", "it is a pipe, and the format depends on the size");
  std::array<char, tipsy::header_bytes + tipsy::pad_bytes> front{};
  auto const count_read = input.read(std::span(front).first(tipsy::header_bytes));
  auto const header = read_header({front.data(), count_read}, *size, source);
  if (header.pad) input.read(std::span(front).last(tipsy::pad_bytes));
  check_memory(header.bodies, 1.0, source);
  if (count) count(header.bodies);
  BodiesFile file;
  file.bodies = HostBodies(header.bodies);
  file.time = header.time;
  file.has_time = true;
  auto& bodies = file.bodies;
  bool const all_dark = header.counts[tipsy::dark] == static_cast<std::int64_t>(header.bodies);
  if (!all_dark) bodies.species.resize(header.bodies);
  Spreads spreads;
  auto const widths = header.widths;
  std::size_t negative = header.bodies;
  for_each_record(
      input, header, [&](std::size_t s, std::size_t body, files::OrderedNumbers const& record) {
        if (!all_dark) bodies.species[body] = tipsy::species[s].type;
        bodies.mass[body] = record.single(0);
        bodies.position[body] = vector_at(record, tipsy::word_bytes, widths.position);
        bodies.velocity[body] = vector_at(record, widths.velocity_at(), widths.velocity);
        auto const id = record.integer(tipsy::species[s].potential_at(widths));
        if (id < 0) negative = std::min(negative, body);
        bodies.id[body] = static_cast<std::uint64_t>(id);
        for (std::size_t field = 0; field <= tipsy::species[s].field_count; ++field) {
          spreads[s][field].add(record.single(widths.fields_at() + field * tipsy::word_bytes));
        }
      });
  decide_ids(negative, source, ids, file);
  check_values(file, source);
  file.unused = unused_of(header, spreads, file.has_ids);
  return file;
}

std::size_t tipsy_bytes(std::size_t count, TipsyOptions const& options, std::string const& target) {
  APSIS_VALIDATE(
      count <= max_bodies,
      {target, "too many bodies for tipsy",
       std::to_string(count) + " is above " + std::to_string(max_bodies), "write another format"});
  return tipsy::header_bytes + (options.pad ? tipsy::pad_bytes : 0) +
         count * tipsy::species[tipsy::dark].record_bytes(widths_of(options));
}

std::string write_tipsy(BodiesFile const& file, TipsyOptions const& options,
                        std::string const& target, std::vector<std::string>& lost) {
  auto const& bodies = file.bodies;
  auto const widths = widths_of(options);
  APSIS_VALIDATE(options.double_positions || !options.double_velocities,
                 {target, "64-bit velocities without 64-bit positions",
                  "such a file has the size of one with 64-bit positions alone",
                  "write 64-bit positions too"});
  std::array<std::size_t, tipsy::species.size()> counts{};
  for (std::size_t i = 0; i < bodies.size(); ++i) ++counts[record_species(bodies.species_of(i))];
  auto const rows = rows_by_group(bodies, record_species);
  files::OrderedOutput out(options.little_endian,
                           tipsy_bytes(bodies.size(), options, target) +
                               12 * (counts[tipsy::gas] + counts[tipsy::star]));
  out.word(std::bit_cast<std::uint64_t>(file.time));
  for (std::size_t const value : {bodies.size(), std::size_t{3}}) out.count(value);
  for (auto const value : counts) out.count(value);
  if (options.pad) out.count(0);

  Rounding masses("tipsy"), positions("tipsy"), velocities("tipsy"), softening("tipsy");
  auto const eps = softening(options.softening, [&] { return target + ": softening"; });
  for (auto const i : rows) {
    auto const place = [&] { return target + ": bodies[" + std::to_string(i) + "]"; };
    auto const [x, y, z] = bodies.position[i];
    auto const [vx, vy, vz] = bodies.velocity[i];
    out.word(masses(bodies.mass[i], place));
    auto const number = [&](double value, std::size_t width, Rounding& rounding) {
      if (width == 8) {
        out.real(value);
      } else {
        out.word(rounding(value, place));
      }
    };
    for (double const value : {x, y, z}) number(value, widths.position, positions);
    for (double const value : {vx, vy, vz}) number(value, widths.velocity, velocities);
    auto const& kind = tipsy::species[record_species(bodies.species_of(i))];
    for (std::size_t field = 0; field < kind.field_count; ++field) {
      bool const is_length = field == kind.length_field;
      out.word(is_length ? eps : std::uint32_t{0});
    }
    out.word(options.integer_ids ? as_integer(bodies.id[i], place) : std::uint32_t{0});
  }
  masses.report("masses", lost);
  positions.report("positions", lost);
  velocities.report("velocities", lost);
  if (auto const names = species_in_dark(bodies); !names.empty()) {
    lost.push_back("the species " + names + ": written as dark");
  }
  if (!std::is_sorted(rows.begin(), rows.end())) lost.emplace_back(order_is_lost);
  if (!bodies.radius.empty()) lost.push_back("radii are left out");
  if (!bodies.name.empty()) lost.push_back("names are left out");
  if (file.has_ids && !options.integer_ids) lost.push_back("ids are left out");
  if (auto const units = units_text(file); !units.empty()) {
    lost.push_back("units are left out (tipsy cannot store them): " + units);
  }
  return std::move(out).take();
}

}  // namespace apsis::formats
