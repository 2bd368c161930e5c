"""Things that only decorate: counter accessories, stools and windows (metres, front -y).

RoboCasa asks of them no more than an extent; `ANCHORED` also carry a companion next to them or on top.
"""

from collections.abc import Callable

import numpy as np

from sim.standin.mjcf import Model
from sim.standin.palette import add_materials
from sim.standin.parts import ring

Draw = Callable[[Model, np.random.Generator, float, float, float], None]


def _knife_block(model: Model, rng: np.random.Generator, w: float, d: float, h: float) -> None:
    model.box((0, 0.02, -0.04), (w / 2, d / 2 - 0.02, h / 2 - 0.04), "wood")
    for x in (-0.04, -0.015, 0.015, 0.04):
        model.box((x, 0, h / 2 - 0.05), (0.008, 0.014, 0.05), "dark", solid=False)


def _paper_towel(model: Model, rng: np.random.Generator, w: float, d: float, h: float) -> None:
    model.cylinder((0, 0, -h / 2 + 0.01), w / 2, 0.01, "dark")
    model.cylinder((0, 0, 0), 0.06, h / 2 - 0.04, "white")
    model.cylinder((0, 0, 0), 0.008, h / 2, "chrome", solid=False)


def _plant(model: Model, rng: np.random.Generator, w: float, d: float, h: float) -> None:
    model.material("leaf", rng.uniform((0.22, 0.36, 0.20), (0.36, 0.50, 0.28)))
    model.cylinder((0, 0, -h * 0.3), w * 0.35, h * 0.2, "accent")
    _leaves(model, rng, w, h, ("leaf",))


def _flower_vase(model: Model, rng: np.random.Generator, w: float, d: float, h: float) -> None:
    model.material("leaf", (0.30, 0.44, 0.26))
    model.material("petal", rng.uniform((0.75, 0.45, 0.45), (0.95, 0.85, 0.75)))
    model.cylinder((0, 0, -h * 0.3), w * 0.35, h * 0.2, "accent")
    _leaves(model, rng, w, h, ("leaf", "petal"))


def _leaves(model: Model, rng: np.random.Generator, w: float, h: float, materials: tuple[str, ...]) -> None:
    for i in range(6):
        x, y = rng.uniform(-0.28, 0.28, 2) * w
        pos = (x, y, h * rng.uniform(0.0, 0.35))
        size = (w * 0.2, w * 0.2, h * 0.14)
        model.geom("ellipsoid", pos, size, materials[i % len(materials)], solid=False)


def _utensil_set(model: Model, rng: np.random.Generator, w: float, d: float, h: float) -> None:
    model.cylinder((0, 0, -h / 2 + 0.08), 0.06, 0.08, "accent")
    for i in range(5):
        x, y = rng.uniform(-0.03, 0.03, 2)
        model.box((x, y, 0.02), (0.006, 0.006, h / 2 - 0.02), "wood" if i % 2 else "metal", solid=False)


def _utensil_rack(model: Model, rng: np.random.Generator, w: float, d: float, h: float) -> None:
    model.box((0, d / 2 - 0.01, h / 2 - 0.02), (w / 2, 0.01, 0.02), "metal")
    for i, x in enumerate((-0.2, -0.1, 0.0, 0.1, 0.2)):
        material = "metal" if i % 2 else "dark"
        model.box((x, 0, -0.03), (0.008, 0.006, h / 2 - 0.05), material, solid=False)


def _fruit_bowl(model: Model, rng: np.random.Generator, w: float, d: float, h: float) -> None:
    model.cylinder((0, 0, -h / 2 + 0.01), w * 0.4, 0.01, "accent")
    ring(model, (0, 0, 0), w * 0.43, 0.006, h / 2, "accent")


def _tiered_basket(model: Model, rng: np.random.Generator, w: float, d: float, h: float) -> None:
    for z, share in ((-h / 2 + 0.01, 1.0), (0.02, 0.75)):
        model.cylinder((0, 0, z), w / 2 * share, 0.008, "metal")
        model.cylinder((0, 0, z + 0.03), w / 2 * share * 0.98, 0.02, "glass", solid=False)
    model.cylinder((0, 0, 0), 0.01, h / 2, "metal")


def _digital_scale(model: Model, rng: np.random.Generator, w: float, d: float, h: float) -> None:
    model.box((0, 0, 0), (w / 2, d / 2, h / 2))
    model.box((0, -d / 2 + 0.03, h / 2), (0.04, 0.015, 0.002), "dark", solid=False)


def _bottle(model: Model, rng: np.random.Generator, w: float, d: float, h: float) -> None:
    model.material("oil", rng.uniform((0.42, 0.40, 0.16), (0.62, 0.50, 0.30)))
    model.cylinder((0, 0, -0.05), w / 2, h / 2 - 0.05, "oil")
    model.cylinder((0, 0, h / 2 - 0.05), 0.015, 0.05, "dark")


def _glass(model: Model, rng: np.random.Generator, w: float, d: float, h: float) -> None:
    model.cylinder((0, 0, 0), w / 2, h / 2, "pane")


def _capped(model: Model, rng: np.random.Generator, w: float, d: float, h: float) -> None:
    model.cylinder((0, 0, -0.01), w / 2, h / 2 - 0.01, "accent")
    model.cylinder((0, 0, h / 2 - 0.012), w * 0.4, 0.012, "dark")


ACCESSORIES: dict[str, tuple[tuple[float, float, float], Draw]] = {
    "candle": ((0.08, 0.08, 0.10), _capped),
    "cinnamon": ((0.05, 0.05, 0.11), _capped),
    "digital_scale": ((0.18, 0.20, 0.04), _digital_scale),
    "flower_vase": ((0.14, 0.14, 0.38), _flower_vase),
    "fruit_bowl": ((0.26, 0.26, 0.10), _fruit_bowl),
    "glass_cup": ((0.08, 0.08, 0.12), _glass),
    "jar": ((0.10, 0.10, 0.15), _glass),
    "knife_block": ((0.12, 0.20, 0.25), _knife_block),
    "oil_bottle": ((0.07, 0.07, 0.28), _bottle),
    "paper_towel": ((0.15, 0.15, 0.33), _paper_towel),
    "paprika": ((0.05, 0.05, 0.13), _capped),
    "pepper_shaker": ((0.05, 0.05, 0.12), _capped),
    "plant": ((0.16, 0.16, 0.25), _plant),
    "salt_shaker": ((0.05, 0.05, 0.12), _capped),
    "soap_dispenser": ((0.08, 0.08, 0.19), _capped),
    "tiered_basket": ((0.30, 0.30, 0.35), _tiered_basket),
    "turmeric": ((0.05, 0.05, 0.12), _capped),
    "utensil_rack": ((0.50, 0.08, 0.32), _utensil_rack),
    "utensil_set": ((0.14, 0.14, 0.34), _utensil_set),
    "vinegar_bottle": ((0.07, 0.07, 0.28), _bottle),
}
"""Registry name to (width, depth, height) and the function that draws it."""


def accessory(kind: str) -> Callable[[Model], None]:
    """Return the builder of one of `ACCESSORIES`; a kind not listed there becomes a small capped pot."""
    (width, depth, height), draw = ACCESSORIES.get(kind, ((0.10, 0.10, 0.10), _capped))

    def build(model: Model) -> None:
        rng = add_materials(model)
        model.extent(width, depth, height)
        draw(model, rng, width, depth, height)
        if kind == "jar":
            model.anchor((0, 0, height / 2 + 0.013))
        elif kind in ("oil_bottle", "salt_shaker"):
            model.anchor((width + 0.01, 0, 0))

    return build


def stool(model: Model) -> None:
    """A wooden bar stool with a low back."""
    add_materials(model)
    side, height = 0.42, 0.85
    seat = 0.65 - height / 2
    model.extent(side, side, height)
    model.box((0, 0, seat), (side / 2, side / 2, 0.02), "wood")
    leg = (0.015, 0.015, (seat + height / 2) / 2)
    for x in (-1, 1):
        for y in (-1, 1):
            pos = (x * (side / 2 - 0.02), y * (side / 2 - 0.02), (seat - height / 2) / 2)
            model.box(pos, leg, "wood")
    model.box((0, -side / 2 + 0.02, -0.2), (side / 2 - 0.03, 0.01, 0.01), "wood", solid=False)
    back = (side / 2, 0.012, (height / 2 - seat) / 2 - 0.02)
    model.box((0, side / 2 - 0.012, (seat + height / 2) / 2 + 0.02), back, "wood")


def window(model: Model) -> None:
    """A framed window with up to three lights onto a plain sky."""
    rng = add_materials(model)
    width, depth, height, frame = 0.9, 0.04, 1.0, 0.03
    model.material("frame", (0.94, 0.94, 0.92) if rng.random() < 0.7 else (0.27, 0.26, 0.25))
    model.material("sky", (0.70, 0.80, 0.88), gloss=0.0)
    model.extent(width, depth, height)
    model.box((0, 0, 0), (width / 2, depth / 2, height / 2), shown=False)
    for side in (-1, 1):
        x, z = side * (width / 2 - frame / 2), side * (height / 2 - frame / 2)
        model.box((x, 0, 0), (frame / 2, depth / 2, height / 2), "frame", solid=False)
        model.box((0, 0, z), (width / 2, depth / 2, frame / 2), "frame", solid=False)
    lights = int(rng.integers(1, 4))
    for i in range(1, lights):
        x = width * (i / lights - 0.5)
        model.box((x, 0, 0), (frame / 3, depth * 0.35, height / 2), "frame", solid=False)
    model.box((0, 0.008, 0), (width / 2 - frame, 0.003, height / 2 - frame), "sky", solid=False)
