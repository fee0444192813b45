# SPDX-License-Identifier: Apache-2.0
"""Units as the files name them, for lines of text and for the axes of pictures."""


def has_name(unit):
    """Whether it is more than `mass length^2 time^-1`, as units without names are written."""
    return any(word.partition("^")[0] not in ("length", "mass", "time") for word in unit.split())


def spoken(unit):
    """A blank and the unit, for after a number; nothing for units without names."""
    return f" {unit}" if has_name(unit) else ""


def pretty(unit, system=""):
    """`pc Myr^-1` with raised exponents; units without names by the system's."""
    if not has_name(unit):
        return "Henon units" if system == "henon" and unit else ""
    raised = [base.replace("$", r"\$") + (f"$^{{{power}}}$" if power else "") for base, _, power in
              (word.partition("^") for word in unit.split())]
    return " ".join(raised).replace("Msun", "M$_\\odot$")


def label(text, unit, system=""):
    """`text [unit]`, `text` alone if it has none."""
    shown = pretty(unit, system)
    return f"{text} [{shown}]" if shown else text


def shared(units):
    """The unit that all have, or none."""
    units = set(units)
    return units.pop() if len(units) == 1 else ""
