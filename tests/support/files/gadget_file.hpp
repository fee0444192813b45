// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace apsis::testing {

/// Writes binary snapshots by the users' guide of GADGET-2, section 6, without code of Apsis.
class GadgetFile {
 public:
  struct Header {
    std::array<std::int32_t, 6> counts{};
    std::array<double, 6> masses{};
    double time = 0.0, redshift = 0.0;
    std::array<std::uint32_t, 6> totals{};
    std::int32_t files = 1;
    double box_size = 0.0, omega0 = 0.0, omega_lambda = 0.0, hubble = 0.0;
    std::array<std::uint32_t, 6> high_words{};
    std::int32_t double_precision = 0;
  };

  /// `big`: big endian. `format`: 1 or 2.
  GadgetFile(bool big, int format) : big_(big), format_(format) {}

  GadgetFile& header(Header const& values) {
    std::string block(256, '\0');
    std::size_t offset = 0;
    auto const put = [&](auto const& list) {
      for (auto const value : list) {
        auto const number = in_order(value);
        block.replace(offset, number.size(), number);
        offset += number.size();
      }
    };
    using Reals = std::vector<double>;
    using Integers = std::vector<std::int32_t>;
    put(values.counts);                        // npart
    put(values.masses);                        // mass
    put(Reals{values.time, values.redshift});  // time, redshift
    put(Integers{0, 0});                       // flag_sfr, flag_feedback
    put(values.totals);                        // npartTotal
    put(Integers{0, values.files});            // flag_cooling, num_files
    put(Reals{values.box_size, values.omega0, values.omega_lambda, values.hubble});
    put(Integers{0, 0});                        // flag_stellarage, flag_metals
    put(values.high_words);                     // npartTotalHighWord
    put(Integers{0, values.double_precision});  // flag_entropy_instead_u, GADGET-3's flag
    return record("HEAD", block);
  }

  template <class Number>
  GadgetFile& block(std::string const& name, std::vector<Number> const& values) {
    std::string data;
    for (auto const value : values) data += in_order(value);
    return record(name, data);
  }

  GadgetFile& record(std::string const& name, std::string const& data) {
    auto const length = [this](std::size_t size) {
      return in_order(static_cast<std::uint32_t>(size));
    };
    if (format_ == 2) bytes += length(8) + name + length(data.size() + 8) + length(8);
    bytes += length(data.size()) + data + length(data.size());
    return *this;
  }

  void save(std::filesystem::path const& path) const {
    std::ofstream(path, std::ios::binary) << bytes;
  }

  std::string bytes;

 private:
  template <class Number>
  std::string in_order(Number value) const {
    std::string result(sizeof(Number), '\0');
    std::memcpy(result.data(), &value, sizeof(Number));
    std::uint16_t const one = 1;
    bool const native_is_big = *reinterpret_cast<unsigned char const*>(&one) == 0;
    if (big_ != native_is_big) std::reverse(result.begin(), result.end());
    return result;
  }

  bool big_;
  int format_;
};

/// Columns of seven bodies: two of gas, two of the halo, one each of disk, bulge and boundary.
struct GadgetSample {
  template <class Real>
  static std::vector<Real> vectors(double offset) {
    std::vector<Real> values;
    for (int i = 0; i < 21; ++i) values.push_back(static_cast<Real>(offset + i / 3.0));
    return values;
  }
  static GadgetFile::Header header() {
    GadgetFile::Header values;
    values.counts = {2, 2, 1, 1, 0, 1};
    values.masses = {0.0, 0.25, 0.0, 1e-5, 0.5, 0.0};
    values.time = 1.5;
    values.totals = {2, 2, 1, 1, 0, 1};
    return values;
  }

  /// A whole file. The masses of gas, disk and boundary are in the block MASS.
  template <class Real, class Id>
  static GadgetFile file(bool big, int format, GadgetFile::Header const& values = header()) {
    GadgetFile out(big, format);
    out.header(values)
        .template block<Real>("POS ", vectors<Real>(-3.0))
        .template block<Real>("VEL ", vectors<Real>(7.0))
        .template block<Id>("ID  ", ids<Id>())
        .template block<Real>("MASS", masses<Real>());
    return out;
  }
  template <class Id>
  static std::vector<Id> ids() {
    return {4000000000U, 7, static_cast<Id>(~Id{0}), 8, 3, 0, 5};
  }
  template <class Real>
  static std::vector<Real> masses() {
    return {static_cast<Real>(0.1), static_cast<Real>(0.2), static_cast<Real>(0.3),
            static_cast<Real>(0.4)};
  }
};

}  // namespace apsis::testing
