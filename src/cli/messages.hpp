// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/core/error.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// Messages on standard error: errors, warnings and notes.
namespace apsis::cli {

/// Number of columns of a terminal; empty if the descriptor is none, or it is unknown.
std::optional<int> terminal_columns(int descriptor);

/// Whether text for a descriptor may have colours: it is a terminal other than "dumb", and the
/// environment variable NO_COLOR is empty or absent (no-color.org).
bool may_have_colours(int descriptor);

enum class Tone { plain, good, doubtful, bad };

/// Returns text in green, yellow or red; unchanged if it is plain or colours are not wanted.
std::string toned(std::string const& text, Tone tone, int descriptor);

/// Returns text in which the rest of the first line that begins with `key` has a tone.
std::string with_toned_line(std::string const& text, std::string const& key, Tone tone,
                            int descriptor);

enum class MessageKind { error, warning, note };

enum class MessageFormat {
  text,  ///< "apsis: error: <where>: <problem> (<why>); <advice>"
  json,  ///< {"kind":"error","where":...,"problem":...,"why":...,"advice":...}, one line each
};

/// Name of the option that selects the format, for every command.
inline constexpr char const* message_format_option = "--errors";

/// Sets the format that the arguments of main request; text if they request none or a wrong one,
/// which the parser reports. Call first, so that later errors have the format. Allocates nothing.
void choose_message_format(int argc, char** argv);

MessageFormat message_format();

/// Removes the option and its value from a command line. Throws a usage error for a wrong value.
void take_message_format(std::vector<std::string>& words);

/// Prints one message to standard error, in colour on a terminal.
void print_message(MessageKind kind, Problem const& problem);

/// Line of an error that is printed where nothing can be allocated; a literal of either format.
struct FixedMessage {
  std::string_view text, json;

  std::string_view line() const { return message_format() == MessageFormat::json ? json : text; }
};

}  // namespace apsis::cli
