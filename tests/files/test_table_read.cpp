// SPDX-License-Identifier: Apache-2.0
#include "files/csv_metadata.hpp"
#include "support/scratch.hpp"
#include <apsis/core/error.hpp>

#include <doctest/doctest.h>

using namespace apsis;
using apsis::testing::Scratch;

TEST_CASE("columns of a table are read by name, up to the first incomplete row") {
  Scratch const scratch;
  using Columns = std::vector<std::vector<double>>;
  auto const read = [&](std::string const& text) {
    scratch.write("table.csv", text);
    return files::read_columns(scratch / "table.csv", {"time", "energy"});
  };
  CHECK(read("step,energy,time\n0,-0.25,0\n1,-2.5e-1,0.5\n") ==
        Columns{{0.0, 0.5}, {-0.25, -0.25}});
  CHECK(read("step,energy,time\n0,-0.25,0\n1,-2.5e-1,0.") == Columns{{0.0}, {-0.25}});
  CHECK(read("step,energy,time\n0,-0.25,0\n1,-2.5e-1\n2,1,1\n") == Columns{{0.0}, {-0.25}});
  CHECK(read("step,energy,time\n0,x,0\n") == Columns{{}, {}});
  CHECK(read("step,time\n0,1\n") == Columns{{}, {}});
  CHECK(read("") == Columns{{}, {}});
  CHECK_THROWS_AS(files::read_columns(scratch / "nowhere.csv", {"time"}), Error);
}
