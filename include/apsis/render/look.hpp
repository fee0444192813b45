// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace apsis::render {

/// What colours show: the density of light, or of each body a property.
enum class ColourBy { density, speed, mass, species, id };

/// How much light a body gives: all the same, or by its mass.
enum class Weight { bodies, mass };

/// How light becomes brightness: in proportion; or so that the faint is seen beside the bright,
/// asinh(30 x) / asinh(30) (Lupton et al. 2004, PASP 116, 133) or log(1 + 1000 x) / log(1001).
enum class Stretch { linear, asinh, log };

}  // namespace apsis::render
