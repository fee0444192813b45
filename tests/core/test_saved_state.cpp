// SPDX-License-Identifier: Apache-2.0
#include "support/contains.hpp"
#include <apsis/core/error.hpp>
#include <apsis/core/execution.hpp>
#include <apsis/core/saved_state.hpp>

#include <doctest/doctest.h>

#include <limits>

using namespace apsis;
using apsis::testing::contains;

namespace {

struct Fields {
  double eta = 0.5;
  int level = -3;
  std::uint64_t steps = 7;
  bool started = true;
  std::string text = "two\nlines";
  std::vector<std::string> rows{"1,2", "", "3"};
  Kokkos::View<float* [3], Kokkos::LayoutLeft, MemorySpace> view { "apsis::testing::view", 5 };

  void exchange(SavedState& state) {
    state.exchange("eta", eta);
    state.exchange("level", level);
    state.exchange("steps", steps);
    state.exchange("started", started);
    state.exchange("text", text);
    state.exchange("rows", rows);
    state.exchange(ExecutionSpace(), "view", view);
  }
};

std::string refusal(std::vector<StateBlock> blocks) {
  Fields fields;
  SavedState state(std::move(blocks));
  try {
    fields.exchange(state);
    state.finish();
  } catch (Error const& error) {
    CHECK(error.status() == ExitStatus::bad_input);
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("a restored state equals the saved state") {
  Fields fields;
  Kokkos::deep_copy(fields.view, 1.25f);
  SavedState saved;
  fields.exchange(saved);
  CHECK_FALSE(saved.restores());
  CHECK(saved.blocks().size() == 7);
  CHECK(saved.blocks()[6].count() == 15);

  Fields other{1.0, 0, 0, false, "", {}};
  SavedState restored(saved.blocks());
  other.exchange(restored);
  restored.finish();
  CHECK(other.eta == 0.5);
  CHECK(other.level == -3);
  CHECK(other.steps == 7);
  CHECK(other.started);
  CHECK(other.text == "two\nlines");
  CHECK(other.rows == fields.rows);
  auto const host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), other.view);
  CHECK(host(4, 2) == 1.25f);
}

TEST_CASE("missing, surplus and mismatched blocks are rejected by name") {
  Fields fields;
  SavedState saved;
  fields.exchange(saved);
  auto const blocks = saved.blocks();
  CHECK(refusal(blocks) == "");
  auto few = blocks;
  few.pop_back();
  CHECK(contains(refusal(few), "checkpoint block 'view': missing"));
  auto many = blocks;
  many.push_back(blocks.front());
  CHECK(contains(refusal(many), "checkpoint block 'eta': is not known"));
  auto renamed = blocks;
  renamed[1].name = "depth";
  CHECK(contains(refusal(renamed), "checkpoint block 'level': missing; 'depth' is in its place"));
  auto typed = blocks;
  typed[0].type = BlockType::uint64;
  CHECK(contains(refusal(typed), "checkpoint block 'eta': of another type"));
  auto longer = blocks;
  longer[6].bytes.resize(16 * sizeof(float));
  CHECK(contains(refusal(longer), "checkpoint block 'view': has 16 elements, not 15"));
}

TEST_CASE("numbers that are not finite are located in any column") {
  Fields fields;
  SavedState good;
  fields.exchange(good);
  CHECK_FALSE(good.not_finite().has_value());
  auto const host = Kokkos::create_mirror_view(fields.view);
  host(3, 1) = std::numeric_limits<float>::quiet_NaN();
  Kokkos::deep_copy(fields.view, host);
  SavedState bad;
  fields.exchange(bad);
  REQUIRE(bad.not_finite().has_value());
  CHECK(bad.not_finite()->block == "view");
  CHECK(bad.not_finite()->index == 8);
}
