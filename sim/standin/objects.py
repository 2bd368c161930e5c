"""Stand-ins for RoboCasa's loose objects, so that its own tasks load too. Metres.

The ten tasks of this program bring their own props.
"""

import math

import numpy as np

from sim.standin.mjcf import Model
from sim.standin.palette import ACCENT, stream, unit
from sim.standin.registries import ObjectCategory

MODELS_PER_CATEGORY = 2
_ROUND = {"drink", "condiment", "spice", "cleaner"}
_GROWN = {"fruit", "vegetable"}

TYPE_SIZE: dict[str, tuple[float, float, float]] = {
    "bread_food": (0.09, 0.09, 0.05),
    "cleaner": (0.07, 0.06, 0.18),
    "condiment": (0.055, 0.055, 0.15),
    "cooked_food": (0.09, 0.08, 0.05),
    "dairy": (0.08, 0.07, 0.08),
    "decoration": (0.08, 0.08, 0.12),
    "drink": (0.065, 0.065, 0.14),
    "fruit": (0.07, 0.07, 0.07),
    "iced_item": (0.04, 0.04, 0.04),
    "lid": (0.16, 0.16, 0.04),
    "meat": (0.10, 0.07, 0.04),
    "packaged_food": (0.09, 0.06, 0.13),
    "pastry": (0.08, 0.08, 0.05),
    "receptacle": (0.18, 0.18, 0.06),
    "spice": (0.045, 0.045, 0.10),
    "sweets": (0.08, 0.06, 0.05),
    "tool": (0.07, 0.05, 0.16),
    "utensil": (0.03, 0.16, 0.02),
    "vegetable": (0.07, 0.07, 0.08),
}

# What a name says about a receptacle, lid or tool; the first match counts.
NAME_SIZE: dict[str, tuple[float, float, float]] = {
    "cutting_board": (0.28, 0.20, 0.02),
    "oven_tray": (0.34, 0.28, 0.02),
    "colander": (0.20, 0.20, 0.09),
    "saucepan": (0.18, 0.18, 0.09),
    "basket": (0.26, 0.20, 0.10),
    "kettle": (0.16, 0.16, 0.18),
    "glass": (0.07, 0.07, 0.11),
    "plate": (0.22, 0.22, 0.025),
    "bowl": (0.16, 0.16, 0.065),
    "tray": (0.34, 0.24, 0.03),
    "box": (0.20, 0.15, 0.10),
    "cup": (0.08, 0.08, 0.09),
    "jug": (0.12, 0.12, 0.20),
    "mug": (0.085, 0.085, 0.09),
    "pan": (0.24, 0.24, 0.05),
    "pot": (0.20, 0.20, 0.12),
}


def _size(category: ObjectCategory) -> tuple[float, float, float]:
    if category.type in ("receptacle", "lid", "tool"):
        for word, size in NAME_SIZE.items():
            if word in category.name:
                return size
    return TYPE_SIZE.get(category.type, (0.07, 0.07, 0.09))


def build_object(category: ObjectCategory, name: str) -> Model:
    """Build one object of a category; RoboCasa multiplies by the category's scale, so this divides by it."""
    model, rng = Model(name), stream(name)
    scale = np.array(category.scale)
    width, depth, height = np.array(_size(category)) * rng.uniform(0.85, 1.12, 3) / scale
    colour = ACCENT[stream(category.name).integers(len(ACCENT))]
    shade = rng.uniform(0.9, 1.06)
    model.material("body", unit(colour, shade), gloss=0.4)
    model.material("trim", unit(colour, shade * 0.65))
    model.extent(width, depth, height, name="bbox")

    if category.type == "receptacle" and "board" not in category.name:
        _bowl(model, width, depth, height, min(0.006 / scale[0], height * 0.2))
    elif category.type in _ROUND:
        radius = min(width, depth) / 2
        model.cylinder((0, 0, -height * 0.1), radius, height * 0.4)
        model.cylinder((0, 0, height * 0.4), radius * 0.55, height * 0.1, "trim")
    elif category.type in _GROWN:
        stem = 0.004 / scale[2]
        model.geom("ellipsoid", (0, 0, 0), (width / 2, depth / 2, height / 2))
        model.cylinder((0, 0, height / 2 - stem), stem, stem, "trim", solid=False)
    elif category.type == "utensil":
        model.box((0, 0, 0), (width / 5, depth / 2, height * 0.3))
        model.box((0, depth * 0.375, 0), (width / 2, depth / 8, height / 2), "trim")
    else:
        model.box((0, 0, 0), (width / 2, depth / 2, height / 2))
        model.box((0, -depth / 2, 0), (width * 0.35, 0.0008, height * 0.3), "trim", solid=False)
    return model


def _bowl(model: Model, width: float, depth: float, height: float, wall: float, sides: int = 10) -> None:
    model.box((0, 0, -height / 2 + wall / 2), (width * 0.45, depth * 0.45, wall / 2))
    side = math.pi * max(width, depth) / 2 / sides
    for i in range(sides):
        turn = 2 * math.pi * i / sides
        pos = (math.cos(turn) * (width / 2 - wall), math.sin(turn) * (depth / 2 - wall), wall / 2)
        model.box(pos, (wall / 2, side, height / 2 - wall / 2), euler=(0, 0, turn))
