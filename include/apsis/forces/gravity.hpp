// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/bodies/host_bodies.hpp>
#include <apsis/core/registry.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace apsis::forces {

/// Value of the deck key gravity.softening_kernel.
enum class SofteningKernel { plummer, spline, wendland_c2, none };

struct SofteningEntry {
  SofteningKernel kernel;
  std::string name;
  std::string doc;
  std::vector<std::string> cite{};  ///< keys of the works to cite, of citations()
};

/// All softening kernels, the default first.
Registry<SofteningEntry> const& softening_kernels();

/// A softening length for each species [length], >= 0.
using SpeciesSoftening = std::array<double, species_types::count>;

/// Parameters of gravity of a run.
struct Gravity {
  double G = 1.0;          ///< [length^3 / (mass time^2)]
  double softening = 0.0;  ///< softening length eps [length], >= 0; 0: Newton's law
  SofteningKernel softening_kernel = SofteningKernel::plummer;
  /// Softening lengths by species instead of `softening`, as the particle types of GADGET have
  /// them. The larger length of a pair applies to both bodies, so their forces are opposite.
  std::optional<SpeciesSoftening> softening_by_species{};

  double softening_of(std::uint8_t species) const {
    return softening_by_species ? (*softening_by_species)[species] : softening;
  }
  /// Softening length of a pair of bodies of these species.
  double pair_softening(std::uint8_t first, std::uint8_t second) const {
    return std::max(softening_of(first), softening_of(second));
  }
  /// Returns this gravity with one softening length for all bodies.
  Gravity with_one_length(double eps) const { return {G, eps, softening_kernel}; }
};

/// Smallest softening length above 0 of all species, or 0 if there is none [length]: the scale of
/// steps that resolve the softened force of every species.
inline double smallest_softening_length(Gravity const& gravity) {
  if (!gravity.softening_by_species) return gravity.softening;
  double smallest = 0.0;
  for (double const eps : *gravity.softening_by_species) {
    if (eps > 0.0 && !(smallest > 0.0 && smallest <= eps)) smallest = eps;
  }
  return smallest;
}

/// The different softening lengths of all species, rising [length].
inline std::vector<double> distinct_softening_lengths(SpeciesSoftening by_species) {
  std::sort(by_species.begin(), by_species.end());
  return {by_species.begin(), std::unique(by_species.begin(), by_species.end())};
}

/// Largest softening length of all species [length].
inline double largest_softening_length(Gravity const& gravity) {
  auto const& by_species = gravity.softening_by_species;
  return by_species ? *std::max_element(by_species->begin(), by_species->end()) : gravity.softening;
}

/// Whether sources have a finite size instead of being points.
inline bool has_size(Gravity const& gravity) {
  bool const compact = gravity.softening_kernel == SofteningKernel::spline ||
                       gravity.softening_kernel == SofteningKernel::wendland_c2;
  return compact && largest_softening_length(gravity) > 0;
}

/// Relative errors of accelerations that a solver controls.
struct ForceErrors {
  double requested;  ///< requested 99th percentile
  double measured;   ///< 99th percentile of the last sample; 0: the last sweep summed all pairs
  double worst;      ///< largest value of all samples
};

}  // namespace apsis::forces
