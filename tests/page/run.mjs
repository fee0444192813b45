// SPDX-License-Identifier: Apache-2.0
// Runs all tests of the page in this process, which has one browser: `node run.mjs`.

import './functions.test.mjs';
import './page.test.mjs';
import './phone.test.mjs';
import './planets.test.mjs';
import './simulator.test.mjs';
