// SPDX-License-Identifier: Apache-2.0
#include "support/relative.hpp"

using apsis::testing::approximately;

TEST_CASE("approximately() compares with a relative tolerance at every magnitude") {
  for (double const scale : {1e-300, 1e-9, 1.0, 1e9, 1e300}) {
    CAPTURE(scale);
    CHECK(1.009 * scale == approximately(scale, 0.01));
    CHECK(1.011 * scale != approximately(scale, 0.01));
    CHECK(-1.009 * scale == approximately(-scale, 0.01));
    CHECK(-1.011 * scale != approximately(-scale, 0.01));
    CHECK(-scale != approximately(scale, 0.01));
    CHECK(0.0 != approximately(scale, 0.01));
  }
}
