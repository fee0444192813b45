// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/bodies/host_bodies.hpp>
#include <apsis/core/saved_state.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace apsis::simulation {

/// Species and names of all bodies of a run: one per body ("" for no name), or none at all. Only
/// the leader rank has them. They never change, so copies of the bodies share them.
class BodyLabels {
 public:
  using Species = std::vector<std::uint8_t>;
  using Names = std::vector<std::string>;

  void set_species(Species species, std::size_t bodies);
  void set_names(Names names, std::size_t bodies);
  std::shared_ptr<Species const> const& species() const { return species_; }
  std::shared_ptr<Names const> const& names() const { return names_; }

  void exchange(SavedState& state, std::size_t bodies);

 private:
  std::shared_ptr<Species const> species_ = std::make_shared<Species const>();
  std::shared_ptr<Names const> names_ = std::make_shared<Names const>();
};

}  // namespace apsis::simulation
