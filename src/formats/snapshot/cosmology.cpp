// SPDX-License-Identifier: Apache-2.0
#include "cosmology.hpp"

#include <apsis/core/text.hpp>

namespace apsis::formats {

std::string comoving_reason(CosmologyHeader const& header) {
  if (header.scale_factor != 1.0) return "Scale-factor is not 1";
  if (header.redshift != 0.0) return "Redshift is not 0";
  // Some generators of initial conditions write the scale factor and no redshift.
  bool const is_box = header.box_size != 0.0 && header.omega0 != 0.0;
  if (is_box && header.time > 0.0 && header.time < 1.0) {
    return "a BoxSize, Omega0 and Time " + shortest(header.time) + ", a scale factor";
  }
  return "";
}

std::vector<std::string> unused_cosmology(CosmologyHeader const& header) {
  std::vector<std::string> words;
  if (header.box_size != 0.0) {
    words.push_back("Header/BoxSize: Apsis has no periodic boundaries");
  }
  if (header.omega_lambda != 0.0 || header.omega0 != 0.0) {
    words.push_back("Header: a cosmology; values are read without factors of a");
  }
  return words;
}

}  // namespace apsis::formats
