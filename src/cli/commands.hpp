// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/core/error.hpp>
#include <apsis/driver/leader.hpp>

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

/// Subcommands as tables of their options, without the parser: one file turns them into CLI11.
namespace apsis::cli {

[[noreturn]] inline void usage_error(std::string const& where, std::string const& problem,
                                     std::string const& why, std::string const& advice) {
  throw Error(ExitStatus::usage, Problem{where, problem, why, advice});
}

/// A whole number that must lie in a range, ends included.
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

/// Relation to other options of the same command, by their names.
struct Relation {
  enum class Kind { needs_one_of, excludes };
  Kind kind;
  std::vector<std::string> others;
  std::string why{};
};

/// Says why an option that was given has no effect, or nothing if it has one. Called when all
/// options are set. `where` of the problem is filled in by the parser.
using Effect = std::function<std::optional<Problem>()>;

/// One option of a subcommand. The parser refuses an option that is given and has no effect: each
/// option declares here what it depends on.
struct Option {
  std::string name;  ///< "--option", "!--flag-that-clears", or "OPERAND", required but for Words
  std::string doc;
  std::variant<bool*, std::string*, double*, std::optional<double>*, Words, Within<int>,
               Within<std::size_t>, Within<std::optional<int>, int>, WithOrWithout>
      value;           ///< where it goes; what stands there is the default
  std::string type{};  ///< what help calls the value; nothing: after its C++ type
  std::vector<Relation> relations{};
  std::vector<Effect> effects{};

  Option&& needs(std::vector<std::string> others) && {
    relations.push_back({Relation::Kind::needs_one_of, std::move(others)});
    return std::move(*this);
  }
  Option&& excludes(std::vector<std::string> others, std::string why = "") && {
    relations.push_back({Relation::Kind::excludes, std::move(others), std::move(why)});
    return std::move(*this);
  }
  Option&& works_if(Effect effect) && {
    effects.push_back(std::move(effect));
    return std::move(*this);
  }
};

struct Command {
  std::string name;
  std::string doc;
  std::vector<Option> options;
  std::function<ExitStatus()> action;
  /// Whether the command computes nothing, so that several processes may call it at once.
  bool only_prints = false;
};

/// Processes that a launcher (mpirun, srun) started together.
struct Launch {
  std::size_t processes = 0;  ///< this one included; 0 if there was no launcher
  std::string variable{};     ///< of the environment that says so
};

/// The launch of this process, as the environment has it.
Launch launch();

inline Option share_gpus_option(bool& share) {
  return Option{"--share-gpus", "Of processes started together: several may use one GPU", &share}
      .works_if([]() -> std::optional<Problem> {
        if (launch().processes > 0) return {};
        return Problem{"", "is for several processes", "this is one, started without mpirun",
                       "leave it out"};
      });
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
  std::string processors{};      ///< of the host, that it may use; as in driver::RankInfo
  std::string words{};           ///< of the command line
};

/// Kokkos as long as somebody holds this, quiet on a normal start and with its threads bound.
/// `threads`: host threads to run on; all that are available if it is empty. Throws a usage error
/// if this executable's backend has no threads to choose.
/// Among several processes on one host each has its own threads, and Kokkos gives each its own
/// accelerator as long as there are enough (by the rank that launchers tell in the environment).
std::shared_ptr<void> kokkos_session(std::optional<int> threads, Together const& with = {});

/// This process, once Kokkos is initialised.
driver::RankInfo this_member(Together const& with);

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
