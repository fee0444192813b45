// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

namespace apsis::render {

/// Whether ffmpeg can be started, which makes films. Throws an input/output error if not.
void expect_ffmpeg();

/// Makes a film of so many pictures of a directory, `name`_000000.png and on, in the format of its
/// extension (mp4, webm, gif ...). Throws an input/output error with ffmpeg's last words.
void make_film(std::filesystem::path const& directory, std::string const& name,
               std::size_t pictures, std::filesystem::path const& film, int pictures_per_second);

}  // namespace apsis::render
