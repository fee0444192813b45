// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>

namespace apsis::io {

/// Plays something in a process of its own, whose crash is then nobody's: for libraries that read
/// what strangers wrote. Whatever it throws as an apsis::Error counts as an end, for it will be
/// thrown again when it is played in earnest. Returns why it did not come to its end, or nothing.
/// It may call malloc and libraries without threads, and has `bytes` more memory and so much time.
std::string rehearse(std::function<void()> const& play, std::uint64_t bytes, unsigned seconds);

}  // namespace apsis::io
