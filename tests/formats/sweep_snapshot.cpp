// SPDX-License-Identifier: Apache-2.0
#include "files/subprocess.hpp"
#include "support/scratch.hpp"
#include "support/snapshots.hpp"
#include <apsis/core/error.hpp>

#include <doctest/doctest.h>

#include <cinttypes>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <sys/resource.h>

using namespace apsis;
using apsis::testing::content;
using apsis::testing::Scratch;
using apsis::testing::SnapshotSample;
namespace fs = std::filesystem;

namespace {

#ifdef APSIS_SANITIZED
constexpr std::size_t stride = 5;  // sanitizers are five times as slow
#else
constexpr std::size_t stride = 1;
#endif

std::string write(SnapshotSample<double> const& sample) {
  Scratch const scratch;
  formats::write_snapshot(scratch / "sample.h5", sample.header, sample.columns());
  return content(scratch / "sample.h5");
}

// Damaged files are read in this process, and the library cannot close all their objects.
[[maybe_unused]] bool const is_cleanup_disabled = (formats::disable_hdf5_cleanup(), true);

enum class Outcome { same, rejected, wrong };

Outcome outcome(SnapshotSample<double> const& sample, std::string const& bytes) {
  try {
    auto const read = formats::read_snapshot_image(std::as_bytes(std::span(bytes)), "image");
    return sample.same(read) ? Outcome::same : Outcome::wrong;
  } catch (Error const& error) {
    return error.status() == ExitStatus::bad_input ? Outcome::rejected : Outcome::wrong;
  }
}

}  // namespace

TEST_CASE("a snapshot with a flipped byte is rejected or reads the same") {
  for (int const compression : {0, 3}) {
    SnapshotSample<double> sample(3);
    sample.header.compression = compression;
    auto bytes = write(sample);
    REQUIRE(outcome(sample, bytes) == Outcome::same);
    std::size_t rejected = 0;
    std::size_t const step = compression == 0 ? stride : 5 * stride;
    for (std::size_t i = 0; i < bytes.size(); i += step) {
      char const flip = static_cast<char>(1 << (i % 8));
      bytes[i] = static_cast<char>(bytes[i] ^ flip);
      auto const result = outcome(sample, bytes);
      rejected += result == Outcome::rejected ? 1 : 0;
      if (result == Outcome::wrong) FAIL_CHECK("byte ", i);
      bytes[i] = static_cast<char>(bytes[i] ^ flip);
    }
    // The other bytes are in descriptions and gaps, on which no value of a body depends.
    CHECK(rejected > bytes.size() / step / 4);
  }
}

TEST_CASE("a truncated snapshot is rejected") {
  SnapshotSample<double> const sample(3);
  auto const bytes = write(sample);
  for (std::size_t length = 0; length < bytes.size(); length += 5 * stride) {
    if (outcome(sample, bytes.substr(0, length)) != Outcome::rejected)
      FAIL_CHECK("length ", length);
  }
}

TEST_CASE("a disk that is full at any byte gives an error and leaves no file") {
  SnapshotSample<double> const sample(200);
  auto const complete = write(sample).size();
  Scratch const scratch;
  auto const path = scratch / "full.h5";
  std::signal(SIGXFSZ, SIG_IGN);
  rlimit old{};
  getrlimit(RLIMIT_FSIZE, &old);
  for (std::size_t bytes = 0; bytes <= complete; bytes += 37 * stride) {
    rlimit const full{bytes, old.rlim_max};
    setrlimit(RLIMIT_FSIZE, &full);
    auto status = ExitStatus::conserved;
    try {
      formats::write_snapshot(path, sample.header, sample.columns());
    } catch (Error const& error) {
      status = error.status();
    }
    setrlimit(RLIMIT_FSIZE, &old);
    CHECK((status == ExitStatus::input_output) == (bytes < complete));
    CHECK(fs::exists(path) == (bytes >= complete));
    CHECK_FALSE(fs::exists(path.string() + ".tmp"));
    fs::remove(path);
  }
  std::signal(SIGXFSZ, SIG_DFL);
}

/// Writes a sample for tests/formats/read_snapshot.py: a snapshot, and a text file with its numbers
/// in hexadecimal.
template <class Real>
void write_sample(fs::path const& path, std::size_t count, int compression, char const* units,
                  bool extremes = true) {
  SnapshotSample<Real> sample(count);
  if (!extremes) {  // for readers that multiply by units
    sample.position[0] = sample.position[1] = Real(0.25);
    sample.mass[2] = Real(1);
  }
  sample.header.compression = compression;
  sample.header.units = unit_systems().get(units);
  formats::write_snapshot(path, sample.header, sample.all_columns());
  auto const text = path.string() + ".txt";
  auto* out = std::fopen(text.c_str(), "w");
  REQUIRE(out != nullptr);
  for (std::size_t i = 0; i < count; ++i) {
    std::fprintf(out, "%" PRIu64 " %a %a", sample.id[i], static_cast<double>(sample.mass[i]),
                 sample.potential[i]);
    for (auto const* column : {&sample.position, &sample.velocity, &sample.acceleration}) {
      for (std::size_t k = 0; k < 3; ++k) {
        std::fprintf(out, " %a", static_cast<double>((*column)[k * count + i]));
      }
    }
    std::fprintf(out, "\n");
  }
  REQUIRE(std::fclose(out) == 0);
}

TEST_CASE("samples") {
  auto const* directory = std::getenv("APSIS_SNAPSHOT_SAMPLES");
  if (directory == nullptr) return;
  write_sample<double>(fs::path(directory) / "double.h5", 1000, 0, "astrophysical");
  write_sample<float>(fs::path(directory) / "single.h5", 40000, 0, "solar");
  write_sample<double>(fs::path(directory) / "compressed.h5", 40000, 6, "henon");
  write_sample<double>(fs::path(directory) / "plain.h5", 1000, 0, "astrophysical", false);
  write_sample<double>(fs::path(directory) / "empty.h5", 0, 0, "henon");
}
