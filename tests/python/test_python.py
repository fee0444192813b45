#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests the Python module: decks, runs, bodies, ensembles, and the words of its errors.

    test_python.py SOURCE EXECUTABLE WORK
"""
import sys

sys.dont_write_bytecode = True
from harness import failures  # noqa: E402  before the others: it makes the module available
# Each module tests when it is imported.
import decks  # noqa: E402, F401
import runs  # noqa: E402, F401
import bodies  # noqa: E402, F401
import ensembles  # noqa: E402, F401
import module  # noqa: E402, F401
import messages  # noqa: E402, F401  last: it reads the texts of all errors

for failure in failures:
    print(f"FAILED: {failure}")
sys.exit(1 if failures else 0)
