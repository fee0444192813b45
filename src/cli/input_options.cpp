// SPDX-License-Identifier: Apache-2.0
#include "input_options.hpp"

#include <apsis/core/text.hpp>

#include <algorithm>
#include <utility>

namespace apsis::cli {

namespace {

formats::TipsyIds parse_tipsy_ids(std::string const& word) {
  if (word == "automatic") return formats::TipsyIds::automatic;
  if (word == "integers") return formats::TipsyIds::integers;
  if (word == "none") return formats::TipsyIds::none;
  usage_error("--tipsy-ids " + word, "unknown", "", "use automatic, integers or none");
}

/// Names of the formats that allow several times in a file.
std::vector<std::string> formats_with_times() {
  std::vector<std::string> names;
  for (auto const& format : formats::body_formats()) {
    if (format.has_times) names.push_back(format.name);
  }
  return names;
}

}  // namespace

std::string known_format(std::string const& option, std::string const& name) {
  if (formats::body_formats().find(name) != nullptr) return name;
  usage_error(option + " " + name, "unknown format", "",
              "choose one of " + quoted_list(formats::body_formats().names()));
}

std::string InputOptions::format_of(std::filesystem::path const& path) const {
  return format.empty() ? formats::format_of(path) : known_format("--from", format);
}

formats::BodiesReadOptions InputOptions::reading() const {
  return {parse_tipsy_ids(tipsy_ids), {}, columns, central_mass, time, !ignore_ids};
}

Option for_formats(Option option, std::function<std::vector<std::string>()> const& actual,
                   std::vector<std::string> const& formats) {
  return std::move(option).has_effect_if([actual, formats]() -> std::optional<Problem> {
    for (auto const& format : actual()) {
      if (std::find(formats.begin(), formats.end(), format) != formats.end()) continue;
      std::string names;
      for (auto const& name : formats) names += (names.empty() ? "" : " and ") + name;
      return Problem{"", "is for " + names, "the file is " + format, "leave it out"};
    }
    return {};
  });
}

std::vector<Option> input_options(std::shared_ptr<InputOptions> const& options,
                                  InputFiles const& files) {
  auto* const input = options.get();
  auto const& name = files.operand;
  auto const formats_of = [input, list = files.list] {
    std::vector<std::string> formats;
    for (auto const& file : list()) formats.push_back(input->format_of(file));
    return formats;
  };
  // --time chooses some of several files with one time each.
  auto const formats_with_time = [formats_of] {
    auto formats = formats_of();
    if (formats.size() > 1) formats.clear();
    return formats;
  };
  return {
      {"--from",
       "Format of " + name +
           ": text, tipsy, hdf5, gadget, horizons, mercury or nemo (default: from its content, "
           "else its extension)",
       &input->format, "FORMAT"},
      for_formats(
          {"--columns", "Names of the columns of a text " + name + ", in order; '-' skips a column",
           &input->columns, "NAMES"},
          formats_of, {"text"}),
      for_formats({"--time",
                   files.has_several ? "Time to choose from a " + name +
                                           " with several times, or from several snapshots or files"
                                     : "Time to choose from an " + name + " with several times",
                   &input->time, "T"},
                  formats_with_time, formats_with_times()),
      for_formats(
          {"--tipsy-ids",
           "Ids in the potential field of a tipsy " + name + ": automatic, integers or none",
           &input->tipsy_ids, "WORD"},
          formats_of, {"tipsy"}),
      {"--ignore-ids", "Number the bodies anew, for files whose ids repeat", &input->ignore_ids},
      for_formats({"--central-mass",
                   "Mass of the central body of a mercury " + name + " [Msun] (default: 1)",
                   &input->central_mass, "MASS"},
                  formats_of, {"mercury"})};
}

}  // namespace apsis::cli
