// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/core/error.hpp>
#include <apsis/driver/leader.hpp>

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

/// Subcommands as tables of their options, without the parser: one file turns them into CLI11.
namespace apsis::cli {

[[noreturn]] inline void usage_error(std::string const& where, std::string const& problem,
                                     std::string const& why, std::string const& advice) {
  throw Error(ExitStatus::usage, Problem{where, problem, why, advice});
}

/// A number that must lie in a range, ends included.
template <class Value, class Number = Value>
struct Within {
  Value* value;
  Number least, most;
};

/// Words that an option may be given repeatedly.
struct Words {
  std::vector<std::string>* value;
  bool by_commas;  ///< one argument may hold several; else each takes one
};

/// A number that an option may be given with or without.
struct WithOrWithout {
  bool* given;
  std::optional<int>* value;
  int least, most;
};

/// One option of a subcommand.
struct Option {
  std::string name;  ///< "--option", "!--flag-that-clears", or "OPERAND", required but for Words
  std::string doc;
  std::variant<bool*, std::string*, double*, std::optional<double>*, Words, Within<int>,
               Within<std::size_t>, Within<std::optional<int>, int>, WithOrWithout>
      value;           ///< where it goes; what stands there is the default
  std::string type{};  ///< what help calls the value; nothing: after its C++ type
};

struct Command {
  std::string name;
  std::string doc;
  std::vector<Option> options;
  std::function<ExitStatus()> action;
};

inline Option share_gpus_option(bool& share) {
  return {"--share-gpus", "Of processes started together: several may use one GPU", &share};
}

inline Option threads_option(std::optional<int>& threads) {
  return {"--threads", "Threads to run on (default: all available)",
          Within<std::optional<int>, int>{&threads, 1, 65536}, "N"};
}

/// The processes that were started together, as the first of them sees them; nobody: this one
/// alone.
struct Together {
  std::shared_ptr<driver::Leader> leader{};
  std::optional<int> threads{};  ///< that are this process's own
  std::string processors{};      ///< of the host, that it may use; as Member has them
  std::string words{};           ///< of the command line
};

/// Kokkos as long as somebody holds this, quiet on a normal start and with its threads bound.
/// `threads`: host threads to run on; all that are available if it is empty. Throws a usage error
/// if this executable's backend has no threads to choose.
/// Among several processes on one host each has its own threads, and Kokkos gives each its own
/// accelerator as long as there are enough (by the rank that launchers tell in the environment).
std::shared_ptr<void> kokkos_session(std::optional<int> threads, Together const& with = {});

/// This process, once Kokkos is initialised.
driver::Member this_member(Together const& with);

Command run_command(Together const& with);
Command bench_command(Together const& with);
Command compare_command();
Command check_command();
Command convert_command();
Command render_command();
Command view_command();
Command demo_command();
Command schema_command();
Command info_command(Together const& with);
Command list_command();
Command help_command();
Command verify_command(Together const& with);

/// Sets the options of the command that the arguments name and returns it; nothing if they ask for
/// help or the version, which is then printed. Throws usage errors.
Command const* parse(std::vector<Command> const& commands, int argc, char** argv);

}  // namespace apsis::cli
