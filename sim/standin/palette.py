"""The colours of the stand-in kitchens, and the random streams that choose among them.

Colours are sRGB triples in 0-255, as in a swatch book; `unit` turns one into MuJoCo's [0, 1].
"""

import hashlib

import numpy as np

from sim.standin.mjcf import Model

Colour = tuple[int, int, int]

PAINT: dict[str, Colour] = {
    "white": (238, 237, 233),
    "warm white": (234, 228, 216),
    "cream": (227, 216, 194),
    "greige": (190, 181, 167),
    "light grey": (203, 204, 202),
    "grey": (149, 151, 151),
    "charcoal": (70, 73, 76),
    "black": (38, 38, 40),
    "sage": (157, 170, 150),
    "forest": (66, 86, 74),
    "navy": (45, 59, 84),
    "dusty blue": (131, 150, 165),
    "pale blue": (187, 202, 210),
    "teal": (86, 115, 117),
    "blush": (221, 204, 193),
    "clay": (173, 128, 105),
}

WOOD: dict[str, Colour] = {
    "birch": (219, 194, 158),
    "oak": (190, 152, 107),
    "honey oak": (178, 128, 80),
    "ash": (165, 155, 141),
    "walnut": (109, 79, 57),
    "smoked oak": (82, 62, 49),
    "cherry": (143, 90, 62),
}

STONE: dict[str, Colour] = {
    "white": (229, 227, 222),
    "ivory": (217, 208, 191),
    "sand": (196, 183, 161),
    "grey": (164, 164, 161),
    "slate": (95, 100, 104),
    "soapstone": (66, 71, 73),
    "black": (44, 45, 48),
    "green": (92, 111, 99),
    "terracotta": (181, 113, 81),
    "brick": (150, 84, 65),
}

METAL: dict[str, Colour] = {
    "steel": (196, 198, 201),
    "brass": (181, 149, 88),
    "black": (52, 53, 55),
}

ENAMEL: tuple[Colour, ...] = (  # the bodies of appliances, steel twice because it is the commonest
    (200, 203, 206),
    (188, 191, 194),
    (236, 236, 234),
    (40, 41, 44),
    (92, 95, 99),
    (238, 233, 222),
)

ACCENT: tuple[Colour, ...] = (  # crockery, pots and small appliances
    (233, 229, 220),
    (196, 117, 86),
    (120, 141, 122),
    (66, 84, 112),
    (198, 166, 96),
    (128, 148, 160),
    (92, 96, 100),
    (170, 78, 66),
)


def stream(key: str) -> np.random.Generator:
    """Return the random stream of `key`: the same on every machine, whatever PYTHONHASHSEED is."""
    return np.random.default_rng(int.from_bytes(hashlib.sha256(key.encode()).digest()[:8], "big"))


def darker(colour: Colour, shade: float) -> Colour:
    """Return `colour` multiplied by `shade` < 1."""
    red, green, blue = colour
    return int(red * shade), int(green * shade), int(blue * shade)


def unit(colour: Colour, shade: float = 1.0) -> tuple[float, float, float]:
    """Return `colour` in [0, 1], multiplied by `shade`."""
    red, green, blue = (min(1.0, part * shade / 255) for part in colour)
    return red, green, blue


def add_materials(model: Model) -> np.random.Generator:
    """Give `model` the common materials and return its own random stream.

    body, accent and wood are chosen by the model's name; the others are the same everywhere.
    """
    rng = stream(model.name)
    model.material("body", unit(ENAMEL[rng.integers(len(ENAMEL))]), gloss=0.5)
    model.material("accent", unit(ACCENT[rng.integers(len(ACCENT))], rng.uniform(0.94, 1.04)), gloss=0.4)
    model.material("wood", unit(list(WOOD.values())[rng.integers(len(WOOD))]), gloss=0.2)
    model.material("inner", (0.88, 0.89, 0.90))
    model.material("dark", (0.085, 0.085, 0.09), gloss=0.5)
    model.material("metal", unit((190, 193, 196)), gloss=0.6)
    model.material("ring", (0.33, 0.33, 0.34), gloss=0.5)
    model.material("chrome", unit((214, 217, 220)), gloss=0.9)
    model.material("glass", (0.20, 0.23, 0.25, 0.45), gloss=0.8)
    model.material("pane", (0.80, 0.87, 0.92, 0.25), gloss=0.8)
    model.material("white", (0.94, 0.94, 0.93))
    model.material("red", (0.70, 0.16, 0.13))
    model.material("green", (0.24, 0.52, 0.30))
    return rng
