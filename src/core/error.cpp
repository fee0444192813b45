// SPDX-License-Identifier: Apache-2.0
#include <apsis/core/error.hpp>
#include <apsis/core/text.hpp>

#include <algorithm>
#include <cerrno>
#include <new>
#include <system_error>
#include <utility>

namespace apsis {

namespace {

constexpr std::size_t longest_word = 80;     // [bytes]; longer words are cut to this length
constexpr std::size_t longest_path = 512;    // [bytes], limit of a word that may be a path
constexpr std::size_t longest_field = 2000;  // [bytes], limit of one field of a message

/// Shortens words that are longer than a name needs to be. With `with_paths`, words without a slash
/// count as paths too, such as those of a command to type.
std::string with_short_words(std::string_view text, bool with_paths) {
  std::string shown;
  while (!text.empty()) {
    auto const end = std::min(text.find(' '), text.size());
    auto const word = text.substr(0, end);
    bool const is_path = with_paths || word.find('/') != std::string_view::npos;
    bool const fits = word.size() <= (is_path ? longest_path : longest_word);
    shown += fits ? std::string(word) : shortened(word, longest_word);
    if (end < text.size()) shown += ' ';
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return shortened(shown, longest_field);
}

std::string joined(std::vector<Problem> const& problems) {
  std::string lines;
  for (auto const& problem : problems) lines += (lines.empty() ? "" : "\n") + problem.text();
  return lines;
}

/// Advice on an exhausted limit of the system, by errno; null for other errors.
char const* advice_on_limit(int code) {
  static constexpr std::pair<int, char const*> table[]{
      {EMFILE, "raise the limit of open files (ulimit -n)"},
      {ENFILE, "close files of other programs: the machine has no more"},
      {ENOMEM, "raise the limit of memory (ulimit -v), or free some"},
      {EAGAIN, "raise the limit of processes and threads (ulimit -u)"}};
  for (auto const& [limit, advice] : table) {
    if (limit == code) return advice;
  }
  return nullptr;
}

}  // namespace

std::string Problem::text() const {
  std::string line = with_short_words(where, false) + ": " + with_short_words(problem, false);
  if (!why.empty()) line += " (" + with_short_words(why, false) + ")";
  if (!advice.empty()) line += "; " + with_short_words(advice, true);
  return printable(line);
}

Error::Error(ExitStatus status, std::vector<Problem> problems)
    : std::runtime_error(joined(problems)), status_(status), problems_(std::move(problems)) {}

Error::Error(ExitStatus status, Problem problem)
    : Error(status, std::vector<Problem>{std::move(problem)}) {}

bool is_system_limit(int code) {
  return advice_on_limit(code) != nullptr;
}

Error system_error(int code, Problem problem) {
  if (code != 0) problem.why = std::generic_category().message(code);
  auto const* const advice = advice_on_limit(code);
  if (advice != nullptr) problem.advice = advice;
  return {advice != nullptr ? ExitStatus::internal : ExitStatus::input_output, std::move(problem)};
}

Error error_from(std::exception_ptr const& exception) {
  auto const internal = [](std::string const& what) {
    return Error(ExitStatus::internal,
                 Problem{"internal", what, "", "please report this as a bug"});
  };
  try {
    std::rethrow_exception(exception);
  } catch (Error const& error) {
    return error;
  } catch (std::bad_alloc const&) {
    return {ExitStatus::internal,
            Problem{"memory", "exhausted", "", "raise its limit (ulimit -v) or use fewer bodies"}};
  } catch (std::system_error const& error) {
    auto const converted =
        system_error(error.code().value(),
                     Problem{"system", "", "", "check the limits of this process and its files"});
    auto problem = converted.problems().front();
    problem.problem = error.what();
    problem.why.clear();
    return {converted.status(), std::move(problem)};
  } catch (std::exception const& error) {
    std::string const what = error.what();
    // Kokkos throws a std::runtime_error if an allocation fails, on the host or on a device.
    if (what.find("failed to allocate") != std::string::npos) {
      return {ExitStatus::internal,
              Problem{"memory", "exhausted", what, "use fewer bodies, or raise ulimit -v"}};
    }
    return internal(what);
  } catch (...) {
    return internal("unknown exception");
  }
}

}  // namespace apsis
