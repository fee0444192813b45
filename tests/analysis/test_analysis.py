#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests apsis-analysis: printed numbers against the runs, pictures, and errors where there is nothing to draw.

    test_analysis.py ANALYSIS EXECUTABLE WORK
"""
import sys

sys.dont_write_bytecode = True
from harness import failures  # noqa: E402  before the others: it makes the package available
# Each module tests when it is imported.
import frames  # noqa: E402, F401
import results  # noqa: E402, F401
import readable  # noqa: E402, F401
import curves  # noqa: E402, F401
import refusals  # noqa: E402, F401

for failure in failures:
    print(f"FAILED: {failure}")
sys.exit(1 if failures else 0)
