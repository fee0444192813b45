// SPDX-License-Identifier: Apache-2.0
#include "benchmark_options.hpp"

#include "benchmark/bench.hpp"
#include "commands.hpp"
#include "core/decimal.hpp"
#include "core/program.hpp"
#include <apsis/core/error.hpp>
#include <apsis/core/text.hpp>
#include <apsis/deck/configuration.hpp>
#include <apsis/forces/fmm_options.hpp>
#include <apsis/forces/kernel.hpp>

#include <algorithm>
#include <cmath>

namespace apsis::cli {

namespace {

template <class Number>
bool parse_number(std::string const& text, Number& value) {
  return read_decimal(text, value) == Numeral::good;
}

[[noreturn]] void invalid_range(std::string const& text, std::string const& why) {
  usage_error("--bodies " + text, "not a valid range", why,
              "give N, or first:last:factor with factor > 1");
}

}  // namespace

std::vector<std::size_t> parse_body_counts(std::string const& text) {
  auto const first_colon = text.find(':');
  auto const second_colon =
      first_colon == std::string::npos ? first_colon : text.find(':', first_colon + 1);
  std::uint64_t first = 0, last = 0;
  double factor = 2.0;
  if (first_colon == std::string::npos) {
    if (!parse_number(text, first))
      invalid_range(text, "it is not a whole number in decimal digits");
    last = first;
  } else if (second_colon == std::string::npos ||
             !parse_number(text.substr(0, first_colon), first) ||
             !parse_number(text.substr(first_colon + 1, second_colon - first_colon - 1), last) ||
             !parse_number(text.substr(second_colon + 1), factor)) {
    invalid_range(text, "it does not consist of three decimal numbers");
  }
  if (first < 1 || static_cast<double>(last) > 0x1p40) invalid_range(text, "it is out of range");
  if (last < first) invalid_range(text, "it ends before it begins");
  if (!(factor > 1.0) || !std::isfinite(factor)) invalid_range(text, "its factor is not above 1");
  std::vector<std::size_t> counts;
  for (double next = static_cast<double>(first); next <= static_cast<double>(last) + 0.5;
       next *= factor) {
    auto const count = std::min(last, static_cast<std::size_t>(std::llround(next)));
    if (counts.empty() || counts.back() != count) counts.push_back(count);
  }
  return counts;
}

std::vector<forces::Precision> parse_precisions(std::vector<std::string> const& names) {
  std::vector<forces::Precision> chosen;
  for (auto const& name : names.empty() ? std::vector<std::string>{"all"} : names) {
    auto const before = chosen.size();
    for (auto const& entry : forces::precisions()) {
      if (name == "all" || name == entry.name) chosen.push_back(entry.precision);
    }
    if (chosen.size() > before) continue;
    auto known = forces::precisions().names();
    known.push_back("all");
    usage_error("--precision " + name, "unknown precision", "", "use one of " + quoted_list(known));
  }
  return chosen;
}

std::vector<std::string> parse_kernels(std::vector<std::string> const& names, bool reference_too) {
  struct Known {
    std::string name;
    bool available;
    std::string why;  ///< reason if it is not available
  };
  std::vector<Known> known;
  if (reference_too) {
    for (auto const& kernel : benchmark::reference_kernels) {
      known.push_back({kernel.name, benchmark::has_reference(), "it runs on the host"});
    }
    for (auto const* name : benchmark::motion_kernels) known.push_back({name, true, ""});
  }
  for (auto const& kernel : forces::kernels()) {
    known.push_back({kernel.name, kernel.available(), kernel.unavailable});
  }
  std::vector<std::string> chosen;
  auto const choose = [&](std::string const& name) {
    if (std::find(chosen.begin(), chosen.end(), name) == chosen.end()) chosen.push_back(name);
  };
  for (auto const& name : names) {
    auto const entry = std::find_if(known.begin(), known.end(),
                                    [&](Known const& kernel) { return kernel.name == name; });
    if (name == "all") {
      for (auto const& kernel : known) {
        if (kernel.available) choose(kernel.name);
      }
    } else if (entry == known.end()) {
      std::vector<std::string> possible{"all"};
      for (auto const& kernel : known) possible.push_back(kernel.name);
      usage_error("--kernel " + name, "unknown kernel", "", "use one of " + quoted_list(possible));
    } else if (!entry->available) {
      usage_error("--kernel " + name, "not available", entry->why,
                  "choose another; see " + program_command("list"));
    } else {
      choose(name);
    }
  }
  return chosen;
}

void check_bodies_fit(std::vector<std::size_t> const& bodies, std::string const& option,
                      std::string const& solver) {
  std::vector<Problem> problems;
  deck::Configuration largest;
  largest.bodies.known_count = *std::max_element(bodies.begin(), bodies.end());
  largest.gravity.solver = &forces::solvers().get(solver);
  if (solver == "direct") largest.gravity.values.set("kernel", std::string("pairwise_tile"));
  deck::check_memory(largest, option, problems);
  if (!problems.empty()) throw Error(ExitStatus::usage, std::move(problems));
}

bool is_fmm(std::string const& solver) {
  if (solver != "direct" && solver != "fmm") {
    usage_error("--solver " + solver, "unknown solver", "", "use 'direct' or 'fmm'");
  }
  return solver == "fmm";
}

Option solver_option(std::string& solver) {
  return {"--solver", "Gravity solver: direct (default) or fmm", &solver, "NAME"};
}

Option accuracy_option(std::optional<double>& accuracy, std::string const& solver) {
  return Option{"--accuracy",
                "Target relative error of accelerations (99th percentile) of fmm (default 0.001)",
                &accuracy, "X"}
      .has_effect_if([&solver]() -> std::optional<Problem> {
        if (solver != "direct") return {};
        return Problem{"", "is for --solver fmm", "'direct' has rounding errors only",
                       "give --solver fmm as well, or leave it out"};
      });
}

double parse_accuracy(std::optional<double> requested, bool fmm,
                      std::vector<forces::Precision> const& precisions) {
  double const accuracy = requested.value_or(forces::FmmOptions().accuracy);
  if (!(accuracy > 0.0 && accuracy <= 0.1)) {
    usage_error("--accuracy " + shortest(accuracy), "out of range", "",
                "give a number above 0 and at most 0.1");
  }
  auto const& entry = forces::solvers().get("fmm");
  for (auto const precision : precisions) {
    forces::Demand demand;
    demand.precision = precision;
    demand.values.set("accuracy", accuracy);
    if (!fmm) continue;
    for (auto const& problem : entry.check(demand)) {
      bool const more = precision != forces::Precision::double_precision;
      usage_error("--accuracy " + shortest(accuracy), problem.problem, problem.why,
                  more ? "give a larger value, or --precision double only" : "give a larger value");
    }
  }
  return accuracy;
}

}  // namespace apsis::cli
