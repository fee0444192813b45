// SPDX-License-Identifier: Apache-2.0
#include "support/executable/commands.hpp"

#include <nlohmann/json.hpp>

#include <regex>
#include <set>

using namespace apsis::testing;
using nlohmann::json;

/// Texts for other programs: BibTeX, manual pages, completion of command lines, the version.

namespace {

/// Returns the keys of the entries in a BibTeX text.
std::set<std::string> keys_of(std::string const& bibtex) {
  std::set<std::string> keys;
  std::regex const head("@[a-z]+\\{([A-Za-z0-9]+),");
  for (std::sregex_iterator match(bibtex.begin(), bibtex.end(), head), end; match != end; ++match) {
    CHECK(keys.insert((*match)[1]).second);
  }
  return keys;
}

/// Runs a script in bash, in the scratch directory.
Result in_bash(std::string const& script, Scratch const& scratch) {
  scratch.write("script.bash", script);
  auto const line = "cd '" + scratch.path().string() + "' && bash script.bash >out 2>err";
  int const raw = std::system(line.c_str());
  return {WEXITSTATUS(raw), content(scratch / "out"), content(scratch / "err")};
}

bool has_program(std::string const& name) {
  return std::system(("command -v " + name + " >/dev/null 2>&1").c_str()) == 0;
}

/// Returns the words that bash offers for the last of `words`.
std::string offers(std::string const& words, Scratch const& scratch) {
  auto const result = in_bash("source ./completion.bash\nCOMP_WORDS=(" + words +
                                  ")\nCOMP_CWORD=$((${#COMP_WORDS[@]} - 1))\n_apsis\n"
                                  "echo \"${COMPREPLY[*]}\"\n",
                              scratch);
  CHECK(result.status == 0);
  CHECK(result.err == "");
  return result.out;
}

}  // namespace

TEST_CASE("every entry of the tables of methods has works to cite, and every work is used") {
  Scratch const scratch;
  auto const printed = run_apsis("cite", scratch);
  CHECK(printed.status == 0);
  auto const keys = keys_of(printed.out);
  CHECK(keys.size() > 50);
  // A comment before each entry names its uses.
  CHECK(occurrences(printed.out, "% ") == keys.size());
  CHECK(occurrences(printed.out, "\n@") == keys.size());
  std::set<std::string> used{"Apsis", "Trott2022"};
  auto const list = json::parse(run_apsis("list --json", scratch).out);
  std::set<std::string> const methods{"solvers", "softening_kernels", "integrators",
                                      "forces",  "criteria",          "generators",
                                      "bodies",  "diagnostics"};
  std::size_t tables = 0;
  for (auto const& table : list["tables"]) {
    if (methods.count(table["name"]) == 0) continue;
    ++tables;
    for (auto const& entry : table["entries"]) {
      CAPTURE(entry["name"]);
      CHECK(!entry["cite"].empty());
      for (auto const& key : entry["cite"]) {
        CHECK(keys.count(key) == 1);
        used.insert(key);
      }
    }
  }
  CHECK(tables == methods.size());
  // Options with works of their own are named in the comment.
  std::istringstream lines(printed.out);
  std::string comment;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("% ")) comment = line;
    if (!line.starts_with("@")) continue;
    auto const key = *keys_of(line).begin();
    CAPTURE(key);
    CHECK(comment.size() > 3);
    bool const is_of_option = comment.find("masses") != std::string::npos ||
                              comment.find("henon_units") != std::string::npos ||
                              comment.find("stepping block") != std::string::npos ||
                              comment.find("compensated") != std::string::npos ||
                              comment.find("wisdom_holman ") != std::string::npos;
    CHECK((used.count(key) == 1 || is_of_option));
  }
}

TEST_CASE("cite prints the works of a deck and of a run") {
  Scratch const scratch;
  scratch.write("deck.json", small);
  auto const works = run_apsis("cite deck.json", scratch);
  CHECK(works.status == 0);
  CHECK(keys_of(works.out) == std::set<std::string>{"Apsis", "Trott2022", "Swope1982", "Nyland2007",
                                                    "Aarseth1963", "Plummer1911",
                                                    "AarsethHenonWielen1974", "Salmon2011"});
  CHECK(contains(works.out, "% integrator leapfrog_kdk\n@article{Swope1982,\n  author = {Swope, "));
  CHECK(contains(works.out, "version = {" APSIS_TEST_VERSION "}"));
  auto const other = keys_of(
      run_apsis("cite deck.json --set integrator.name=hermite4 "
                "--set 'integrator.stepping={\"mode\":\"block\"}' --set gravity.solver=direct "
                "--set gravity.softening=0 --set 'bodies.masses={\"function\":\"kroupa\"}'",
                scratch)
          .out);
  for (auto const* key : {"MakinoAarseth1992", "Aarseth1985", "Makino1991", "Kroupa2001"}) {
    CAPTURE(key);
    CHECK(other.count(key) == 1);
  }
  CHECK(other.count("Aarseth1963") == 0);
  REQUIRE(run_apsis("run deck.json --quiet", scratch).status == 0);
  CHECK(run_apsis("cite deck.run", scratch).out == works.out);
  check_errors(run_apsis("cite nowhere.json", scratch), 74);
  check_errors(run_apsis("cite --set run.steps=1", scratch), 64);
}

TEST_CASE("cite has the works of options, parts, forces, tables and criteria") {
  Scratch const scratch;
  scratch.write("deck.json", small);
  struct Row {
    std::string overrides;
    std::vector<std::string> lines;  ///< comment and head of each entry
  };
  std::vector<Row> const rows{
      {"integrator.compensated=true", {"% compensated\n@article{Kahan1965,"}},
      {R"('integrator={"name":"wisdom_holman","time_step":0.01,"corrector":11,"kernel":"lazy"}')"
       " --set gravity.softening=0",
       {"% wisdom_holman corrector\n@article{Wisdom1996,",
        "% wisdom_holman corrector\n@article{Wisdom2006,",
        "% wisdom_holman kernel lazy\n@article{ReinTamayoBrown2019,"}},
      {R"('integrator={"name":"wisdom_holman","time_step":0.01,"coordinates":"democratic"}')"
       " --set gravity.softening=0",
       {"% wisdom_holman coordinates democratic\n@article{Duncan1998,"}},
      {R"(bodies.henon_units=true --set 'bodies.masses={"function":"kroupa","segregation":0.5}')",
       {"% henon_units\n@inproceedings{HeggieMathieu1986,", "% masses segregation\n@article{Baumg",
        "% masses kroupa\n@article{Kroupa2001,"}},
      {R"('forces=[{"name":"oblate","J2":0.1,"R":1,"body":0},{"name":"tidal_field","omega":1}]')"
       R"( --set integrator.name=rk4 --set 'diagnostics.structure={"interval":0.05}')",
       {"% force tidal_field\n@article{FukushigeHeggie2000,",
        "% table structure\n@article{CasertanoHut1985,"}},
      {R"('bodies={"generator":"composite","parts":[{"bodies":{"generator":"king","count":9,"W0":5}},)"
       R"({"bodies":{"generator":"jaffe","count":9}}]}')",
       {"% model king\n@article{King1966,", "% model jaffe\n@article{Jaffe1983,",
        "% model king, model jaffe\n@inproceedings{Salmon2011,"}},
      {R"('integrator.stepping={"mode":"block"}')",
       {"% stepping block\n@article{Makino1991,",
        "% criterion softened_acceleration\n@article{Springel2005,"}},
      {R"(integrator.name=hermite4 --set 'integrator.stepping={"mode":"block"}')",
       {"% criterion aarseth\n@incollection{Aarseth1985,"}}};
  for (auto const& row : rows) {
    CAPTURE(row.overrides);
    auto const works = run_apsis("cite deck.json --set " + row.overrides, scratch);
    CHECK(works.status == 0);
    for (auto const& line : row.lines) {
      CAPTURE(line);
      CHECK(contains(works.out, line));
    }
  }
  // Softening that is 0 has no work, and an entry has the fields of its kind.
  auto const sharp = keys_of(run_apsis("cite deck.json --set gravity.softening=0", scratch).out);
  CHECK(sharp.count("Aarseth1963") == 0);
  auto const printed = run_apsis("cite", scratch).out;
  CHECK(contains(printed,
                 "@article{Wendland1995,\n  author = {Wendland, Holger},\n  title = {{Piecewise "
                 "polynomial, positive definite and compactly supported radial functions of "
                 "minimal degree}},\n  journal = {Advances in Computational Mathematics},\n"
                 "  volume = {4},\n  pages = {389},\n  year = {1995},\n"
                 "  doi = {10.1007/BF02123482}\n}\n"));
  CHECK(contains(printed, "  booktitle = {Multiple Time Scales},\n  pages = {377},"));
  CHECK(contains(printed, "  howpublished = {Jet Propulsion Laboratory}\n"));
  CHECK(contains(printed, "@misc{Apsis,\n  author = {{The Apsis maintainers}},"));
}

TEST_CASE("manual pages have every command and option, and groff has no complaint") {
  Scratch const scratch;
  bool const has_groff = has_program("groff");
  auto const page = [&](std::string const& name) {
    CAPTURE(name);
    auto const roff = run_apsis("man " + name, scratch);
    CHECK(roff.status == 0);
    CHECK(roff.out.starts_with(".TH "));
    if (has_groff) {
      scratch.write("page.1", roff.out);
      auto const shown = in_bash("groff -man -ww -z page.1", scratch);
      CHECK(shown.status == 0);
      CHECK(shown.err == "");
    }
    return roff.out;
  };
  CHECK(contains(page(""), "\\fBapsis\\-run\\fR(1)"));
  CHECK(contains(page("deck"), ".SH integrator\n"));
  auto const run = page("run");
  CHECK(contains(run, "apsis\\-run \\- Run a simulation described by a deck"));
  CHECK(contains(run, "\\fB\\-\\-set\\fR \\fIPATH=VALUE\\fR\n"));
  CHECK(contains(run, "\\fIDECK\\fR\n"));
  CHECK(contains(run, "N from 1 to 65536"));
  for (auto const* name : {"check", "bench", "convert", "cite", "man", "completion", "help"}) {
    CHECK(contains(page(name), "\\fB\\-\\-errors\\fR \\fIFORMAT\\fR\n"));
  }
  // Text that begins like a request of roff, hyphens and backslashes are escaped.
  CHECK(contains(page("deck"), "\n.SH gravity\n.nf\ngravity: the law of gravity"));
  CHECK(contains(page("deck"), "softening_by_species"));
  CHECK(contains(page(""), ".TP\n\\fBrun\\fR\nRun a simulation"));
  CHECK(contains(run, ".TP\n\\fB75\\fR\nstopped early"));
  CHECK(contains(run, ".SH ENVIRONMENT\n.TP\n\\fBOMP_NUM_THREADS, KOKKOS_NUM_THREADS\\fR\n"));
  CHECK(contains(run, "\\fBRUN/deck.resolved.json\\fR\n"));
  CHECK(!contains(page("check"), "RUN/deck.resolved.json"));
  // The name of the program is apsis, however it was started.
  CHECK(contains(run, ".SH SYNOPSIS\n\\fBapsis\\fR run "));
  CHECK(contains(page("bench"), "(default: 10)\n"));
  CHECK(!contains(page("deck"), "apsis." APSIS_TEST_BACKEND));
  check_errors(run_apsis("man rnu", scratch), 64);
}

TEST_CASE("bash completes commands, options, files and keys of a deck") {
  Scratch const scratch;
  scratch.write("completion.bash", run_apsis("completion bash", scratch).out);
  scratch.write("sphere.json", small);
  scratch.write("a file.json", small);
  std::filesystem::create_directory(scratch / "speed.run");
  CHECK(in_bash("bash -n completion.bash", scratch).err == "");
  CHECK(offers("apsis ru", scratch) == "run\n");
  CHECK(offers("apsis ''", scratch).starts_with("run check schema "));
  CHECK(offers("apsis run --res", scratch) == "--resume --resume-if-possible\n");
  CHECK(offers("apsis run sph", scratch) == "sphere.json\n");
  CHECK(offers("apsis run a", scratch) == "a file.json\n");
  CHECK(offers("apsis run sphere.json --output sp", scratch) == "speed.run\n");
  CHECK(offers("apsis check sphere.json --set gravity.soften", scratch)
            .starts_with("gravity.softening= gravity.softening_by_species."));
  CHECK(offers("apsis check sphere.json --set integrator.time", scratch) ==
        "integrator.time_step=\n");
  CHECK(offers("apsis info --errors ''", scratch) == "text json\n");
  CHECK(offers("apsis help chec", scratch) == "check\n");
  CHECK(offers("apsis completion ''", scratch) == "bash zsh fish\n");
  CHECK(offers("apsis run --threads ''", scratch) == "\n");
  CHECK(offers("apsis run sphere.json --output sph", scratch) == "\n");
  CHECK(offers("apsis check sphere.json --set titl", scratch) == "title=\n");
  CHECK(offers("apsis check sphere.json --set integrator.stepping.mod", scratch) ==
        "integrator.stepping.mode=\n");
  CHECK(offers("apsis convert sph", scratch) == "sphere.json\n");
  CHECK(offers("apsis compare --json sph", scratch) == "sphere.json\n");
  CHECK(offers("apsis run --view --res", scratch) == "--resume --resume-if-possible\n");
  for (auto const* shell : {"zsh", "fish"}) {
    CAPTURE(shell);
    auto const script = run_apsis("completion " + std::string(shell), scratch);
    CHECK(script.status == 0);
    CHECK(contains(script.out, "resume-if-possible"));
    CHECK(contains(script.out, "integrator.time_step="));
    if (!has_program(shell)) continue;
    scratch.write("script", script.out);
    CHECK(in_bash(std::string(shell) + " -n script", scratch).err == "");
  }
  check_errors(run_apsis("completion csh", scratch), 64);
}

TEST_CASE("the version names commit, backend and Kokkos") {
  Scratch const scratch;
  auto const info = json::parse(run_apsis("info --json", scratch).out);
  auto const text = [&](char const* name) { return info[name].get<std::string>(); };
  for (auto const* option : {"--version", "-V"}) {
    auto const version = run_apsis(option, scratch);
    CHECK(version.status == 0);
    CHECK(version.out == "apsis " + text("version") + " (" + text("git") + ", " + text("backend") +
                             ", Kokkos " + text("kokkos") + ")\n");
  }
}
