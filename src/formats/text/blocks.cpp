// SPDX-License-Identifier: Apache-2.0
#include "blocks.hpp"

#include "columns.hpp"
#include <apsis/core/text.hpp>

#include <cmath>
#include <numeric>
#include <string>

namespace apsis::formats {

namespace {

constexpr std::size_t header_numbers = 3;

void set_component(Vec3<double>& vector, std::size_t axis, double value) {
  (axis == 0 ? vector.x : axis == 1 ? vector.y : vector.z) = value;
}

}  // namespace

TextBlocks::TextBlocks(TextProblems& problems, BodiesFile& file, TextLayout const& layout,
                       TimeChoice& times, std::optional<std::uint64_t> size)
    : problems_(problems),
      file_(file),
      times_(times),
      count_(layout.counts.front()),
      dimension_(layout.dimension) {
  // Each number takes at least a digit and a separator.
  bool const fits = !size || count_ <= *size / (2 * (1 + 2 * dimension_)) + 1;
  if (!fits) {
    problems_.report(problems_.source(), "too few numbers",
                     "the first line says " + std::to_string(count_) +
                         " bodies, and the file has " + std::to_string(*size) + " bytes",
                     "check that the file is whole");
    problems_.stop();
    return;
  }
  check_memory(count_, 1.0, problems_.source());
  begin_state(*layout.time);
}

void TextBlocks::begin_state(double time) {
  place_ = 0;
  bool const is_chosen = times_.accepts(time);
  is_stored_ = is_chosen && file_.bodies.size() == 0;
  if (is_chosen && !is_stored_) {
    problems_.report(problems_.current_place(), "another state at time " + shortest(time),
                     "a file has one state at each time", "remove one of the two");
    problems_.stop();
  }
  header_.clear();
}

void TextBlocks::read(std::vector<std::string_view> const& fields) {
  for (auto const field : fields) {
    if (problems_.is_stopped()) return;
    double value = 0.0;
    if (parse(unquoted(field), value) == Fault::none && std::isfinite(value)) {
      add(value);
      continue;
    }
    problems_.report(problems_.current_place(), "not a finite number",
                     "found " + quoted_word(field), "write a decimal number");
  }
}

void TextBlocks::add(double value) {
  if (place_ == state_size()) return add_header(value);
  if (place_ < count_ && value < 0.0) {
    problems_.report(problems_.current_place(), "negative mass",
                     "body " + std::to_string(place_) + " of those in blocks",
                     "remove or correct the body");
  }
  if (is_stored_) store(value);
  ++place_;
}

void TextBlocks::store(double value) {
  auto& bodies = file_.bodies;
  if (place_ < count_) {
    bodies.mass.push_back(value);
    return;
  }
  auto const component = place_ - count_;
  auto const block = count_ * dimension_;
  auto& vectors = component < block ? bodies.position : bodies.velocity;
  auto const axis = static_cast<std::size_t>(component % dimension_);
  if (axis == 0) vectors.push_back({});
  set_component(vectors.back(), axis, value);
}

void TextBlocks::add_header(double value) {
  if (further_ > 0) {
    ++further_;
    return;
  }
  header_.push_back(value);
  if (header_.size() < header_numbers) return;
  bool const is_header =
      header_[0] == static_cast<double>(count_) && header_[1] == static_cast<double>(dimension_);
  if (is_header) return begin_state(header_[2]);
  further_ = header_numbers;
}

void TextBlocks::finish() {
  if (!problems_.empty()) return;
  if (place_ < state_size()) {
    problems_.report(problems_.source(), "too few numbers",
                     std::to_string(state_size()) +
                         " are needed for masses, positions and "
                         "velocities of " +
                         std::to_string(count_) + " bodies, and there are " +
                         std::to_string(place_),
                     "check that the file is whole");
    return;
  }
  auto const further = further_ + (further_ > 0 ? 0 : header_.size());
  if (further > 0 && further % count_ != 0) {
    problems_.report(
        problems_.source(), "too many numbers",
        std::to_string(further) + " follow the velocities of " + std::to_string(count_) + " bodies",
        "check the count in the first line");
    return;
  }
  if (further > 0)
    file_.unused.push_back(std::to_string(further) + " numbers below the velocities");
  file_.bodies.id.resize(file_.bodies.size());
  std::iota(file_.bodies.id.begin(), file_.bodies.id.end(), std::uint64_t{0});
}

}  // namespace apsis::formats
