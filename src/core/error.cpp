// SPDX-License-Identifier: Apache-2.0
#include <apsis/core/error.hpp>

#include <utility>

namespace apsis {

Problem::Problem() = default;
Problem::Problem(std::string_view where_, std::string_view problem_, std::string_view why_,
                 std::string_view advice_)
    : where(where_), problem(problem_), why(why_), advice(advice_) {}
Problem::Problem(Problem const&) = default;
Problem::Problem(Problem&&) noexcept = default;
Problem& Problem::operator=(Problem const&) = default;
Problem& Problem::operator=(Problem&&) noexcept = default;
Problem::~Problem() = default;

std::string Problem::text() const {
  std::string line = where + ": " + problem;
  if (!why.empty()) line += " (" + why + ")";
  if (!advice.empty()) line += "; " + advice;
  // What a user wrote may hold anything; an error is one line and does nothing to a terminal.
  for (char& c : line) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = '?';
  }
  return line;
}

namespace {
std::string joined(std::vector<Problem> const& problems) {
  std::string lines;
  for (auto const& problem : problems) lines += (lines.empty() ? "" : "\n") + problem.text();
  return lines;
}
}  // namespace

Error::Error(ExitStatus status, std::vector<Problem> problems)
    : std::runtime_error(joined(problems)), status_(status), problems_(std::move(problems)) {}

Error::Error(ExitStatus status, Problem problem)
    : Error(status, std::vector<Problem>{std::move(problem)}) {}

}  // namespace apsis
