// SPDX-License-Identifier: Apache-2.0
#include "support/executable/commands.hpp"
#include "support/json_schema.hpp"

#include <algorithm>
#include <array>

using namespace apsis::testing;
using nlohmann::json;

TEST_CASE("a bad deck is refused with all of its problems and leaves no files") {
  Scratch const scratch;
  scratch.write("deck.json", R"({
    "bodies": {"generator": "plumer", "count": 1e15},
    "gravity": {"sofetning": 0.1, "G": -1},
    "integrator": {"name": "leapfrog_kdk", "time_step": 0},
    "run": {"end_time": 1}, "run": {"end_time": 2}})");
  for (auto const* command : {"run deck.json", "check deck.json"}) {
    auto const result = run_apsis(command, scratch);
    check_errors(result, 65);
    CHECK(contains(result.err, "bodies.generator"));
    CHECK(contains(result.err, "did you mean 'plummer'?"));
    CHECK(contains(result.err, "did you mean 'softening'?"));
    CHECK(contains(result.err, "gravity.G"));
    CHECK(contains(result.err, "integrator.time_step"));
    CHECK(contains(result.err, "run: duplicate key"));
    CHECK(result.out == "");
  }
  CHECK_FALSE(std::filesystem::exists(scratch / "deck.run"));
  for (auto const* value :
       {"bodies.count=1e13", "bodies.count=-1", "bodies.count=NaN", "gravity.softening=NaN",
        "gravity.softening=-0.1", "run.end_time=1", "output.snapshot_interval=0.015",
        "output.checkpoint_interval=0.015", "output.snapshot_intervall=0.1",
        "output.snapshot_compression=10", "output.checkpoint_wall_interval=-1",
        "output.conservation_interval=0.015"}) {
    CAPTURE(value);
    scratch.write("deck.json", small);
    check_errors(run_apsis(std::string("check deck.json --set ") + value, scratch), 65);
  }
  scratch.write("deck.json", "{\"bodies\": ");
  check_errors(run_apsis("check deck.json", scratch), 65);
  scratch.write("deck.json", "");
  check_errors(run_apsis("run deck.json", scratch), 65);
}

TEST_CASE("options of NVIDIA's sample lead to what they do here") {
  Scratch const scratch;
  for (auto const& [words, advice] :
       {std::pair{"-numbodies=4096", "bodies.count"}, std::pair{"-benchmark", "command bench"},
        std::pair{"bench -fp64", "--precision double"},
        std::pair{"run -tipsy=galaxy_20K.bin", "file"}, std::pair{"-device=1", "KOKKOS_DEVICE_ID"},
        std::pair{"-cpu", "apsis.openmp"}}) {
    CAPTURE(words);
    auto const run = run_apsis(words, scratch);
    check_errors(run, 64);
    CHECK(contains(run.err, "NVIDIA's sample"));
    CHECK(contains(run.err, advice));
  }
}

TEST_CASE("a missing file is compared with the files beside it") {
  Scratch const scratch;
  scratch.write("sphere.json", small);
  std::filesystem::create_directory(scratch / "decks");
  scratch.write("decks/planets.json", small);
  CHECK(contains(run_apsis("run spere.json", scratch).err, "did you mean 'sphere.json'?"));
  CHECK(contains(run_apsis("check decks/planet.json", scratch).err,
                 "did you mean 'decks/planets.json'?"));
  for (auto const* missing : {"other.json", "nowhere/sphere.json", "decks/x"}) {
    auto const run = run_apsis("run " + std::string(missing), scratch);
    check_errors(run, 74);
    CHECK_FALSE(contains(run.err, "did you mean"));
  }
}

TEST_CASE("wrong usage is status 64, a missing file 74") {
  Scratch const scratch;
  scratch.write("deck.json", small);
  auto const alone = run_apsis("", scratch);
  check_errors(alone, 64);
  CHECK(alone.out == run_apsis("--help", scratch).out);  // the list of commands
  check_errors(run_apsis("rnu deck.json", scratch), 64);
  check_errors(run_apsis("run", scratch), 64);
  check_errors(run_apsis("run deck.json --bogus", scratch), 64);
  check_errors(run_apsis("run deck.json --threads 0", scratch), 64);
  check_errors(run_apsis("run deck.json --threads two", scratch), 64);
  check_errors(run_apsis("run deck.json --threads 60000", scratch), 64);
  check_errors(run_apsis("run deck.json --set gravity.softening", scratch), 64);
  check_errors(run_apsis("run deck.json --resume --force", scratch), 64);
  check_errors(run_apsis("run deck.json --allow-deck-change", scratch), 64);
  check_errors(run_apsis("run deck.json --resume", scratch), 74);
  check_errors(run_apsis("convert deck.json", scratch), 64);
  check_errors(run_apsis("convert deck.json out.h5 --from json", scratch), 64);
  check_errors(run_apsis("convert a.bin out.h5 --tipsy-ids some", scratch), 64);
  check_errors(run_apsis("convert nothing.txt out.h5", scratch), 74);
  check_errors(run_apsis("convert deck.json out.h5", scratch), 65);
  check_errors(run_apsis("bench --bodies 0", scratch), 64);
  check_errors(run_apsis("bench --bodies 100:10:2", scratch), 64);
  check_errors(run_apsis("bench --bodies 10:100:1", scratch), 64);
  check_errors(run_apsis("bench --bodies 10 --kernel fastest", scratch), 64);
  check_errors(run_apsis("bench --bodies 10 --precision half", scratch), 64);
  check_errors(run_apsis("bench --bodies 10 --steps 0", scratch), 64);
  check_errors(run_apsis("bench --bodies 10 --preset classroom", scratch), 64);
  check_errors(run_apsis("compare --bodies 0", scratch), 64);
  check_errors(run_apsis("compare --bodies 1e3", scratch), 64);
  check_errors(run_apsis("compare --bodies 10 --kernel fastest", scratch), 64);
  check_errors(run_apsis("compare --bodies 10 --kernel reference", scratch), 64);
  check_errors(run_apsis("compare --bodies 10 --precision half", scratch), 64);
  CHECK(contains(run_apsis("chekc deck.json", scratch).err, "did you mean 'check'?"));
  check_errors(run_apsis("run nowhere.json", scratch), 74);
  check_errors(run_apsis("check .", scratch), 74);
  CHECK_FALSE(std::filesystem::exists(scratch / "deck.run"));
  CHECK(run_apsis("--help", scratch).status == 0);
  CHECK(run_apsis("run --help", scratch).status == 0);
}

TEST_CASE("output that cannot be written is an error, a closed pipe is not") {
  Scratch const scratch;
  scratch.write("deck.json", small);
  scratch.write("a.txt", "1 0 0 0 0 0 0\n");
  for (auto const* command :
       {"schema", "list", "list generators plummer", "info", "check deck.json", "help", "--help",
        "help run", "run --help", "help deck", "--version", "-V", "convert a.txt b.h5 --force",
        "compare --bodies 64", "verify --quick --problem two_body_orbit",
        "render a.txt --set width=64"}) {
    CAPTURE(command);
    std::string const line = "cd '" + scratch.path().string() + "' && '" + executable() + "' " +
                             command + " >/dev/full 2>err";
    int const raw = std::system(line.c_str());
    check_errors({WEXITSTATUS(raw), "", content(scratch / "err")}, 74);
  }
  std::string const piped = "cd '" + scratch.path().string() + "' && ('" + executable() +
                            "' run deck.json; echo $? >status) | true";
  REQUIRE(std::system(piped.c_str()) == 0);
  CHECK(content(scratch / "status") == "0\n");
  CHECK(std::filesystem::exists(scratch / "deck.run/summary.json"));
}

TEST_CASE("check reports what a run would do and runs nothing") {
  Scratch const scratch;
  scratch.write("deck.json", small);
  auto const good = run_apsis("check deck.json --set bodies.count=12345", scratch);
  CHECK(good.status == 0);
  CHECK(contains(good.out, "12345 bodies"));
  CHECK(contains(good.out, "units henon: G = 1\n"));
  CHECK(contains(good.out, "total mass 1, of each body 8.1e-05\nhalf-mass radius 0.7"));
  auto const solar = run_apsis(
      "check deck.json --set units.system=solar --set bodies.mass=1 --set bodies.scale_radius=1",
      scratch);
  CHECK(contains(solar.out, "to t = 0.2 yr, "));
  CHECK(contains(solar.out, "units solar: au, Msun, yr, G = 39.4769"));
  CHECK(contains(solar.out, "total mass 1 Msun, of each body"));
  CHECK(contains(solar.out, " au, crossing time "));
  CHECK(contains(solar.out, " yr, half-mass relaxation time "));
  auto const stars = run_apsis(
      "check deck.json --set bodies.mass=60 --set 'bodies.masses={\"function\":\"kroupa\"}'",
      scratch);
  CHECK(contains(stars.out, " (half-number radius: "));
  CHECK(
      contains(stars.out, "\nnote: masses are sampled between 0.08 and 100, and then multiplied"));
  auto const many =
      run_apsis("check deck.json --set bodies.count=30000 --set bodies.henon_units=true", scratch);
  CHECK(contains(many.out,
                 "more than 20000 bodies in Henon units: mass and size are printed by run"));
  CHECK_FALSE(std::filesystem::exists(scratch / "deck.run"));
}

TEST_CASE("the schema accepts every deck in inputs and refuses what the reader refuses") {
  Scratch const scratch;
  auto const printed = run_apsis("schema", scratch);
  REQUIRE(printed.status == 0);
  auto const document = json::parse(printed.out);
  CHECK(document["$schema"] == "https://json-schema.org/draft/2020-12/schema");
  CHECK(document["$id"] == "urn:apsis:deck:" APSIS_TEST_VERSION);
  auto const schema = expanded(document);
  int decks = 0;
  for (auto const& entry : std::filesystem::recursive_directory_iterator(inputs())) {
    if (entry.path().extension() != ".json") continue;
    CAPTURE(entry.path());
    auto const deck = json::parse(content(entry.path()));
    CHECK(valid(schema, deck));
    auto annotated = deck;
    annotated["$schema"] = "deck.schema.json";
    CHECK(valid(schema, annotated));
    CHECK(!deck.value("reference", "").empty());
    CHECK(run_apsis("check '" + std::filesystem::absolute(entry.path()).string() + "'", scratch)
              .status == 0);
    ++decks;
  }
  CHECK(decks >= 15);

  auto const good = json::parse(small);
  CHECK(valid(schema, good));
  auto const both_refuse = [&](char const* pointer, json const& value) {
    CAPTURE(pointer);
    auto deck = good;
    deck[json::json_pointer(pointer)] = value;
    CHECK_FALSE(valid(schema, deck));
    scratch.write("bad.json", deck.dump());
    CHECK(run_apsis("check bad.json", scratch).status == 65);
  };
  auto const composite = json::parse(R"({"generator": "composite", "parts": [
    {"bodies": {"generator": "plummer", "count": 5}}, {"bodies": {"list": [{"mass": 1, "position": [0, 0, 0]}]}}]})");
  auto of_parts = good;
  of_parts["bodies"] = composite;
  CHECK(valid(schema, of_parts));
  of_parts["bodies"]["henon_units"] = true;
  CHECK(valid(schema, of_parts));
  of_parts["bodies"]["parts"][0]["bodies"]["henon_units"] = true;
  both_refuse("/bodies", of_parts["bodies"]);
  both_refuse("/bodies/generator", "nothing");
  both_refuse("/bodies/count", -1);
  both_refuse("/bodies/count", 1.5);
  both_refuse("/bodies/list", json::array());
  both_refuse("/gravity/softening", -1);
  both_refuse("/gravity/G", 0);
  both_refuse("/units", {{"system", "imperial"}});
  both_refuse("/units", {{"length", 1.0}, {"mass", 1.0}});
  both_refuse("/units", {{"length", 1.0}, {"mass", 1.0}, {"time", 0.0}});
  both_refuse("/units", {{"length", 1.0}, {"mass", 1.0}, {"time", 1.0}, {"velocity", 1.0}});
  both_refuse("/units", {{"system", "solar"}, {"length", 1.0}, {"mass", 1.0}, {"time", 1.0}});
  both_refuse("/gravity/unknown", 1);
  both_refuse("/gravity/precision", "half");
  both_refuse("/integrator/time_step", "0.01");
  both_refuse("/integrator/damping", 1);  // leapfrog has no such key
  both_refuse("/run/end_time", 1);        // together with steps
  both_refuse("/run/escape_radius", 0);
  both_refuse("/run/max_wall_time", -1);
  both_refuse("/run/stop_file", 1);
  both_refuse("/conservation/on_violation", "ignore");
  both_refuse("/unknown", json::object());
}

TEST_CASE(
    "models of parts and of a whole run are one definition of the schema, and none is unused") {
  Scratch const scratch;
  auto const printed = run_apsis("schema", scratch).out;
  auto const schema = json::parse(printed);
  auto const& definitions = schema["$defs"];
  auto const references = [](json const& forms) {
    std::vector<std::string> names;
    for (auto const& form : forms) names.push_back(form["$ref"]);
    return names;
  };
  auto const whole = references(schema["properties"]["bodies"]["oneOf"]);
  auto const part = references(definitions["parts.item"]["properties"]["bodies"]["oneOf"]);
  CHECK(part.size() > 15);
  for (auto const& name : part) CHECK(std::find(whole.begin(), whole.end(), name) != whole.end());
  for (auto const& [name, definition] : definitions.items()) {
    CAPTURE(name);
    CHECK(contains(printed, "\"#/$defs/" + name + "\""));
  }
  CHECK(printed.size() < 200'000);
}

TEST_CASE("list names every solver, integrator and initial condition") {
  Scratch const scratch;
  auto const list = run_apsis("list", scratch);
  CHECK(list.status == 0);
  // clang-format off
  for (auto const* name :
       {"direct", "spline", "wendland_c2", "leapfrog_kdk", "leapfrog_dkd", "forest_ruth", "yoshida4",
        "pefrl", "blanes_moan4", "yoshida6", "kahan_li6", "sofroniou_spaletta6", "blanes_moan6",
        "yoshida8", "kahan_li8", "sofroniou_spaletta8", "blanes_casas8", "sofroniou_spaletta10", "euler", "taylor2", "rk4", "hermite4", "hermite6", "aarseth",
        "plummer", "king", "hernquist", "jaffe", "nfw", "uniform_sphere", "disk_galaxy", "kepler",
        "figure_eight", "pythagorean", "lagrange_triangle", "solar_system", "composite", "random",
        "shell", "expand", "list", "henon", "solar", "dimensionless", "astrophysical"}) {
    // clang-format on
    CHECK(contains(list.out, std::string("  ") + name + " "));
  }
}

TEST_CASE("list prints columns and the parameters of an entry") {
  Scratch const scratch;
  auto const list = run_apsis("list", scratch);
  std::istringstream lines(list.out);
  std::size_t column = 0, entries = 0;
  for (std::string line; std::getline(lines, line);) {
    if (line.rfind("  ", 0) != 0) continue;
    CAPTURE(line);
    auto const begin = line.find_first_not_of(' ', line.find("  ", 2));
    if (column == 0) column = begin;
    CHECK(begin == column);
    ++entries;
  }
  CHECK(entries > 60);
  auto const one = run_apsis("list generators plummer", scratch);
  CHECK(one.status == 0);
  CHECK(one.out == run_apsis("help deck bodies plummer", scratch).out);
  CHECK(contains(one.out, "scale_radius"));
  CHECK(contains(run_apsis("list mass_functions kroupa", scratch).out, "default 0.08"));
  CHECK(contains(run_apsis("list stepping block", scratch).out, "eta"));
  CHECK(contains(run_apsis("list kernels naive", scratch).out, "gravity.kernel"));
  CHECK(contains(run_apsis("list plummer", scratch).out, "Plummer sphere"));
  CHECK(contains(run_apsis("list units", scratch).out, "astrophysical"));
  for (auto const* wrong :
       {"list generatrs", "list generators plumer", "list generators plummer x", "list ''",
        "help deck gravty", "help nothing", "help deck gravity softening x", "help run x",
        "help run --threads", "help ''", "help deck ''", "help deck .",
        "help deck gravity..softening", "schema x", "info x"}) {
    CAPTURE(wrong);
    check_errors(run_apsis(wrong, scratch), 64);
  }
  CHECK(contains(run_apsis("list generators plumer", scratch).err, "did you mean 'plummer'?"));
}

TEST_CASE("help explains the options of a command and the keys of a deck") {
  Scratch const scratch;
  CHECK(run_apsis("help", scratch).out == run_apsis("--help", scratch).out);
  for (auto const* command : {"run", "check", "convert", "help"}) {
    auto const help = run_apsis(std::string("help ") + command, scratch);
    CHECK(help.status == 0);
    CHECK(help.out == run_apsis(std::string(command) + " --help", scratch).out);
    CHECK_FALSE(contains(help.out, "{false}"));
  }
  auto const deck = run_apsis("help deck", scratch).out;
  for (auto const* section : {"units", "bodies", "gravity", "integrator", "run", "output"}) {
    CHECK(contains(deck, std::string("\n  ") + section + " "));
  }
  auto const gravity = run_apsis("help deck gravity", scratch).out;
  CHECK(contains(gravity, "softening  "));
  CHECK(run_apsis("help deck bodies.list[0].mass", scratch).status == 0);
}

TEST_CASE("info prints version, git, Kokkos, backend and device without a warning") {
  Scratch const scratch;
  auto const info = run_apsis("info", scratch);
  CHECK(info.status == 0);
  CHECK(info.err == "");
  for (auto const* word : {"apsis ", "git ", "backend ", "device ", "kokkos ", "compiler "}) {
    CHECK(contains(info.out, word));
  }
  CHECK(contains(info.out, APSIS_TEST_BACKEND));
}

TEST_CASE("run and check estimate the run time before the run begins") {
  Scratch const scratch;
  scratch.write("deck.json", small);
  CHECK(contains(run_apsis("check deck.json", scratch).out, " a step, "));
  CHECK(contains(run_apsis("check deck.json --set bodies.count=5000 --set "
                           "'diagnostics={\"structure\": {\"interval\": 0.01}}'",
                           scratch)
                     .out,
                 ", of which tables, pictures and files take "));
  auto const run = run_apsis("run deck.json", scratch).out;
  CHECK(contains(run, "100 bodies, 20 steps: about "));
  CHECK(run.find(" in all") < run.find("step 1/20"));
  CHECK(contains(run_apsis("check deck.json --set bodies.count=3000000", scratch).out, " in all"));
  CHECK(run_apsis("run deck.json --quiet --force", scratch).out == "");
}

TEST_CASE("check names the faster solver if direct summation takes long") {
  Scratch const scratch;
  scratch.write("deck.json", small);
  CHECK_FALSE(contains(run_apsis("check deck.json", scratch).out, "fmm"));
  auto const longer =
      run_apsis("check deck.json --set bodies.count=1000000 --set run.steps=10000000", scratch);
  CHECK(contains(longer.out, "note: the solver fmm takes "));
  CHECK(contains(longer.out, "(--set gravity.solver=fmm)"));
}

TEST_CASE("help explains defaults that depend on a choice") {
  Scratch const scratch;
  auto const eta = run_apsis("help deck integrator.stepping.eta", scratch).out;
  CHECK(contains(eta, "the default depends on the integrator"));
  CHECK(contains(eta, "'hermite4'"));
  CHECK(contains(eta, "'leapfrog_kdk'"));
  auto const one = run_apsis("help deck integrator hermite4 stepping eta", scratch).out;
  CHECK_FALSE(contains(one, "depends"));
}

TEST_CASE("keys of pictures have aliases, also in options") {
  Scratch const scratch;
  check_errors(run_apsis("render a --set centre=origin", scratch), 64);
  CHECK(contains(run_apsis("render a --set centre=origin", scratch).err, "give follow: origin"));
  CHECK(
      contains(run_apsis("render a --set color=speed", scratch).err, R"(write "colour": "speed")"));
}

TEST_CASE("a file of bodies given as a deck is recognised") {
  Scratch const scratch;
  scratch.write("a.txt", "1 0 0 0 0 0 0\n");
  REQUIRE(run_apsis("convert a.txt a.h5", scratch).status == 0);
  for (auto const* file : {"a.txt", "a.h5"}) {
    auto const run = run_apsis("run " + std::string(file), scratch);
    check_errors(run, 65);
    CHECK(contains(run.err, "is a file of bodies and no deck"));
  }
  CHECK(contains(run_apsis("run a.txt --out b", scratch).err, "see 'apsis run --help'"));
}

TEST_CASE("messages name the program as it was started, so that commands can be pasted") {
  Scratch const scratch;
  std::filesystem::create_directory(scratch / "odd name");
  std::filesystem::create_symlink(executable(), scratch / "odd name" / "it's");
  struct Row {
    std::string start;     ///< beginning of the command line
    std::string expected;  ///< command in the message
  };
  std::string const by_path = "env -u APSIS_STARTED_AS ";
  for (auto const& [start, expected] : {
           Row{by_path + "'" + executable() + "'", "'" + executable() + " list'"},
           Row{by_path + "\"odd name/it's\"", R"('odd name/it'\''s' list)"},
           Row{"APSIS_STARTED_AS=apsis '" + executable() + "'", "'apsis list'"},
       }) {
    auto const command = "cd '" + scratch.path().string() + "' && " + start + " list nothing 2>err";
    CHECK(std::system(command.c_str()) != 0);
    CHECK(contains(content(scratch / "err"), "see " + expected));
  }
}

TEST_CASE("help on a nested key gives its full path") {
  Scratch const scratch;
  for (auto const* way :
       {"bodies king", "gravity softening", "output render", "diagnostics orbital_elements"}) {
    auto const word = std::string(way).substr(std::string(way).find(' ') + 1);
    auto const run = run_apsis("help deck " + word, scratch);
    check_errors(run, 64);
    CHECK(contains(run.err, "see 'apsis help deck " + std::string(way) + "'"));
  }
}
