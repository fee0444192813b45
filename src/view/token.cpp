// SPDX-License-Identifier: Apache-2.0
#include <apsis/view/server.hpp>

#include <random>

namespace apsis::view {

std::string new_token() {
  std::random_device random;  // the operating system's, which is unpredictable
  std::string token;
  while (token.size() < 32) {
    for (auto bits = random(), digits = 8U; digits > 0; --digits, bits >>= 4U) {
      token += "0123456789abcdef"[bits & 15U];
    }
  }
  return token;
}

}  // namespace apsis::view
