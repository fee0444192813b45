// SPDX-License-Identifier: Apache-2.0
#include "files/subprocess.hpp"
#include "formats/snapshot/hdf5_handle.hpp"
#include "support/contains.hpp"
#include "support/foreign_snapshot.hpp"
#include "support/problems.hpp"
#include "support/relative.hpp"
#include "support/scratch.hpp"
#include "support/snapshots.hpp"
#include <apsis/core/error.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <iterator>
#include <sys/resource.h>
#include <unistd.h>

using namespace apsis;
using apsis::testing::approximately;
using apsis::testing::complaint;
using apsis::testing::contains;
using apsis::testing::content;
using apsis::testing::Hdf5File;
using apsis::testing::refusal;
using apsis::testing::Scratch;
using apsis::testing::snapshot_refusal;
using apsis::testing::SnapshotSample;
using apsis::testing::write_gadget;
namespace fs = std::filesystem;

namespace {

std::ptrdiff_t files_in(Scratch const& place) {
  return std::distance(fs::directory_iterator(place.path()), fs::directory_iterator());
}

using Doubles = std::vector<double>;

}  // namespace

TEST_CASE_TEMPLATE("a snapshot reads back to the last bit", Real, float, double) {
  Scratch const place;
  // Sizes around a block of 32768 rows, and 0.
  for (std::size_t const count : {0, 1, 3, 32768, 32769, 70000}) {
    for (int const compression : {0, 5}) {
      CAPTURE(count);
      CAPTURE(compression);
      SnapshotSample<Real> sample(count);
      sample.header.compression = compression;
      formats::write_snapshot(place / "a.h5", sample.header, sample.columns());
      auto const read = formats::read_snapshot(place / "a.h5");
      CHECK(sample.same(read));
      CHECK(read.has_ids == (count > 0));
      CHECK(files_in(place) == 1);
    }
  }
  CHECK(formats::read_snapshot(place / "a.h5").units->length == approximately(constants::parsec));
}

TEST_CASE("every unit that a snapshot states has its value in cgs") {
  Scratch const place;
  struct Case {
    char const* system;
    double mass, length, time;
  };
  for (auto const& expected :
       {Case{"astrophysical", 1.9884098706980507e33, 3.0856775814913673e18, 3.15576e13},
        Case{"solar", 1.9884098706980507e33, 1.495978707e13, 3.15576e7},
        Case{"henon", 1.0, 1.0, 1.0}}) {
    CAPTURE(expected.system);
    SnapshotSample<double> sample(3);
    sample.header.units = unit_systems().get(expected.system);
    sample.header.time = 1234.5;
    formats::write_snapshot(place / "a.h5", sample.header, sample.columns());
    auto const expect = [&](std::string const& group, std::string const& name, double value) {
      CAPTURE(group);
      CAPTURE(name);
      CHECK(Hdf5File::number(place / "a.h5", group, name) == approximately(value, 1e-15));
    };
    double const velocity = expected.length / expected.time;
    for (auto const* group : {"Units", "InternalCodeUnits"}) {
      expect(group, "Unit mass in cgs (U_M)", expected.mass);
      expect(group, "Unit length in cgs (U_L)", expected.length);
      expect(group, "Unit time in cgs (U_t)", expected.time);
      expect(group, "Unit current in cgs (U_I)", 1.0);
      expect(group, "Unit temperature in cgs (U_T)", 1.0);
      expect(group, "UnitTime_in_s", expected.time);
    }
    for (auto const* group : {"Units", "InternalCodeUnits", "Parameters"}) {
      expect(group, "UnitMass_in_g", expected.mass);
      expect(group, "UnitLength_in_cm", expected.length);
      expect(group, "UnitVelocity_in_cm_per_s", velocity);
    }
    // G in these units, from the solar mass parameter G M in SI units.
    bool const has_units = std::string(expected.system) != "henon";
    double const length = expected.length / 100.0;
    double const G =
        has_units ? 1.3271244e20 * expected.time * expected.time / std::pow(length, 3) : 1.0;
    expect("Parameters", "GravityConstantInternal", G);
    expect("Apsis", "G", G);
    expect("Header", "Time", 1234.5);
    expect("Parameters", "Time_GYR", 1234.5 * expected.time / 3.15576e16);
  }
}

TEST_CASE("a snapshot in dimensionless units has no units") {
  Scratch const place;
  SnapshotSample<double> sample(3);
  sample.header.units = unit_systems().get("henon");
  formats::write_snapshot(place / "a.h5", sample.header, sample.columns());
  auto const read = formats::read_snapshot(place / "a.h5");
  CHECK_FALSE(read.units.has_value());
  CHECK(read.unit_system == "henon");
}

TEST_CASE("a snapshot holds a long deck, and accelerations and potentials on request") {
  Scratch const place;
  SnapshotSample<double> sample(5);
  sample.header.deck = std::string(300000, 'x');  // more than an attribute can hold
  formats::write_snapshot(place / "a.h5", sample.header, sample.all_columns());
  CHECK(sample.same(formats::read_snapshot(place / "a.h5")));
  hid_t const file = H5Fopen((place / "a.h5").c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
  for (auto const* name : {"Acceleration", "Accelerations", "Potential", "Potentials"}) {
    CHECK(H5Lexists(file, (std::string("PartType1/") + name).c_str(), H5P_DEFAULT) > 0);
  }
  Doubles potential(5);
  hid_t const dataset = H5Dopen2(file, "PartType1/Potentials", H5P_DEFAULT);
  H5Dread(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, potential.data());
  CHECK(potential == sample.potential);
  H5Dclose(dataset);
  H5Fclose(file);
}

TEST_CASE("equal snapshots give identical files") {
  Scratch const place;
  SnapshotSample<double> const sample(100);
  formats::write_snapshot(place / "a.h5", sample.header, sample.all_columns());
  formats::write_snapshot(place / "b.h5", sample.header, sample.all_columns());
  CHECK(content(place / "a.h5") == content(place / "b.h5"));
}

TEST_CASE("after a failed write the old snapshot remains, and no other file") {
  Scratch const place;
  SnapshotSample<double> const small(3), large(2000);
  formats::write_snapshot(place / "a.h5", small.header, small.columns());
  std::signal(SIGXFSZ, SIG_IGN);
  rlimit old{};
  getrlimit(RLIMIT_FSIZE, &old);
  for (rlim_t const bytes : {0, 1, 100, 5000, 20000, 60000, 100000, 120000}) {
    CAPTURE(bytes);
    rlimit const full{bytes, old.rlim_max};
    setrlimit(RLIMIT_FSIZE, &full);
    auto const text =
        complaint([&] { formats::write_snapshot(place / "a.h5", large.header, large.columns()); },
                  ExitStatus::input_output);
    setrlimit(RLIMIT_FSIZE, &old);
    CHECK(contains(text, "a.h5: cannot be written (File too large); check free space"));
    CHECK(files_in(place) == 1);
  }
  std::signal(SIGXFSZ, SIG_DFL);
  CHECK(small.same(formats::read_snapshot(place / "a.h5")));
  // The next write succeeds.
  formats::write_snapshot(place / "a.h5", large.header, large.columns());
  CHECK(large.same(formats::read_snapshot(place / "a.h5")));

  auto const nowhere = complaint(
      [&] { formats::write_snapshot(place / "none/a.h5", small.header, small.columns()); },
      ExitStatus::input_output);
  CHECK(contains(nowhere, "none/a.h5: cannot be written (No such file or directory)"));
}

TEST_CASE("HDF5 closes a file on a full disk, and the error of the disk is recorded") {
  auto const output = std::make_shared<formats::hdf5::Output>();
  output->descriptor = ::open("/dev/full", O_RDWR);
  REQUIRE(output->descriptor >= 0);
  {
    formats::hdf5::Session const session;
    auto const access = formats::hdf5::access_to(output);
    Hdf5File file("full", access);
    write_gadget(file);
    CHECK(H5Fflush(file.id(), H5F_SCOPE_LOCAL) >= 0);
    CHECK(output->error == ENOSPC);
    H5E_auto2_t print = nullptr;
    void* unused = nullptr;
    H5Eget_auto2(H5E_DEFAULT, &print, &unused);
    CHECK((print == nullptr));  // error output of the library is suppressed
  }
  CHECK(H5Fget_obj_count(H5F_OBJ_ALL, H5F_OBJ_ALL) == 0);
  ::close(output->descriptor);
}

TEST_CASE("the HDF5 settings of a program are restored after use") {
  static int printed;
  printed = 0;
  auto const print = [](hid_t, void* data) -> herr_t { return ++*static_cast<int*>(data), 0; };
  H5E_auto2_t const set_print = print;
  H5E_auto2_t old_print = nullptr;
  void* old_data = nullptr;
  H5Eget_auto2(H5E_DEFAULT, &old_print, &old_data);
  CHECK((old_print != nullptr));  // no earlier test has disabled it
  H5Eset_auto2(H5E_DEFAULT, set_print, &printed);
  unsigned const set_plugins = H5PL_FILTER_PLUGIN;
  CHECK(H5PLset_loading_state(set_plugins) >= 0);

  Scratch const place;
  SnapshotSample<double> const sample(3);
  formats::write_snapshot(place / "a.h5", sample.header, sample.columns());
  CHECK(sample.same(formats::read_snapshot(place / "a.h5")));
  CHECK_THROWS_AS(formats::write_snapshot(place / "none/a.h5", sample.header, sample.columns()),
                  Error);
  CHECK_THROWS_AS(formats::read_snapshot_image({}, "image"), Error);
  std::string const damaged(1000, 'x');
  CHECK_THROWS_AS(formats::read_snapshot_image(std::as_bytes(std::span(damaged)), "image"), Error);
  CHECK(printed == 0);

  H5E_auto2_t now_print = nullptr;
  void* now_data = nullptr;
  H5Eget_auto2(H5E_DEFAULT, &now_print, &now_data);
  CHECK((now_print == set_print));
  CHECK(now_data == &printed);
  unsigned plugins = 0;
  H5PLget_loading_state(&plugins);
  CHECK(plugins == set_plugins);
  H5PLset_loading_state(H5PL_ALL_PLUGIN);
  H5Eset_auto2(H5E_DEFAULT, old_print, old_data);
}

TEST_CASE("a crash of a subprocess does not end the run") {
  auto const failure = [](auto const& action, unsigned seconds = 10) {
    int result = 0;
    auto const reason = files::run_in_subprocess(
        [&] {
          action();
          result = 17;
        },
        [&](files::Pipe& pipe) { return pipe.pass(result); }, {1 << 30, seconds, 0});
    CHECK((result == 17) == reason.empty());
    return reason;
  };
  CHECK(failure([] {}) == "");
  CHECK(failure([] { throw std::runtime_error("no"); }) != "");
  CHECK(contains(failure([] { std::abort(); }), "Abort"));
  CHECK(contains(failure([] { std::raise(SIGKILL); }), "Kill"));
  // A signal handler of the program is not called.
  auto const handler = std::signal(SIGFPE, [](int) { _exit(0); });
  CHECK(contains(failure([] { std::raise(SIGFPE); }), "Floating"));
  std::signal(SIGFPE, handler);

  CHECK(failure(
            [] {
              while (true) pause();
            },
            1) == "not finished after 1 s");
#ifndef APSIS_SANITIZED  // sanitizers need all the memory
  // The memory is read, because a compiler may optimise unread memory away.
  auto const hoard = [] {
    std::vector<char> const much(std::size_t{1} << 32, 'x');
    CHECK(much.back() == 'x');
  };
  CHECK(failure(hoard) == "it needs too much memory");
#endif
}

TEST_CASE("names of bodies are stored with their ids, also of bodies of several types") {
  Scratch const place;
  SnapshotSample<double> const sample(5);
  std::vector<std::string> const names{"Sun", "", "Proxima Centauri b", "", "4"};
  std::vector<std::uint8_t> const species{4, 1, 2, 1, 5};
  auto columns = sample.all_columns();
  columns.names = names;
  for (bool const mixed : {false, true}) {
    if (mixed) columns.species = species;
    formats::write_snapshot(place / "named.h5", sample.header, columns);
    auto const read = formats::read_snapshot(place / "named.h5");
    CHECK(sample.same(read));
    CHECK((read.bodies.name == names));
  }
  formats::write_snapshot(place / "plain.h5", sample.header, sample.all_columns());
  CHECK(formats::read_snapshot(place / "plain.h5").bodies.name.empty());
}

TEST_CASE("species are stored as particle types, and the order of the bodies is restored") {
  Scratch const place;
  SnapshotSample<double> const sample(40000);
  std::vector<std::uint8_t> species;
  for (std::size_t i = 0; i < 40000; ++i) {
    species.push_back(static_cast<std::uint8_t>(std::vector{4, 1, 2, 1, 5}[i % 5]));
  }
  auto columns = sample.all_columns();
  columns.species = species;
  auto const path = place / "mixed.h5";
  formats::write_snapshot(path, sample.header, columns);
  auto const mixed = formats::read_snapshot(path);
  CHECK(sample.same(mixed));
  CHECK((mixed.bodies.species == species));
  // Bodies ordered by type need no stored order.
  std::sort(species.begin(), species.end());
  formats::write_snapshot(path, sample.header, columns);
  auto const sorted = formats::read_snapshot(path);
  CHECK(sample.same(sorted));
  CHECK((sorted.bodies.species == species));
  // Bodies of one type have no species.
  species.assign(40000, species_types::dark);
  formats::write_snapshot(path, sample.header, columns);
  CHECK(formats::read_snapshot(path).bodies.species.empty());
  auto const plain = content(path);
  formats::write_snapshot(path, sample.header, sample.all_columns());
  CHECK(content(path) == plain);
}

TEST_CASE("an invalid order of bodies is rejected") {
  Scratch const place;
  SnapshotSample<double> const sample(4);
  std::vector<std::uint8_t> const species{4, 1, 2, 1};
  auto columns = sample.columns();
  columns.species = species;
  formats::write_snapshot(place / "order.h5", sample.header, columns);
  std::vector<std::uint64_t> const rows{0, 0, 1, 2};
  hid_t const file = H5Fopen((place / "order.h5").c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
  hid_t const dataset = H5Dopen2(file, "Apsis/Rows", H5P_DEFAULT);
  CHECK(H5Dwrite(dataset, H5T_NATIVE_UINT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, rows.data()) >= 0);
  H5Dclose(dataset);
  H5Fclose(file);
  CHECK(contains(snapshot_refusal(place / "order.h5"), "/Apsis/Rows is no order of its bodies"));
}
