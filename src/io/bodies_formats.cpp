// SPDX-License-Identifier: Apache-2.0
#include <apsis/core/error.hpp>
#include <apsis/core/text.hpp>
#include <apsis/io/bodies_formats.hpp>
#include <apsis/io/file.hpp>

#include <algorithm>

namespace apsis::io {

namespace {

using Lost = std::vector<std::string>;

std::string extension_of(std::filesystem::path const& path) {
  std::string extension = path.extension().string();
  for (char& letter : extension) {
    if (letter >= 'A' && letter <= 'Z') letter = static_cast<char>(letter - 'A' + 'a');
  }
  return extension;
}

BodiesFile read_text(std::filesystem::path const& path, BodiesReadOptions const& /*options*/) {
  return read_text_bodies(read_file(path), path.string());
}
Lost write_text(std::filesystem::path const& path, BodiesFile const& file,
                BodiesWriteOptions const& options) {
  auto text = options.text;
  text.csv = text.csv || extension_of(path) == ".csv";
  Lost lost;
  write_file(path, write_text_bodies(file, text, lost));
  return lost;
}

BodiesFile read_tipsy_file(std::filesystem::path const& path, BodiesReadOptions const& options) {
  return read_tipsy(read_file(path), path.string(), options.tipsy_ids);
}
Lost write_tipsy_file(std::filesystem::path const& path, BodiesFile const& file,
                      BodiesWriteOptions const& options) {
  Lost lost;
  write_file(path, write_tipsy(file, options.tipsy, path.string(), lost));
  return lost;
}

BodyFormat const& format_named(std::string const& name, std::string const& source) {
  std::vector<std::string> names;
  for (auto const& format : body_formats()) {
    if (format.name == name) return format;
    names.push_back(format.name);
  }
  throw Error(ExitStatus::bad_input, Problem{source, "no format '" + name + "'", "",
                                             "choose one of " + quoted_list(names)});
}

}  // namespace

std::vector<BodyFormat> const& body_formats() {
  static std::vector<BodyFormat> const formats{
      {"text",
       "a line a body: mass x y z vx vy vz, between blanks or commas",
       {".txt", ".dat", ".csv"},
       read_text,
       write_text},
      {"tipsy",
       "the N-Body Shop's binary format, and the CUDA sample's variant with ids",
       {".bin", ".tipsy", ".std"},
       read_tipsy_file,
       write_tipsy_file},
  };
  return formats;
}

std::string format_of(std::filesystem::path const& path) {
  auto const extension = extension_of(path);
  std::vector<std::string> known;
  for (auto const& format : body_formats()) {
    auto const& own = format.extensions;
    if (std::find(own.begin(), own.end(), extension) != own.end()) return format.name;
    known.insert(known.end(), own.begin(), own.end());
  }
  throw Error(ExitStatus::bad_input,
              Problem{path.string(), "no format has the extension '" + extension + "'",
                      "known: " + quoted_list(known), "name the format"});
}

BodiesFile read_bodies(std::filesystem::path const& path, std::string const& format,
                       BodiesReadOptions const& options) {
  return format_named(format, path.string()).read(path, options);
}

std::vector<std::string> write_bodies(std::filesystem::path const& path, std::string const& format,
                                      BodiesFile const& file, BodiesWriteOptions const& options) {
  return format_named(format, path.string()).write(path, file, options);
}

}  // namespace apsis::io
