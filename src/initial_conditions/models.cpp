// SPDX-License-Identifier: Apache-2.0
#include "entries.hpp"

namespace apsis::initial_conditions {

std::vector<ModelEntry> const& models() {
  static std::vector<ModelEntry> const table{plummer_entry(), cuda_random_entry(),
                                             cuda_shell_entry(), cuda_expand_entry()};
  return table;
}

ModelEntry const& listed() {
  static ModelEntry const entry = listed_entry();
  return entry;
}

std::vector<Parameter> with_count_and_seed(std::vector<Parameter> own) {
  own.insert(own.begin(),
             {integer("count", "number of bodies").at_least(0).at_most(0x1p53).needed(),
              integer("seed", "of the random numbers; the same seed gives the same bodies")
                  .at_least(0)
                  .at_most(0x1p53)
                  .or_else(std::int64_t{0})});
  return own;
}

std::int64_t requested_count(Values const& values) {
  return values.integer("count");
}

std::uint64_t requested_seed(Values const& values) {
  return static_cast<std::uint64_t>(values.integer("seed"));
}

}  // namespace apsis::initial_conditions
