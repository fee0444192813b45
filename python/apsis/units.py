# SPDX-License-Identifier: Apache-2.0
"""Units of runs and files, and their names in text and on the axes of pictures. Imports no library."""
from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from .attributes import no_attribute
from .errors import INPUT, make_error

# Units defined by a deck are written as `86400 s`; these have shorter names.
NAMES = {"m": {149597870700.0: "au", 3.0856775814913673e16: "pc", 3.0856775814913673e19: "kpc", 1e3: "km", 1.0: "m"},
         "s": {86400.0: "d", 31557600.0: "yr", 3.15576e13: "Myr", 3.15576e16: "Gyr", 1.0: "s"},
         "kg": {1.98841e30: "Msun", 1.0: "kg"}}
LONG = 30  # characters of a label on one line


@dataclass(frozen=True)
class Units:
    """Names of the units of numbers, "" for numbers without units.

        apsis.Units("solar")                                       # au, Msun, yr
        apsis.Units(length="au", mass="Msun", time="day")          # of your own

    system: "henon", "dimensionless", "astrophysical", "solar", or "custom", which is that of names without a system; length, mass,
    time, velocity: "pc", "Msun", "Myr", "pc Myr^-1"; a unit without a name has its size, "(3e20 cm)". Names that contradict a system
    are refused with BadInput.
    """

    system: str = ""
    length: str = ""
    mass: str = ""
    time: str = ""
    velocity: str = ""

    def __post_init__(self):
        given = {name: getattr(self, name) for name in ("length", "mass", "time") if getattr(self, name)}
        # A system has its names. "custom" is that of names alone, "henon" that of nothing.
        system = self.system or ("custom" if given or self.velocity else "henon")
        if system != "custom" and system not in SYSTEMS:
            raise make_error(INPUT, f"units: unknown system '{system}'; {ADVICE}")
        if system in SYSTEMS:
            for name, own in zip(("length", "mass", "time"), SYSTEMS[system]):
                if name in given and canonical(given[name]) != own:
                    raise make_error(INPUT, f"units: {name} '{given[name]}' contradicts the system '{system}' (there it is "
                                     f"'{own or 'without a unit'}'); leave the system out, or the {name}")
                object.__setattr__(self, name, own)
        object.__setattr__(self, "system", system)
        if not self.velocity and self.length and self.time:
            object.__setattr__(self, "velocity", f"{self.length} {self.time}^-1")

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            raise no_attribute(self, name)

    @classmethod
    def make(cls, units: str | Units) -> Units:
        """Returns the units of a system by its name: "henon", "dimensionless", "astrophysical", "solar"."""
        if isinstance(units, Units):
            return units
        if units not in SYSTEMS:
            raise make_error(INPUT, f"units: unknown system '{units}'; {ADVICE}")
        return cls(units)

    @classmethod
    def of_names(cls, length: str, mass: str, time: str, *, system: str = "custom") -> Units:
        """Returns units by their names; the unit of velocity follows."""
        return cls(system, length, mass, time)

    def section(self) -> dict[str, str]:
        """Returns the section `units` of a deck."""
        if self.system != "custom":
            return {"system": self.system}
        names = {name: getattr(self, name).strip("()") for name in ("length", "mass", "time")}
        return {name: "day" if unit == "d" else unit for name, unit in names.items() if unit}

    def are_same(self, other: Units) -> bool:
        """Whether numbers in both have the same meaning, however the units are named."""
        return all(canonical(getattr(self, name)) == canonical(getattr(other, name)) for name in ("length", "mass", "time"))

    @property
    def are_known(self) -> bool:
        """Whether the numbers have units."""
        return bool(self.length and self.mass and self.time)

    def words(self) -> str:
        """Returns the units in the words that text files and `convert` understand."""
        names = (getattr(self, kind).strip("()") for kind in ("length", "mass", "time"))
        return ", ".join(f"{kind} {name}" for kind, name in zip(("length", "mass", "time"), names))


ADVICE = 'use one of henon, dimensionless, astrophysical, solar, or name all three: Units(length="au", mass="Msun", time="yr")'
SYSTEMS = {"henon": ("", "", ""), "dimensionless": ("", "", ""), "astrophysical": ("pc", "Msun", "Myr"), "solar": ("au", "Msun", "yr")}


def leading_number(unit):
    """Returns the leading number of a unit and the rest; None and the unit if there is none."""
    first, _, rest = unit.partition(" ")
    try:
        return float(first), rest
    except ValueError:
        return None, unit


def named(unit):
    """Returns the unit without a number if it has a name; otherwise the number, with few digits, in brackets with it."""
    value, rest = leading_number(unit)
    if value is None:
        return unit
    near = [name for size, name in NAMES.get(rest, {}).items() if abs(value / size - 1) < 1e-4]
    return near[0] if near else f"({value:.4g} {rest})"


def exact_name(unit: str) -> str:
    """Returns the name of a unit that is given by its size, "30856775814913672 m": "pc"; the size with all digits without one."""
    value, rest = leading_number(unit)
    near = [name for size, name in NAMES.get(rest, {}).items() if value and abs(value / size - 1) < 2e-7]
    return near[0] if near else unit


def canonical(unit: str) -> str:
    """Returns a unit as `NAMES` has it: "day", "86400 s" and "d" are "d"."""
    unit = unit.strip("()")
    return exact_name({"day": "d", "days": "d", "year": "yr", "years": "yr", "parsec": "pc", "sun": "Msun"}.get(unit, unit))


def units_of_section(section: Any) -> Units:
    """Returns the units of the section `units` of a deck; those without names if it is not one that states them."""
    if not isinstance(section, Mapping):
        return Units()
    if section.get("system") in SYSTEMS:
        return Units(section["system"])
    names = [str(section.get(kind, "")) for kind in ("length", "mass", "time")]
    return Units("custom", *(f"{name} {unit}" if is_number(name) else name for name, unit in zip(names, ("m", "kg", "s"))))


def is_number(word: str) -> bool:
    return leading_number(word)[0] is not None and " " not in word


def has_name(unit):
    """Whether a unit has a name, other than `mass length^2 time^-1`."""
    return any(word.partition("^")[0] not in ("length", "mass", "time") for word in unit.split())


def spoken(unit):
    """Returns a blank and the unit, to follow a number; nothing for units without names."""
    return f" {named(unit)}" if has_name(unit) else ""


def pretty(unit, system=""):
    """Formats `pc Myr^-1` with superscripts; units without names by the system's names."""
    if not has_name(unit):
        return "Henon units" if system == "henon" and unit else ""
    short = named(unit).strip("()")
    value, rest = leading_number(short)
    raised = [base.replace("$", r"\$") + (f"$^{{{power}}}$" if power else "") for base, _, power in
              (word.partition("^") for word in rest.split())]
    if value is not None:
        digits, _, power = f"{value:.4g}".partition("e")
        raised.insert(0, digits + (f"×10$^{{{int(power)}}}$" if power else ""))
    return " ".join(raised).replace("Msun", "M$_\\odot$")


def label(text, unit, system=""):
    """Returns `text [unit]`, in two lines if that is long, `text` alone without unit."""
    shown = pretty(unit, system)
    between = "\n" if len(text) + len(shown) > LONG and leading_number(unit)[0] is not None else " "
    return f"{text}{between}[{shown}]" if shown else text


def shared(units):
    """Returns the common unit of all, or none."""
    units = set(units)
    return units.pop() if len(units) == 1 else ""
