// SPDX-License-Identifier: Apache-2.0

#include "formats/check_bodies.hpp"
#include "nemo_items.hpp"
#include <apsis/core/text.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace apsis::formats {

namespace {

using Lengths = std::vector<std::uint64_t>;

class NemoReader {
 public:
  NemoReader(files::Input& input, CountCheck const& count, std::optional<double> time)
      : source_(input.name()), count_(count), items_(open_nemo(input)), times_(time) {}

  BodiesFile read() {
    NemoItem item;
    bool any = false;
    while (items_->next(item)) {
      bool const is_snapshot = item.kind == NemoItem::Kind::set && item.tag == "SnapShot";
      any = any || is_snapshot;
      is_snapshot ? read_snapshot() : skip(item);
    }
    if (!any) refuse("holds no snapshot", "there is no set 'SnapShot'");
    if (auto problem = times_.problem(source_)) throw Error(ExitStatus::bad_input, *problem);
    if (!is_complete_) refuse("holds no bodies", "no set 'Particles' has coordinates");
    check_values(file_, source_);
    file_.time = *times_.chosen();
    file_.notes.push_back("read as NEMO's SnapShot, " + items_->description() + ", time " +
                          shortest(file_.time));
    if (!others_.empty()) file_.unused.push_back("items " + quoted_list(others_) + " of NEMO");
    return std::move(file_);
  }

 private:
  [[noreturn]] void refuse(std::string what, std::string why) const {
    throw Error(ExitStatus::bad_input,
                Problem{source_, std::move(what), std::move(why), "check it with NEMO's tsf"});
  }

  /// Skips values, or a set with all that is in it.
  void skip(NemoItem const& item) {
    if (item.kind == NemoItem::Kind::values) return items_->skip(item);
    if (item.kind == NemoItem::Kind::end_of_set) refuse("a set that was not begun", "it ends");
    NemoItem inner;
    for (std::size_t depth = 1; depth > 0;) {
      if (!items_->next(inner)) refuse_open_set(item.tag);
      if (inner.kind == NemoItem::Kind::values) items_->skip(inner);
      if (inner.kind == NemoItem::Kind::set) ++depth;
      if (inner.kind == NemoItem::Kind::end_of_set) --depth;
    }
  }

  [[noreturn]] void refuse_open_set(std::string const& tag) const {
    refuse("ends within the set " + printed_word(tag), "it is not closed");
  }

  /// Calls visit(item) for each item of the set, which has just begun.
  template <class Visit>
  void for_each_item(std::string const& tag, Visit const& visit) {
    NemoItem item;
    while (true) {
      if (!items_->next(item)) refuse_open_set(tag);
      if (item.kind == NemoItem::Kind::end_of_set) return;
      visit(item);
    }
  }

  void read_snapshot() {
    time_ = 0.0;
    has_time_ = false;
    bodies_.reset();
    key_.clear();
    position_.clear();
    velocity_.clear();
    is_wanted_.reset();
    for_each_item("SnapShot", [&](NemoItem const& item) {
      bool const is_set = item.kind == NemoItem::Kind::set;
      if (is_set && item.tag == "Parameters") {
        for_each_item(item.tag, [&](NemoItem const& inner) { read_parameter(inner); });
      } else if (is_set && item.tag == "Particles") {
        for_each_item(item.tag, [&](NemoItem const& inner) { read_particles(inner); });
      } else {
        skip(item);
      }
    });
    if (is_wanted_.value_or(false) && !is_complete_) assemble();
  }

  double number(NemoItem const& item) {
    if (item.count != 1) refuse("'" + item.tag + "' is no single number", "it is an array");
    items_->read(item, values_);
    if (!std::isfinite(values_[0])) refuse("'" + item.tag + "' is not finite", "in Parameters");
    return values_[0];
  }

  void read_parameter(NemoItem const& item) {
    if (item.tag == "Time") {
      time_ = number(item);
      has_time_ = true;
    } else if (item.tag == "Nobj") {
      double const count = number(item);
      if (!(count >= 1.0)) refuse("no bodies", "Nobj is " + shortest(count));
      bodies_ = static_cast<std::uint64_t>(count);
    } else {
      skip(item);
    }
  }

  void read_particles(NemoItem const& item) {
    if (item.tag == "CoordSystem") {
      check_coordinates(number(item));
    } else if (item.tag == "Mass") {
      check_lengths(item, {});
      items_->read(item, mass_);
    } else if (item.tag == "PhaseSpace") {
      read_coordinates(item, {2, 3}, position_);
    } else if (item.tag == "Position") {
      read_coordinates(item, {3}, position_);
    } else if (item.tag == "Velocity") {
      read_coordinates(item, {3}, velocity_);
    } else if (item.tag == "Key") {
      check_lengths(item, {});
      items_->read(item, key_);
    } else {
      note_other(item.tag);
      skip(item);
    }
  }

  void note_other(std::string const& tag) {
    constexpr std::size_t most = 20;
    auto const name = printable(shortened(tag, 40));
    bool const is_new = std::find(others_.begin(), others_.end(), name) == others_.end();
    if (is_new && others_.size() < most) others_.push_back(name);
  }

  /// The bytes of the code are kind, dimension and number of derivatives of the coordinates.
  void check_coordinates(double code) const {
    constexpr double cartesian_3d = 0x010302;
    if (code == cartesian_3d) return;
    refuse("unknown coordinates", "CoordSystem is " + shortest(code) +
                                      ", and Cartesian ones in space are " +
                                      shortest(cartesian_3d));
  }

  void check_lengths(NemoItem const& item, Lengths const& inner) {
    if (!bodies_) refuse("no number of bodies", "Nobj is not in Parameters");
    auto expected = inner;
    expected.insert(expected.begin(), *bodies_);
    if (item.kind == NemoItem::Kind::values && item.dimensions == expected) return;
    refuse("'" + item.tag + "' has the wrong size",
           "the snapshot has " + std::to_string(*bodies_) + " bodies in space");
  }

  void read_coordinates(NemoItem const& item, Lengths const& inner, std::vector<double>& values) {
    check_lengths(item, inner);
    if (!is_wanted_) is_wanted_ = times_.accepts(time_);
    if (!*is_wanted_ || is_complete_) return skip(item);
    file_.has_time = has_time_;
    check_memory(*bodies_, 2.0, source_);
    if (count_) count_(*bodies_);
    items_->read(item, values);
  }

  void assemble() {
    auto const count = static_cast<std::size_t>(*bodies_);
    bool const has_phases = position_.size() == 6 * count;
    if (mass_.size() != count) refuse("no masses", "there is no item 'Mass' for these bodies");
    if (!has_phases && (position_.size() != 3 * count || velocity_.size() != 3 * count)) {
      refuse("no coordinates", "there is no item 'PhaseSpace', and not both Position and Velocity");
    }
    auto& bodies = file_.bodies;
    bodies = HostBodies(count);
    bodies.mass = mass_;
    auto const vector_at = [](std::vector<double> const& values, std::size_t place) {
      return Vec3<double>{values[place], values[place + 1], values[place + 2]};
    };
    for (std::size_t i = 0; i < count; ++i) {
      bodies.position[i] = vector_at(position_, (has_phases ? 6 : 3) * i);
      bodies.velocity[i] =
          has_phases ? vector_at(position_, 6 * i + 3) : vector_at(velocity_, 3 * i);
    }
    use_keys();
    is_complete_ = true;
  }

  void use_keys() {
    if (key_.empty()) return;
    bool const are_ids = std::all_of(key_.begin(), key_.end(),
                                     [](double key) { return key >= 0.0 && key <= 0x1p53; });
    auto& id = file_.bodies.id;
    if (are_ids) {
      std::transform(key_.begin(), key_.end(), id.begin(),
                     [](double key) { return static_cast<std::uint64_t>(key); });
    }
    file_.has_ids = are_ids && !repeated_id(id);
    if (file_.has_ids) return;
    std::iota(id.begin(), id.end(), std::uint64_t{0});
    file_.unused.emplace_back("keys, which are negative or repeat and so are no ids");
  }

  std::string source_;
  CountCheck const& count_;
  std::unique_ptr<NemoItems> items_;
  TimeChoice times_;
  BodiesFile file_;
  bool is_complete_ = false;  ///< whether the chosen snapshot was read

  // The present snapshot.
  double time_ = 0.0;
  bool has_time_ = false;
  std::optional<std::uint64_t> bodies_;
  std::optional<bool> is_wanted_;                  ///< decided at the first coordinates
  std::vector<double> position_, velocity_, key_;  ///< of PhaseSpace, position_ has both

  std::vector<double> mass_;  ///< of this snapshot or an earlier one
  std::vector<double> values_;
  std::vector<std::string> others_;  ///< tags of items that are not used
};

}  // namespace

BodiesFile read_nemo(files::Input&& input, CountCheck const& count, std::optional<double> time) {
  return NemoReader(input, count, time).read();
}

}  // namespace apsis::formats
