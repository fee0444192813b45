// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/core/error.hpp>

#include <exception>

namespace apsis {

/// What any exception is to a user: an Error is itself, an error of the operating system an
/// input/output error, and everything else an internal one.
Error error_from(std::exception_ptr const& exception);

}  // namespace apsis
