// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstddef>
#include <type_traits>

namespace apsis::forces {

/// Requirements of TileLoop on a law between pairs of bodies:
///   Real, Source                 the arithmetic; a staged source, trivially copyable
///   Target, Sum, Total           a target; its sum over one tile; its total
///   source(j)                    reads source j
///   set(target, lane, i)         loads the target of row i into one lane
///   add(sum, target, source)     one interaction per lane
///   store(row, total, lane)      stores the total of one lane
///   excludes_self                whether a body's interaction with itself must be excluded; then
///   add_excluding_self(sum, target, source, offset)  excludes the lane `offset`, and
///   self_source(i)               is the source index of the target of row i; consecutive rows are
///                                consecutive sources unless is_scattered()
template <class Law, class Lanes>
concept SweepLaw = std::is_trivially_copyable_v<typename Law::Source> &&
    requires(Law const& law, typename Law::template Target<Lanes>& target,
             typename Law::template Sum<Lanes>& sum, typename Law::Source const& source) {
  { law.source(std::size_t{}) } -> std::same_as<typename Law::Source>;
  law.set(target, 0, std::size_t{});
  law.add(sum, target, source);
  requires !Law::excludes_self || requires {
    law.add_excluding_self(sum, target, source, std::ptrdiff_t{});
    { law.self_source(std::size_t{}) } -> std::same_as<std::ptrdiff_t>;
    { law.is_scattered() } -> std::same_as<bool>;
  };
};

/// Additional requirements of PanelLoop, which evaluates each pair once:
///   MassiveTarget, Sources       a target that is also a source; one source for each lane
///   set_massive(target, lane, i, has_mass)  body i, with its mass or without
///   add_mutual(sum, reaction, target, sources)  one interaction per lane, and its reaction
///   transform(sum, f)            replaces each component x of a sum by f(x)
///   store<true>(row, total, lane)  adds to the stored value of the row
template <class Law, class Lanes>
concept MutualLaw = SweepLaw<Law, Lanes> &&
    requires(Law const& law, typename Law::template MassiveTarget<Lanes>& target,
             typename Law::template Sum<Lanes>& sum,
             typename Law::template Sources<Lanes> const& sources) {
  law.set_massive(target, 0, std::size_t{}, true);
  law.add_mutual(sum, sum, target, sources);
};

}  // namespace apsis::forces
