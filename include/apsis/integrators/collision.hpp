// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/core/error.hpp>

namespace apsis::integrators {

/// Two bodies are so close that no step follows them (exit status 70).
class Collision final : public Error {
 public:
  using Error::Error;
};

}  // namespace apsis::integrators
