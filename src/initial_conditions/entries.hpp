// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/initial_conditions/model.hpp>

/// The models, one function each; src/initial_conditions/models.cpp is their table.
namespace apsis::initial_conditions {

ModelEntry listed_entry();
ModelEntry plummer_entry();
ModelEntry cuda_random_entry();
ModelEntry cuda_shell_entry();
ModelEntry cuda_expand_entry();

/// `count` and `seed`, which every generator has.
std::vector<Parameter> with_count_and_seed(std::vector<Parameter> own);
std::int64_t requested_count(Values const& values);
std::uint64_t requested_seed(Values const& values);

}  // namespace apsis::initial_conditions
