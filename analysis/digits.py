# SPDX-License-Identifier: Apache-2.0
"""Format of printed numbers: six significant digits, or all digits on request. Imports no library."""

_settings = {"all": False}


def print_all(chosen):
    """Chooses between all digits and six."""
    _settings["all"] = bool(chosen)


def shown(value):
    """Returns a number as text: six significant digits, or as many as tell it from every other number."""
    value = float(value)
    return repr(value) if _settings["all"] else f"{value:.6g}"
