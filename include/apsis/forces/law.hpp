// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstddef>
#include <type_traits>

namespace apsis::forces {

/// What TileLoop needs to know of a law between pairs of bodies:
///   Real, Source                 the arithmetic; a staged source, trivially copyable
///   Target, Sum, Total           what a target is, what is summed for it over a tile and in all
///   source(j)                    reads a source
///   set(target, lane, i)         puts the target of row i into one lane
///   add(sum, target, source)     one interaction per lane
///   store(row, total, lane)      keeps the total of one lane
///   sees_self                    whether a body's own part is to be told from the others'; then
///   add_but_self(sum, target, source, offset)  leaves out the lane numbered `offset`, and
///   self(i)                      is the source that the target of row i is, which those in the
///                                rows behind it follow unless they are scattered()
template <class Law, class Lanes>
concept SweepLaw = std::is_trivially_copyable_v<typename Law::Source> &&
    requires(Law const& law, typename Law::template Target<Lanes>& target,
             typename Law::template Sum<Lanes>& sum, typename Law::Source const& source) {
  { law.source(std::size_t{}) } -> std::same_as<typename Law::Source>;
  law.set(target, 0, std::size_t{});
  law.add(sum, target, source);
  requires !Law::sees_self || requires {
    law.add_but_self(sum, target, source, std::ptrdiff_t{});
    { law.self(std::size_t{}) } -> std::same_as<std::ptrdiff_t>;
    { law.scattered() } -> std::same_as<bool>;
  };
};

/// What PanelLoop needs beside that, to meet each pair once:
///   Heavy, Sources               a target that also pulls; one source for each lane
///   set_heavy(target, lane, i, pulls)  body i, with its mass or without
///   add_both(sum, back, target, sources)  one interaction per lane, and its reaction
///   pass_on(sum, pass)           calls `pass` for each number of a sum
///   store<true>(row, total, lane)  adds to what the row holds
template <class Law, class Lanes>
concept MutualLaw = SweepLaw<Law, Lanes> &&
    requires(Law const& law, typename Law::template Heavy<Lanes>& target,
             typename Law::template Sum<Lanes>& sum,
             typename Law::template Sources<Lanes> const& sources) {
  law.set_heavy(target, 0, std::size_t{}, true);
  law.add_both(sum, sum, target, sources);
};

}  // namespace apsis::forces
