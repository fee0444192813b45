// SPDX-License-Identifier: Apache-2.0
#include "cli/commands.hpp"
#include "cli/input_options.hpp"
#include "formats/bodies_formats.hpp"
#include "formats/units_text.hpp"
#include <apsis/core/text.hpp>

#include <algorithm>
#include <iostream>
#include <system_error>

namespace apsis::cli {

namespace {

struct ConvertOptions {
  std::string input, output;
  std::shared_ptr<InputOptions> reading = std::make_shared<InputOptions>();
  std::string output_format_name;
  std::string input_units, output_units;
  formats::BodiesWriteOptions write;
  bool ids = false;
  bool force = false;
};

std::string output_format(ConvertOptions const& options) {
  return options.output_format_name.empty() ? formats::format_by_extension(options.output)
                                            : known_format("--to", options.output_format_name);
}

/// Parses units such as "pc, Msun, km/s" or "solar".
formats::BodiesFile parse_units_option(std::string const& option, std::string const& words) {
  formats::BodiesFile units;
  if (formats::read_units_text(words, units) && units.units) return units;
  usage_error(option + " '" + words + "'", "units that are not understood", "",
              "write for example 'pc, Msun, km/s' or 'solar'");
}

/// States the units of a file and converts its numbers, as the options say.
void apply_units(ConvertOptions const& options, formats::BodiesFile& file) {
  if (!options.input_units.empty()) {
    auto const stated = parse_units_option("--from-units", options.input_units);
    APSIS_VALIDATE(formats::state_units(file, *stated.units),
                   {options.input, "has other units than --from-units",
                    file.has_fixed_units ? "its format fixes them"
                                         : "it states " + formats::si_text(*file.units),
                    "leave --from-units out, or correct it"});
    file.unit_system = stated.unit_system;
  }
  if (options.output_units.empty()) return;
  auto const target = parse_units_option("--units", options.output_units);
  APSIS_VALIDATE(file.units, {options.input, "states no units",
                              "its numbers cannot be converted to those of --units",
                              "name them with --from-units"});
  formats::convert_units(file, *target.units);
  file.unit_system = target.unit_system;
}

/// The units of the numbers in a file: "pc, Msun, Myr", "au, Msun, day".
std::string units_words(formats::BodiesFile const& file) {
  auto const units = custom_units(*file.units);
  bool const has_named_velocity = units.short_name(dimension::velocity) == "km/s";
  return units.short_name(dimension::length) + ", " + units.short_name(dimension::mass) + ", " +
         units.short_name(dimension::time) + (has_named_velocity ? " (velocities in km/s)" : "");
}

ExitStatus convert(ConvertOptions options) {
  auto const source_format = options.reading->format_of(options.input);
  auto const target_format = output_format(options);
  if (!(options.write.tipsy.softening >= 0.0)) {
    usage_error("--softening", "out of range", "found " + shortest(options.write.tipsy.softening),
                "give 0 or more");
  }
  auto const reading = options.reading->reading();
  std::error_code ignored;
  if (std::filesystem::equivalent(options.input, options.output, ignored)) {
    throw Error(
        ExitStatus::input_output,
        Problem{options.output, "is also the input file",
                "data that the new format cannot hold would be lost", "choose another name"});
  }
  auto file = formats::read_bodies(options.input, source_format, reading);
  bool const source_fixes_units = file.has_fixed_units;
  apply_units(options, file);
  options.write.tipsy.integer_ids = options.ids;
  options.write.text.ids = options.ids;
  options.write.overwrite = options.force ? files::Overwrite::yes : files::Overwrite::no;
  auto lost = formats::write_bodies(options.output, target_format, file, options.write);
  if (file.epoch) lost.push_back("the epoch, day " + shortest(*file.epoch) + ", is left out");
  std::cout << printable(options.output) << ": " << file.bodies.size() << " bodies in "
            << target_format << " from " << source_format << "\n";
  if (file.units) {
    std::cout << "units: " << printable(units_words(file))
              << (source_fixes_units && options.output_units.empty()
                      ? ", those of " + source_format + " (--units converts to others)"
                      : "")
              << "\n";
  }
  for (auto const& words : file.notes) std::cout << "note: " << printable(words) << "\n";
  for (auto const& words : file.unused) std::cout << "not used: " << printable(words) << "\n";
  for (auto const& words : lost) std::cout << "lost: " << printable(words) << "\n";
  if (target_format == "hdf5" && !file.units) {
    std::cout << "note: the bodies have no units: other programs read hdf5 files without units as "
                 "cm, g and s\n";
  }
  if (file.unused.empty() && lost.empty()) std::cout << "nothing is lost\n";
  return ExitStatus::conserved;
}

}  // namespace

Command convert_command() {
  auto const options = std::make_shared<ConvertOptions>();
  auto& tipsy = options->write.tipsy;
  auto& gadget = options->write.gadget;
  std::function<std::vector<std::string>()> const target_format = [options = options.get()] {
    return std::vector{output_format(*options)};
  };
  auto const for_tipsy = [&](Option option) {
    return for_formats(std::move(option), target_format, {"tipsy"});
  };
  auto const for_gadget = [&](Option option) {
    return for_formats(std::move(option), target_format, {"gadget"});
  };
  std::vector<Option> table{{"IN", "File to read", &options->input},
                            {"OUT", "File to write", &options->output}};
  append(table, input_options(options->reading, {"IN", [options = options.get()] {
                                                   return std::vector<std::filesystem::path>{
                                                       options->input};
                                                 }}));
  append(
      table,
      {{"--to", "Format of OUT: text, tipsy, gadget or hdf5 (default: from its extension)",
        &options->output_format_name, "FORMAT"},
       {"--from-units", "Units of the numbers in IN: 'pc, Msun, km/s' (default: those it states)",
        &options->input_units, "UNITS"},
       {"--units", "Units of OUT, to which the numbers are converted", &options->output_units,
        "UNITS"},
       for_formats({"--ids", "Write ids, to tipsy (as 32-bit integers) or text", &options->ids},
                   target_format, {"tipsy", "text"}),
       for_formats({"--csv", "Write text as comma-separated values with a header line",
                    &options->write.text.csv},
                   target_format, {"text"}),
       for_tipsy(
           {"--little-endian", "Write tipsy in little-endian byte order", &tipsy.little_endian}),
       for_tipsy({"!--no-pad", "Write tipsy without the padding word in its header", &tipsy.pad}),
       for_tipsy({"--softening", "Softening length written for each tipsy body", &tipsy.softening,
                  "EPS"}),
       for_tipsy(
           {"--double-positions", "Write tipsy with 64-bit positions", &tipsy.double_positions}),
       for_tipsy(Option{"--double-velocities", "Write tipsy with 64-bit velocities",
                        &tipsy.double_velocities}
                     .needs({"--double-positions"})),
       for_gadget({"--gadget-format",
                   "Binary format of gadget: 1 or 2, with names of the blocks (default: 2)",
                   IntegerRange<int>{&gadget.format, 1, 2}, "N"}),
       for_gadget({"--big-endian", "Write gadget in big-endian byte order", &gadget.big_endian}),
       for_gadget(
           {"--single",
            "Round the numbers of gadget to 32 bits (default: 64 bits if 32 cannot hold them)",
            &gadget.single}),
       {"--force", "Overwrite OUT if it exists", &options->force}});
  return {"convert", "Convert a file of bodies between formats", std::move(table),
          [options] { return convert(*options); }};
}

}  // namespace apsis::cli
