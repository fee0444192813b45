// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

namespace apsis::render {

/// Throws a usage error if the name of a film has no extension of a film or no existing directory,
/// and an input/output error unless ffmpeg, which makes films, can be started.
void expect_film(std::filesystem::path const& film);

/// Makes a film from `pictures` pictures of a directory, `name`_000000.png and on, in the format
/// given by the film's extension (mp4, webm, gif ...). Throws an input/output error with the last
/// line that ffmpeg printed.
void make_film(std::filesystem::path const& directory, std::string const& name,
               std::size_t pictures, std::filesystem::path const& film, int pictures_per_second);

}  // namespace apsis::render
