# SPDX-License-Identifier: Apache-2.0
"""Density and velocity dispersion of the spheres that a deck can request.

Each is a density on a table of radii; its mass, its dispersion (isotropic Jeans equation: Binney & Tremaine 2008,
equation 4.216) and its scale in Henon units follow by integration.
"""
import math
from types import SimpleNamespace

import numpy as np

NODES = 3000


def running(y, x):
    """Returns the integral of y dx from the first point to each, by the trapezoidal rule."""
    return np.concatenate([[0.0], np.cumsum(0.5 * (y[1:] + y[:-1]) * np.diff(x))])


def plummer(section):
    """Plummer 1911. The sphere is truncated; its velocities are those of the infinite one (Aarseth, Henon & Wielen 1974)."""
    a = section["scale_radius"]
    r = a * np.geomspace(1e-4, 1e4, NODES)
    return r, (1 + (r / a) ** 2) ** -2.5, section["truncation"] * a


def cusp(inner, outer):
    """Double power law, truncated by sech(r / r_t)."""
    def density(section):
        a, cut = section["scale_radius"], section["truncation"] * section["scale_radius"]
        r = np.geomspace(1e-5 * a, min(40 * cut, 1e6 * a), NODES)
        return r, (r / a) ** -inner * (1 + r / a) ** (inner - outer) / np.cosh(r / cut), r[-1]
    return density


def uniform_sphere(section):
    r = section["radius"] * np.linspace(1e-3, 1.0, NODES)
    return r, np.ones(NODES), r[-1]


def king_density(W):
    """King 1966, as a function of the potential over the squared velocity scale."""
    if W < 0.05:  # the terms below cancel; two terms of their series
        return 8 / (15 * math.sqrt(math.pi)) * max(W, 0.0) ** 2.5 * (1 + 2 * max(W, 0.0) / 7)
    return math.exp(W) * math.erf(math.sqrt(W)) - math.sqrt(4 * W / math.pi) * (1 + 2 * W / 3)


def king_table(W0, steps=2000):
    """Returns radii in core radii and densities over the central one: s = R^2 and the mean density mu as functions of W, by
    Poisson's equation, ds/dW = -2 / (9 mu) and dmu/dW = (1 - rho / (3 mu)) / (3 s), with Runge-Kutta steps."""
    centre = king_density(W0)

    def slope(W, s, mu):
        if s == 0.0:
            change = (centre + math.sqrt(4 * W0 / math.pi) * (2 / 3) * W0) / centre
            return -2 / (9 * mu), 0.2 * change
        return -2 / (9 * mu), (1 - king_density(W) / centre / (3 * mu)) / (3 * s)

    h, s, mu, W = -W0 / steps, 0.0, 1 / 3, W0
    radii, densities = [], []
    for i in range(steps):
        a = slope(W, s, mu)
        b = slope(W + h / 2, s + h / 2 * a[0], mu + h / 2 * a[1])
        c = slope(W + h / 2, s + h / 2 * b[0], mu + h / 2 * b[1])
        d = slope(W + h, s + h * c[0], mu + h * c[1])
        s += h / 6 * (a[0] + 2 * b[0] + 2 * c[0] + d[0])
        mu += h / 6 * (a[1] + 2 * b[1] + 2 * c[1] + d[1])
        W = W0 * (steps - i - 1) / steps
        radii.append(math.sqrt(s))
        densities.append(king_density(W) / centre)
    return np.array(radii), np.array(densities)


def king(section):
    """Returns a King model with the core, half-mass or virial radius of the deck, or a virial radius of 1."""
    r, density = king_table(section["W0"])
    if "core_radius" in section:
        scale = section["core_radius"]
    else:
        shape = integrated(r, density, 1.0, 1.0)
        if "half_mass_radius" in section:
            scale = section["half_mass_radius"] / np.interp(0.5, shape.mass, r)
        else:
            scale = section.get("virial_radius", 1.0) * 2 * -shape.potential_energy
    return r * scale, density, r[-1] * scale


MODELS = {"plummer": plummer, "hernquist": cusp(1, 4), "jaffe": cusp(2, 4), "nfw": cusp(1, 3), "king": king,
          "uniform_sphere": uniform_sphere}
SOURCES = {"plummer": "Plummer 1911", "hernquist": "Hernquist 1990", "jaffe": "Jaffe 1983", "king": "King 1966",
           "nfw": "Navarro, Frenk & White 1996", "uniform_sphere": "uniform sphere at the start"}


def integrated(r, density, total, G, edge=None):
    """Returns the model whose mass inside `edge` (or whole mass) is `total`."""
    shell = 4 * np.pi * density * r ** 2
    slope = np.log(density[1] / density[0]) / np.log(r[1] / r[0]) if density[0] > 0 else 0.0
    mass = running(shell, r) + shell[0] * r[0] / (3 + slope)
    factor = total / np.interp(edge or r[-1], r, mass)
    density, mass = density * factor, mass * factor
    pull = density * G * mass / r ** 2
    pressure = -running(pull[::-1], r[::-1])[::-1]  # from the outside, where it is small
    with np.errstate(divide="ignore", invalid="ignore"):
        dispersion = np.sqrt(np.where(density > 0, pressure / density, 0.0))
    inside = r <= (edge or r[-1]) * (1 + 1e-12)
    work = running((pull * 4 * np.pi * r ** 3)[inside], r[inside])[-1]
    return SimpleNamespace(radius=r[inside], density=density[inside], mass=mass[inside], dispersion=dispersion[inside],
                           potential_energy=-work)


def model_of(bodies, total, G):
    """Returns the model of a deck's `bodies` with this mass: radius, density, mass inside, dispersion (in one dimension), arrays of
    (nodes,), and `source`. None if the generator has no curve."""
    name = bodies.get("generator")
    if name not in MODELS:
        return None
    try:
        r, density, edge = MODELS[name](bodies)
        return scaled(integrated(r, density, total, G, edge), bodies, total, G)
    except (KeyError, TypeError, ValueError, ArithmeticError):
        return None  # a deck of another version with unknown parameters


def scaled(model, bodies, total, G):
    """Returns the model in the deck's units, with its source."""
    name = bodies["generator"]
    if name == "uniform_sphere":  # velocities are drawn at random, not from an equilibrium
        sigma = math.sqrt(0.4 * bodies.get("virial_ratio", 0.0) * G * total / bodies["radius"])
        model.dispersion = np.full(len(model.radius), sigma)
    elif "virial_ratio" in bodies:  # equilibria have 1/2
        model.dispersion = model.dispersion * math.sqrt(2 * bodies["virial_ratio"])
    if bodies.get("henon_units"):  # the potential energy is -1/2; the virial ratio 1/2, except for that sphere
        scale = 2 * -model.potential_energy / total ** 2 / G
        model.radius, model.density = model.radius * scale, model.density / scale ** 3
        model.dispersion = model.dispersion / math.sqrt(scale)
    model.source = SOURCES[name]
    return model
