// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <exception>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace apsis {

/// What a run tells its caller; fixed, because scripts and batch systems rely on the numbers.
enum class ExitStatus : int {
  conserved = 0,      ///< done, and within the deck's conservation limits
  not_conserved = 1,  ///< done, but the deck's conservation limits were broken
  usage = 64,         ///< wrong command line
  bad_input = 65,     ///< bad deck or input file
  internal = 70,      ///< internal error or non-finite state
  input_output = 74,  ///< a file could not be read or written
  stopped = 75,       ///< stopped from outside before its end
};

/// One thing that is wrong, in the grammar of every Apsis error:
/// `<where>: <problem> (<why>); <what to do>`.
struct Problem {
  std::string where;     ///< file, path in the deck, option or room
  std::string problem;   ///< what is wrong
  std::string why{};     ///< why that is a problem; may be empty
  std::string advice{};  ///< what to do about it; may be empty

  std::string text() const;
};

/// Carries problems and an exit status to main, the only place that catches.
class Error : public std::runtime_error {
 public:
  Error(ExitStatus status, std::vector<Problem> problems);
  Error(ExitStatus status, Problem problem);

  ExitStatus status() const { return status_; }
  std::vector<Problem> const& problems() const { return problems_; }

 private:
  ExitStatus status_;
  std::vector<Problem> problems_;
};

/// What any exception is to a user: an Error is itself, an error of the operating system an
/// input/output error, and everything else an internal one.
Error error_from(std::exception_ptr const& exception);

}  // namespace apsis

/// Checks what a user's input can cause. Always on.
#define APSIS_VALIDATE(condition, ...)                                                    \
  do {                                                                                    \
    if (!(condition)) {                                                                   \
      throw ::apsis::Error(::apsis::ExitStatus::bad_input, ::apsis::Problem __VA_ARGS__); \
    }                                                                                     \
  } while (0)

/// Checks what only a fault of Apsis itself can cause. Always on.
#define APSIS_EXPECT(condition, what)                                                   \
  do {                                                                                  \
    if (!(condition)) {                                                                 \
      throw ::apsis::Error(                                                             \
          ::apsis::ExitStatus::internal,                                                \
          ::apsis::Problem{__FILE__, what, #condition, "please report this as a bug"}); \
    }                                                                                   \
  } while (0)
