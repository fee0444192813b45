// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "softening.hpp"
#include <apsis/forces/gravity.hpp>

namespace apsis::forces {

/// Softening laws that a kernel is compiled for: choose(gravity, run) calls run<Softening>() with
/// the law of a gravity. Here Newton's law with a modified distance.
struct Pointlike {
  template <class Function>
  static void choose(Gravity const& gravity, Function const& run) {
    if (gravity.softening > 0.0) {
      run.template operator()<PlummerSoftening>();
    } else {
      run.template operator()<NoSoftening>();
    }
  }
};
/// Sources of finite size.
struct Compact {
  template <class Function>
  static void choose(Gravity const& gravity, Function const& run) {
    if (gravity.softening_kernel == SofteningKernel::spline) {
      run.template operator()<SplineSoftening>();
    } else {
      run.template operator()<WendlandSoftening>();
    }
  }
};
struct AnySoftening {
  template <class Function>
  static void choose(Gravity const& gravity, Function const& run) {
    if (gravity.softening > 0.0 && has_size(gravity)) {
      Compact::choose(gravity, run);
    } else {
      Pointlike::choose(gravity, run);
    }
  }
};

/// Calls `function` with the softening law of a gravity, in double precision.
template <class Function>
void with_softening(Gravity const& gravity, Function const& function) {
  AnySoftening::choose(gravity, [&]<template <class> class Softening>() {
    function(Softening<double>::make(gravity.softening));
  });
}

}  // namespace apsis::forces
