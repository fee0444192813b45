// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace apsis::render {

/// Quantity shown by colours: the density of light, or a property of each body.
enum class ColourBy { density, speed, mass, species, id };

/// Amount of light per body: equal for all bodies, or proportional to mass.
enum class Weight { bodies, mass };

/// Mapping of light to brightness: linear; or compressed so that faint and bright regions are
/// visible together, asinh(30 x) / asinh(30) (Lupton et al. 2004, PASP 116, 133) or log(1 + 1000 x)
/// / log(1001).
enum class Stretch { linear, asinh, log };

}  // namespace apsis::render
