// SPDX-License-Identifier: Apache-2.0
#include "files/checkpoint.hpp"
#include "files/file.hpp"
#include "support/comes_true.hpp"
#include "support/contains.hpp"
#include "support/scratch.hpp"
#include <apsis/core/error.hpp>
#include <apsis/deck/deck.hpp>

#include <doctest/doctest.h>

#include <cstring>
#include <optional>

using namespace apsis;
using apsis::testing::contains;
using apsis::testing::processor_seconds_of;
using apsis::testing::Scratch;

namespace {

StateBlock block(std::string const& name, std::string const& text) {
  StateBlock result{name, BlockType::text, std::vector<std::byte>(text.size())};
  std::memcpy(result.bytes.data(), text.data(), text.size());
  return result;
}

std::vector<StateBlock> state(int number) {
  return {block("run/step", std::to_string(number)),
          {"bodies/mass", BlockType::float64, std::vector<std::byte>(24, std::byte{7})},
          {"none", BlockType::int32, {}}};
}

/// Status of the error that decoding throws; nothing if the blocks encode to the same bytes.
std::optional<ExitStatus> rejection(std::string const& bytes) {
  try {
    auto const blocks = files::decode_checkpoint(bytes, "file");
    CHECK(files::encode_checkpoint(blocks) == bytes);
  } catch (Error const& error) {
    CHECK(error.problems().size() == 1);
    return error.status();
  }
  return std::nullopt;
}

}  // namespace

TEST_CASE("checkpoint: any flipped bit and any truncation are detected") {
  auto const good = files::encode_checkpoint(state(1));
  CHECK_FALSE(rejection(good).has_value());
  for (std::size_t i = 0; i < good.size(); ++i) {
    for (int bit = 0; bit < 8; ++bit) {
      auto flipped = good;
      flipped[i] = static_cast<char>(flipped[i] ^ (1 << bit));
      CHECK(rejection(flipped) == ExitStatus::bad_input);
    }
    CHECK(rejection(good.substr(0, i)) == ExitStatus::bad_input);
  }
  CHECK(rejection(good + "x") == ExitStatus::bad_input);
}

TEST_CASE("checkpoint: impossible sizes are rejected without delay") {
  auto huge = files::encode_checkpoint(state(1));
  std::uint64_t const blocks = std::uint64_t{1} << 40;
  std::memcpy(huge.data() + 16, &blocks, sizeof(blocks));
  std::optional<ExitStatus> status;
  auto const seconds = processor_seconds_of([&] { status = rejection(huge); });
  CHECK(status == ExitStatus::bad_input);
  CHECK(seconds < 0.1);
}

TEST_CASE("checkpoint: two generations are retained, newest first, and each can be read") {
  Scratch const scratch;
  files::CheckpointStore store(scratch.path());
  std::vector<std::string> remarks;
  CHECK(store.committed(remarks).empty());
  for (int n = 1; n <= 4; ++n) CHECK(store.commit(state(n)).number == static_cast<unsigned>(n));
  auto const committed = store.committed(remarks);
  REQUIRE(committed.size() == 2);
  CHECK(committed[0].number == 4);
  CHECK(committed[1].number == 3);
  CHECK(remarks.empty());
  CHECK(files::encode_checkpoint(store.read(committed[0])) == files::encode_checkpoint(state(4)));
  CHECK(files::encode_checkpoint(store.read(committed[1])) == files::encode_checkpoint(state(3)));
  CHECK_FALSE(std::filesystem::exists(store.file_of({2, 0, 0})));

  // Another intact generation under its name is not the committed one.
  std::filesystem::copy_file(store.file_of(committed[1]), store.file_of(committed[0]),
                             std::filesystem::copy_options::overwrite_existing);
  CHECK_THROWS_AS(store.read(committed[0]), Error);

  // A damaged manifest gives a remark: intact generations are recognised without it.
  auto text = files::read_file(scratch / "manifest.json");
  text[text.find("\"number\": 4") + 10] = '5';
  files::write_file(scratch / "manifest.json", text);
  auto const intact = store.committed(remarks);
  REQUIRE(remarks.size() == 1);
  CHECK(contains(remarks[0], "manifest.json is damaged"));
  REQUIRE(intact.size() == 2);
  CHECK(intact[0].number == 4);
  // A file without the end of a checkpoint is not read.
  std::filesystem::resize_file(store.file_of({4, 0, 0}), 1 << 20);
  remarks.clear();
  CHECK(store.committed(remarks).size() == 1);
  REQUIRE(remarks.size() == 2);
  CHECK(contains(remarks[0], "generation_000004.bin is damaged"));
  // Intact generations are recognised without a manifest, too.
  std::filesystem::remove(scratch / "manifest.json");
  remarks.clear();
  CHECK(store.committed(remarks).size() == 1);
  REQUIRE(remarks.size() == 2);
  CHECK(contains(remarks[1], "manifest.json is missing"));
}

TEST_CASE(
    "a log is continued only if its earlier lines are unchanged, and later lines are cut off") {
  Scratch const scratch;
  auto const path = scratch / "log.csv";
  files::LineFile::Written earlier;
  {
    files::LineFile file(path);
    file.write("one");
    file.write("two");
    earlier = file.written();
    file.write("three");
  }
  {
    files::LineFile again(path, &earlier);
    again.write("four");
    CHECK(again.written().bytes == 13);
  }
  CHECK(files::read_file(path) == "one\ntwo\nfour\n");
  auto const refusal = [&](std::string const& content) {
    files::write_file(path, content);
    try {
      files::LineFile const file(path, &earlier);
    } catch (Error const& error) {
      CHECK(error.status() == ExitStatus::bad_input);
      CHECK(files::read_file(path) == content);
      return std::string(error.what());
    }
    return std::string();
  };
  CHECK(refusal("one\ntwo\nthree\n") == "");
  CHECK(contains(refusal("one\nTwo\n"), "was changed after it was written"));
  CHECK(contains(refusal("two\none\n"), "was changed after it was written"));
  CHECK(contains(refusal("one\ntwo"), "is shorter (7 bytes) than it was (8)"));
}

TEST_CASE("differences of decks are values, and objects that only one deck has") {
  auto const differences = deck::deck_differences(
      R"({"run": {"a": 1, "c": [1, {"d": 2}], "e": {}, "g": [1]}, "f": "x"})",
      R"({"run": {"a": 1, "c": [1, {"d": 3}], "e": {}, "g": [1, 2], "h": {"i": {}, "j": 1}},
          "output": {"k": 1}})");
  REQUIRE(differences.size() == 5);
  CHECK(differences[0].path == "f");
  CHECK(differences[0].after == "not there");
  CHECK(differences[1].path == "run.c[1].d");
  CHECK(differences[1].before == "2");
  CHECK(differences[1].after == "3");
  CHECK(differences[2].path == "run.g");
  CHECK(differences[2].after == "[1,2]");
  // A new object is one difference; a new section gives one difference for each key.
  CHECK(differences[3].path == "run.h");
  CHECK(differences[3].before == "not there");
  CHECK(differences[3].after == R"({"i":{},"j":1})");
  CHECK(differences[4].path == "output.k");
  CHECK(differences[4].after == "1");
  CHECK_FALSE(deck::deck_differences(R"({"a": 1)", R"({"a": 1})").empty());
}
