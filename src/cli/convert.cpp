// SPDX-License-Identifier: Apache-2.0
#include "commands.hpp"
#include <apsis/core/text.hpp>
#include <apsis/io/bodies_formats.hpp>

#include <algorithm>
#include <iostream>
#include <system_error>

namespace apsis::cli {

namespace {

struct ConvertOptions {
  std::string from, to;
  std::string from_format, to_format;
  std::string tipsy_ids = "automatic";
  std::string columns;
  io::BodiesWriteOptions write;
  bool ids = false;
  bool force = false;
};

io::TipsyIds tipsy_ids_of(std::string const& word) {
  if (word == "automatic") return io::TipsyIds::automatic;
  if (word == "integers") return io::TipsyIds::integers;
  if (word == "none") return io::TipsyIds::none;
  usage_error("--tipsy-ids " + word, "unknown", "", "use automatic, integers or none");
}

/// The format by its option, or by the file's extension.
std::string format_of(std::string const& option, std::string const& given,
                      std::string const& path) {
  if (given.empty()) return io::format_of(path);
  if (io::body_formats().find(given) != nullptr) return given;
  usage_error(option + " " + given, "unknown format", "",
              "choose one of " + quoted_list(io::body_formats().names()));
}

std::string format_read(ConvertOptions const& options) {
  return format_of("--from", options.from_format, options.from);
}

std::string format_written(ConvertOptions const& options) {
  return format_of("--to", options.to_format, options.to);
}

/// An option of the file that is read or written (`format`), if it has one of these formats.
Option for_formats(Option option, std::shared_ptr<ConvertOptions const> const& options,
                   std::string (*format)(ConvertOptions const&),
                   std::vector<std::string> const& formats) {
  return std::move(option).works_if(
      [options = options.get(), format, formats]() -> std::optional<Problem> {
        auto const found = format(*options);
        if (std::find(formats.begin(), formats.end(), found) != formats.end()) return {};
        std::string words;
        for (auto const& each : formats) words += (words.empty() ? "" : " and ") + each;
        return Problem{"", "is for " + words, "the file is " + found, "leave it out"};
      });
}

ExitStatus convert(ConvertOptions options) {
  auto const from = format_read(options);
  auto const to = format_written(options);
  if (!(options.write.tipsy.softening >= 0.0)) {
    usage_error("--softening", "out of range", "found " + shortest(options.write.tipsy.softening),
                "give 0 or more");
  }
  auto const ids = tipsy_ids_of(options.tipsy_ids);
  std::error_code ignored;
  if (std::filesystem::equivalent(options.from, options.to, ignored)) {
    throw Error(ExitStatus::input_output,
                Problem{options.to, "is the file that is read",
                        "what the new one has no place for would be lost", "choose another name"});
  }
  auto const file = io::read_bodies(options.from, from, {ids, {}, options.columns});
  options.write.tipsy.integer_ids = options.ids;
  options.write.text.ids = options.ids;
  options.write.overwrite = options.force ? io::Overwrite::yes : io::Overwrite::no;
  auto const lost = io::write_bodies(options.to, to, file, options.write);
  std::cout << printable(options.to) << ": " << file.bodies.size() << " bodies in " << to
            << " from " << from << "\n";
  for (auto const& words : file.unused) std::cout << "not used: " << printable(words) << "\n";
  for (auto const& words : lost) std::cout << "lost: " << printable(words) << "\n";
  if (to == "hdf5" && !file.units) {
    std::cout << "note: the bodies have no units: other programs take numbers of hdf5 without them "
                 "as cm, g and s\n";
  }
  if (file.unused.empty() && lost.empty()) std::cout << "nothing is lost\n";
  return ExitStatus::conserved;
}

}  // namespace

Command convert_command() {
  auto const options = std::make_shared<ConvertOptions>();
  auto& tipsy = options->write.tipsy;
  return {"convert",
          "Convert a file of bodies to another format",
          {{"IN", "File to read", &options->from},
           {"OUT", "File to write", &options->to},
           {"--from", "Format of IN: text, tipsy or hdf5 (default: what its extension says)",
            &options->from_format, "FORMAT"},
           {"--to", "Format of OUT, likewise", &options->to_format, "FORMAT"},
           for_formats({"--tipsy-ids",
                        "What tipsy has in the place of potentials: automatic, integers or none",
                        &options->tipsy_ids, "WORD"},
                       options, format_read, {"tipsy"}),
           for_formats({"--columns",
                        "Names of the columns of a text IN, in their order, '-' for one not read",
                        &options->columns, "NAMES"},
                       options, format_read, {"text"}),
           for_formats({"--ids", "Write ids into tipsy (32 bits) or text", &options->ids}, options,
                       format_written, {"tipsy", "text"}),
           for_formats(
               {"--csv", "Write text with commas and names of columns", &options->write.text.csv},
               options, format_written, {"text"}),
           for_formats(
               {"--little-endian", "Write tipsy in the byte order of PCs", &tipsy.little_endian},
               options, format_written, {"tipsy"}),
           for_formats({"!--no-pad", "Write tipsy without the pad in its header", &tipsy.pad},
                       options, format_written, {"tipsy"}),
           for_formats(
               {"--softening", "Softening length that tipsy's bodies get", &tipsy.softening, "EPS"},
               options, format_written, {"tipsy"}),
           {"--force", "Overwrite OUT if it exists", &options->force}},
          [options] { return convert(*options); }};
}

}  // namespace apsis::cli
