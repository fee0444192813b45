// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/driver/configuration.hpp>

#include <optional>
#include <string>

namespace apsis::driver {

/// What a user should know whose run is in physical units and whose file of bodies names none: in
/// which its numbers are taken. Nothing for any other run.
std::optional<std::string> remark_on_file_units(Configuration const& run);

}  // namespace apsis::driver
