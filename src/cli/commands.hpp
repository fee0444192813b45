// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/core/error.hpp>
#include <apsis/simulation/leader.hpp>

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace apsis::benchmark {
struct Request;
}

/// Subcommands as tables of options, independent of the parser; only parse.cpp uses CLI11.
namespace apsis::cli {

[[noreturn]] inline void usage_error(std::string const& where, std::string const& problem,
                                     std::string const& why, std::string const& advice) {
  throw Error(ExitStatus::usage, Problem{where, problem, why, advice});
}

/// Integer within a range, both ends included.
template <class Value, class Number = Value>
struct IntegerRange {
  Value* value;
  Number least, most;
};

/// List of texts; the option may be repeated.
struct TextList {
  std::vector<std::string>* value;
  bool comma_separated;  ///< one argument may hold several texts, separated by commas
};

struct OptionalNumber {
  bool* is_set;
  std::optional<int>* value;
  int least, most;
};

/// Relation to other options of the same command, given by name.
struct Relation {
  enum class Kind { needs_one_of, excludes };
  Kind kind;
  std::vector<std::string> others;
  std::string why{};
};

/// Returns why an option that was given has no effect; empty if it has one. Called when all options
/// are set. The parser fills in `where` of the problem.
using Effect = std::function<std::optional<Problem>()>;

/// One option of a subcommand. The parser refuses an option that has no effect; therefore each
/// option declares here what it depends on.
struct Option {
  std::string name;  ///< "--option", "!--flag-that-clears", or "OPERAND" (required unless it is a
                     ///< TextList or optional)
  std::string doc;
  std::variant<bool*, std::string*, double*, std::optional<double>*, TextList, IntegerRange<int>,
               IntegerRange<std::size_t>, IntegerRange<std::optional<int>, int>, OptionalNumber>
      value;           ///< variable that is set; its value is the default
  std::string type{};  ///< name of the value in the help; empty: derived from the C++ type
  std::vector<Relation> relations{};
  std::vector<Effect> effects{};
  bool is_optional_operand = false;
  std::vector<std::string> choices{};  ///< words that shells suggest; may be incomplete

  Option&& optional() && {
    is_optional_operand = true;
    return std::move(*this);
  }
  Option&& one_of(std::vector<std::string> words) && {
    choices = std::move(words);
    return std::move(*this);
  }
  Option&& needs(std::vector<std::string> others) && {
    relations.push_back({Relation::Kind::needs_one_of, std::move(others)});
    return std::move(*this);
  }
  Option&& excludes(std::vector<std::string> others, std::string why = "") && {
    relations.push_back({Relation::Kind::excludes, std::move(others), std::move(why)});
    return std::move(*this);
  }
  Option&& has_effect_if(Effect effect) && {
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

/// How an option is written, for help, manual pages and completion.
struct OptionForm {
  std::string name;          ///< "--threads" or "DECK"
  std::string value;         ///< name of its value: "N"; empty for a flag and an operand
  std::string range;         ///< "from 1 to 65536"; empty without bounds
  std::string default_text;  ///< empty without a default
  bool is_operand = false;
  bool is_required = false;  ///< an operand that cannot be left out
  bool is_repeatable = false;
};

OptionForm form_of(Option const& option);

/// Returns the operands and values of a command in one line: "run [OPTIONS] DECK".
std::string synopsis_of(Command const& command);

using CommandTable = std::function<std::vector<Command>()>;

/// Processes that a launcher (mpirun, srun) started together.
struct Launch {
  std::size_t processes = 0;  ///< number of processes; 0 without launcher
  std::string variable{};     ///< environment variable that gives the number
};

Launch launch();

inline Option share_gpus_option(bool& share) {
  return Option{"--share-gpus", "Allow several ranks to share one GPU", &share}.has_effect_if(
      []() -> std::optional<Problem> {
        if (launch().processes > 0) return {};
        return Problem{"", "is for several ranks", "this process was started without mpirun",
                       "leave it out"};
      });
}

inline Option threads_option(std::optional<int>& threads) {
  return {"--threads", "Number of host threads (default: all available)",
          IntegerRange<std::optional<int>, int>{&threads, 1, 65536}, "N"};
}

/// Option of commands that print their text as data on request.
inline Option json_option(bool& json) {
  return {"--json", "Print one JSON object with the same facts instead of text", &json};
}

struct RankContext;
struct BenchOptions;
/// Makes the measurements that only the program of bench/ has. Kokkos is initialised.
using Measures = ExitStatus (*)(BenchOptions const&, benchmark::Request const&, RankContext const&);

/// Ranks that were started together, as seen by this one. The default is a single process.
struct RankContext {
  std::shared_ptr<simulation::Leader> leader{};
  std::optional<int> threads{};  ///< host threads of this rank
  std::string processors{};  ///< processors that this rank may use; format of RankInfo::processors
  std::string command_line{};   ///< command line, without the program's name
  Measures measures = nullptr;  ///< null but in the program of bench/
};

/// Initialises Kokkos, with bound threads and without messages; finalises it when the last owner of
/// the result is destroyed. `threads`: number of host threads; all available ones if empty. Throws
/// a usage error if the backend of this executable has no choice of threads. With several ranks on
/// one host each has its own threads, and Kokkos gives each rank its own accelerator as long as
/// there are enough (by the rank in the launcher's environment variables).
std::shared_ptr<void> kokkos_session(std::optional<int> threads, RankContext const& ranks = {});

/// Describes this process. Kokkos must be initialised.
simulation::RankInfo this_member(RankContext const& ranks);

Command run_command(RankContext const& ranks);
Command bench_command(RankContext const& ranks);
Command compare_command();
Command check_command();
Command cite_command();
Command convert_command();
Command render_command();
Command view_command();
Command demo_command();
Command schema_command();
Command info_command(RankContext const& ranks);
Command list_command();
Command help_command(std::vector<std::string> const& topics);
Command man_command(CommandTable const& table, std::vector<std::string> const& topics);
Command completion_command(CommandTable const& table);
Command verify_command(RankContext const& ranks);

std::vector<Command> all_commands(RankContext const& ranks);

/// Sets the options of the command given by the arguments and returns it. Returns null after
/// printing help or version. Throws usage errors.
Command const* parse(std::vector<Command> const& commands, int argc, char** argv);

}  // namespace apsis::cli
