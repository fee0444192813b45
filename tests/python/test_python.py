#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests the Python module: decks, runs, bodies, ensembles, and the words of its errors.

    test_python.py SOURCE EXECUTABLE WORK
"""
import importlib
import sys
import traceback

sys.dont_write_bytecode = True
from harness import failures  # noqa: E402  before the others: it makes the module available

# Each module tests when it is imported; the last one reads the texts of all errors.
for name in ("decks", "runs", "bodies", "ensembles", "module", "messages"):
    try:
        importlib.import_module(name)
    except Exception:
        failures.append(f"{name}.py ends early: {traceback.format_exc()}")

for failure in failures:
    print(f"FAILED: {failure}")
sys.exit(1 if failures else 0)
