// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/bodies/share.hpp>
#include <apsis/core/context.hpp>
#include <apsis/forces/request.hpp>

#include <algorithm>
#include <cstddef>
#include <vector>

/// Pairs of panels that processes share. Each works through some of the pairs of a PanelLoop and
/// holds what they give to any bodies; then each gets what was given to its own.
namespace apsis::forces {

/// What the bodies begin ... begin + count - 1 get from a panel.
struct Fragment {
  std::size_t panel, begin, count;
};

/// Who has which pairs, numbered as PanelLoop numbers them: that of panels i < j is
/// j (j - 1) / 2 + i, and behind all of those come the pairs within a panel.
class PanelShares {
 public:
  PanelShares(std::size_t bodies, std::size_t panels, std::size_t length, std::size_t processes)
      : bodies_(bodies), panels_(panels), length_(length), processes_(processes) {}

  /// The number of the first pair of a process; that of the process behind the last is their count.
  /// Two panels on each other take four thirds of the time of one on itself, in both orders.
  std::size_t first_pair(std::size_t process) const {
    constexpr std::size_t between = 4, within = 3;
    std::size_t const mixed = panels_ * (panels_ - 1) / 2;
    std::size_t const work = (mixed * between + panels_ * within) * process / processes_;
    return work <= mixed * between ? work / between : mixed + (work - mixed * between) / within;
  }

  /// What a process finds for the bodies of another, in an order that both know.
  std::vector<Fragment> fragments(std::size_t from, std::size_t to) const {
    std::vector<Fragment> all;
    auto const own = share_of(bodies_, to, processes_);
    auto const add = [&](std::size_t panel, std::size_t of) {
      std::size_t const begin = std::max(of * length_, own.first);
      std::size_t const end = std::min({(of + 1) * length_, bodies_, own.first + own.count});
      if (begin < end) all.push_back({panel, begin, end - begin});
    };
    std::size_t const first = first_pair(from), last = first_pair(from + 1);
    std::size_t pair = 0;
    for (std::size_t j = 1; j < panels_; ++j) {
      for (std::size_t i = 0; i < j; ++i, ++pair) {
        if (pair < first || pair >= last) continue;
        add(i, j);
        add(j, i);
      }
    }
    for (std::size_t panel = 0; panel < panels_; ++panel, ++pair) {
      if (pair >= first && pair < last) add(panel, panel);
    }
    return all;
  }

 private:
  std::size_t bodies_, panels_, length_, processes_;
};

/// Gives every process what this one has for its bodies, and puts what it gets in its place in the
/// same columns: those of `rows`, which have one for each panel and body. Fences.
template <class Stored>
void exchange_panels(Context const& context, PanelShares const& shares, std::size_t bodies,
                     Field<Stored> const& rows);

extern template void exchange_panels(Context const&, PanelShares const&, std::size_t,
                                     Field<float> const&);
extern template void exchange_panels(Context const&, PanelShares const&, std::size_t,
                                     Field<double> const&);

}  // namespace apsis::forces
