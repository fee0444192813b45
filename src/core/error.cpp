// SPDX-License-Identifier: Apache-2.0
#include <apsis/core/error.hpp>
#include <apsis/core/text.hpp>

#include <new>
#include <system_error>
#include <utility>

namespace apsis {

std::string Problem::text() const {
  std::string line = where + ": " + problem;
  if (!why.empty()) line += " (" + why + ")";
  if (!advice.empty()) line += "; " + advice;
  return printable(line);
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
    return {ExitStatus::internal, Problem{"memory", "exhausted", "", "use fewer bodies"}};
  } catch (std::system_error const& error) {
    return {ExitStatus::input_output,
            Problem{"system", error.what(), "", "check the limits of this process and its files"}};
  } catch (std::exception const& error) {
    std::string const what = error.what();
    // Kokkos throws a std::runtime_error where it gets no memory, also on a device.
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
