# SPDX-License-Identifier: Apache-2.0
"""Simulations in the process of Python, by the extension `_apsis`."""
