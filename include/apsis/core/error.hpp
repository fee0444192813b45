// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <exception>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace apsis {

/// Exit status of the program. The numbers are fixed because scripts and batch systems rely on
/// them.
enum class ExitStatus : int {
  conserved = 0,      ///< finished within the conservation limits of the deck
  not_conserved = 1,  ///< finished, but a conservation limit of the deck was exceeded
  usage = 64,         ///< wrong command line
  bad_input = 65,     ///< bad deck or input file
  internal = 70,      ///< internal error or non-finite state
  input_output = 74,  ///< a file could not be read or written
  stopped = 75,       ///< stopped early by a signal, a time limit or a stop file
};

/// One problem, in the grammar of every Apsis error:
/// `<where>: <problem> (<why>); <what to do>`.
struct Problem {
  std::string where;     ///< file, path in the deck, option or component
  std::string problem;   ///< what is wrong
  std::string why{};     ///< why that is a problem; may be empty
  std::string advice{};  ///< what to do about it; may be empty

  std::string text() const;
};

/// Exception with a list of problems and an exit status. Caught in main.
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

/// Converts any exception to an Error: an Error is returned unchanged, an error of the operating
/// system becomes the result of system_error(), and any other exception an internal error.
Error error_from(std::exception_ptr const& exception);

}  // namespace apsis

/// Checks a condition that user input can violate. Never compiled out.
#define APSIS_VALIDATE(condition, ...)                                                    \
  do {                                                                                    \
    if (!(condition)) {                                                                   \
      throw ::apsis::Error(::apsis::ExitStatus::bad_input, ::apsis::Problem __VA_ARGS__); \
    }                                                                                     \
  } while (0)

/// Checks a condition that only a bug of Apsis can violate. Never compiled out.
#define APSIS_EXPECT(condition, what)                                                   \
  do {                                                                                  \
    if (!(condition)) {                                                                 \
      throw ::apsis::Error(                                                             \
          ::apsis::ExitStatus::internal,                                                \
          ::apsis::Problem{__FILE__, what, #condition, "please report this as a bug"}); \
    }                                                                                   \
  } while (0)

namespace apsis {

/// Whether this errno reports an exhausted limit of the process or of the machine: open files,
/// memory, processes.
bool is_system_limit(int code);

/// Error of a system call that failed with this errno. The text of errno becomes `why`.
/// An exhausted system limit is an internal error, with advice on which limit to raise; any other
/// failure is an input/output error.
Error system_error(int code, Problem problem);

}  // namespace apsis
