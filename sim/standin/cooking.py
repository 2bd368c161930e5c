"""Fixtures that heat: stove, stovetop, oven, microwave, hood, toaster oven and toaster.

Each builder fills an empty model (metres, front -y).
"""

import numpy as np

from sim.standin.mjcf import Model, Spring
from sim.standin.palette import add_materials
from sim.standin.parts import QUARTER, bar, carcass, drop_door, front_knob, slide_rack

CORNERS = {"rear_left": (-1, 1), "rear_right": (1, 1), "front_left": (-1, -1), "front_right": (1, -1)}


def burners(model: Model, places: dict[str, tuple[int, int]], dx: float, dy: float, z: float, plate: str) -> None:
    """Add a burner at each of `places` (signs of x and y), with the flame site RoboCasa switches on."""
    for place, (right, back) in places.items():
        x, y = right * dx, back * dy
        radius = 0.07 if place == "center" else 0.085
        model.cylinder((x, y, z + 0.004), radius, 0.004, plate, solid=False)
        model.cylinder((x, y, z + 0.009), radius * 0.6, 0.003, "ring", solid=False)
        model.cylinder((x, y, z + 0.011), radius * 0.5, 0.003, "dark", solid=False)
        model.site(f"burner_on_{place}", (x, y, z + 0.014), (0.085, 0.004), (1, 0.35, 0.1, 0))
        model.site(f"burner_{place}_place_site", (x, y, z + 0.02))


def stove(model: Model, wide: bool = False) -> None:
    """A range: hob with knobs on its front, and a dummy oven below."""
    add_materials(model)
    width, depth, height = (0.91, 0.70, 0.915) if wide else (0.76, 0.66, 0.915)
    model.extent(width, depth, height)
    top = height / 2 - 0.03
    model.box((0, 0.01, -0.03), (width / 2, depth / 2 - 0.01, height / 2 - 0.03))
    model.box((0, 0.01, height / 2 - 0.045), (width / 2, depth / 2 - 0.01, 0.015), "dark", solid=False)
    places = CORNERS | ({"center": (0, 0)} if wide else {})
    burners(model, places, width * 0.25, depth * 0.212, top, "dark")
    model.box((0, 0, top + 0.008), (width * 0.45, depth * 0.36, 0.008), shown=False)

    front = -depth / 2 + 0.006
    model.box((0, front, -0.10), (width / 2 - 0.03, 0.007, 0.24), solid=False)
    model.box((0, front - 0.004, -0.10), (width / 2 - 0.11, 0.006, 0.15), "dark", solid=False)
    model.box((0, front, -0.40), (width / 2 - 0.03, 0.006, 0.04), "dark", solid=False)
    bar(model, "front_handle", (0, front, 0.11), width / 2 - 0.08, upright=False, standoff=0.045)
    for x, place in zip(np.linspace(-width / 2 + 0.12, width / 2 - 0.12, len(places)), places, strict=True):
        front_knob(model, f"knob_{place}", float(x), -depth / 2, 0.31, radius=0.022)


def stovetop(model: Model) -> None:
    """A hob that drops into a counter, with knobs along its front edge."""
    add_materials(model)
    width, depth, height = 0.76, 0.53, 0.08
    model.extent(width, depth, height)
    model.box((0, 0, -0.01), (width / 2, depth / 2, height / 2 - 0.01), "dark")
    top = height / 2 - 0.012
    burners(model, CORNERS, width * 0.25, depth * 0.19, top, "dark")
    model.box((0, 0, top + 0.008), (width * 0.45, depth * 0.29, 0.008), shown=False)
    for i, place in enumerate(CORNERS):
        x, y, z = (i - 1.5) * 0.09, -depth / 2 + 0.05, height / 2 + 0.012
        with model.body(f"knob_{place}"):
            at = (x, y, 0)
            model.joint(f"knob_{place}_joint", "hinge", (0, 0, 1), (0, 2.6), at, damping=0.05, friction=0.02)
            model.cylinder((x, y, z), 0.02, 0.014, "metal", mass=0.05)
            model.box((x, y, z + 0.018), (0.004, 0.017, 0.006), "dark", mass=0.01)


def oven(model: Model) -> None:
    """A built-in oven: two sliding racks behind a drop-down door."""
    add_materials(model)
    width, depth, height = 0.70, 0.60, 0.68
    model.extent(width, depth, height)
    carcass(model, width, depth, height, wall=0.03, setback=0.04)
    panel = height / 2 - 0.06
    model.box((0, -depth / 2 + 0.02, panel), (width / 2, 0.02, 0.06))
    model.box((0, -depth / 2 - 0.001, panel), (0.09, 0.002, 0.03), "dark", solid=False)
    front_knob(model, "knob_temp", -0.2, -depth / 2, panel, radius=0.018)
    front_knob(model, "knob_time", 0.2, -depth / 2, panel, radius=0.018)
    slide_rack(model, "rack0", width - 0.10, depth - 0.16, -height / 2 + 0.12, travel=0.28, clear=0.15)
    slide_rack(model, "rack1", width - 0.10, depth - 0.16, -height / 2 + 0.32, travel=0.28, clear=0.15)
    inside = (-width / 2 + 0.03, -depth / 2 + 0.05, -height / 2 + 0.03)
    model.region("int", inside, (width / 2 - 0.03, depth / 2 - 0.03, height / 2 - 0.13))
    drop_door(
        model,
        width,
        -height / 2,
        height / 2 - 0.125,
        -depth / 2 + 0.018,
        height / 2 - 0.18,
        damping=2,
        friction=1,
        window=True,
    )


def microwave(model: Model) -> None:
    """A microwave: door hinged on the left, buttons on the right, a turning plate that stands still."""
    add_materials(model)
    width, depth, height, wall, panel = 0.76, 0.45, 0.42, 0.02, 0.15
    front = -depth / 2
    model.extent(width, depth, height)
    carcass(model, width, depth, height, wall, setback=0.045)
    x = width / 2 - panel / 2
    model.box((x - 0.001, -0.001, 0), (panel / 2, depth / 2, height / 2 - 0.004), "body")
    model.box((x, front - 0.002, 0.10), (0.05, 0.002, 0.03), "dark", solid=False)
    model.box((x, front - 0.003, -0.06), (0.03, 0.006, 0.02), "green", name="start_button")
    model.box((x, front - 0.003, -0.12), (0.03, 0.006, 0.02), "red", name="stop_button")
    model.cylinder((-panel / 2, 0.02, -height / 2 + wall + 0.006), 0.14, 0.006, "glass", solid=False)
    left, right, inside = -width / 2 + wall, width / 2 - panel, front + 0.045
    floor, ceiling, back = -height / 2 + wall, height / 2 - wall, depth / 2 - wall
    model.region("tray", (left + 0.02, inside + 0.01, floor), (right - 0.02, back - 0.01, ceiling))
    model.region("int", (left, inside, floor), (right, back, ceiling))

    low, high = -width / 2, width / 2 - panel - 0.003
    middle, half = (low + high) / 2, (high - low) / 2
    with model.body("door"):
        at = (low + 0.004, front + 0.004, 0)
        model.joint("microjoint", "hinge", (0, 0, 1), (-1.9, 0), at, damping=0.6, friction=0.2)
        model.box((middle, front + 0.02, 0), (half, 0.018, height / 2 - 0.003), "body", mass=1.0)
        window = (half - 0.08, 0.002, height / 2 - 0.07)
        model.box((middle - 0.01, front + 0.001, 0), window, "dark", solid=False)
        grip = (high - 0.03, front + 0.004, 0)
        bar(model, "door_handle_main", grip, height / 2 - 0.07, upright=True, standoff=0.042)


def hood(model: Model) -> None:
    """A range hood, stepped or flat, with its chimney against the wall."""
    rng = add_materials(model)
    width, depth, height = 0.76, 0.60, 0.36
    model.extent(width, depth, height)
    floor = -height / 2
    if rng.random() < 0.5:
        model.box((0, 0, floor + 0.05), (width / 2, depth / 2, 0.05))
        model.box((0, 0.12, 0.05), (0.15, 0.15, height / 2 - 0.05))
    else:
        model.box((0, 0, floor + 0.03), (width / 2, depth / 2, 0.03))
        model.box((0, 0.05, floor + 0.10), (width * 0.375, depth * 0.375, 0.05))
        model.box((0, 0.10, 0.08), (0.16, 0.16, height / 2 - 0.08))
    model.box((0, 0, floor - 0.001), (width / 2 - 0.06, depth / 2 - 0.06, 0.002), "dark", solid=False)


def toaster_oven(model: Model) -> None:
    """A small oven with four knobs, a sliding rack and a drop-down glass door."""
    add_materials(model)
    width, depth, height, panel = 0.46, 0.34, 0.26, 0.10
    model.extent(width, depth, height)
    carcass(model, width, depth, height, wall=0.015, setback=0.02)
    x = width / 2 - panel / 2
    model.box((x, 0, 0), (panel / 2, depth / 2 - 0.001, height / 2 - 0.001))
    knobs = {"knob_temp": 0.08, "knob_function": 0.03, "knob_time": -0.03, "knob_doneness": -0.08}
    for name, z in knobs.items():
        front_knob(model, name, x, -depth / 2, z, radius=0.016)
    half, y = (width - panel - 0.03) / 2, -depth / 2
    with model.body("rack0"):
        model.joint("rack0_joint", "slide", (0, -1, 0), (0, 0.16), damping=3, friction=0.5)
        model.box((-panel / 2, 0.02, -0.05), (half, depth / 2 - 0.06, 0.004), "chrome", mass=0.3)
        low = (-panel / 2 - half + 0.01, y + 0.07, -0.045)
        model.region("rack0", low, (-panel / 2 + half - 0.01, depth / 2 - 0.03, 0.07))
    with model.body("door"):
        _toaster_oven_door(model, -panel / 2, (width - panel) / 2, y + 0.008, height)


def _toaster_oven_door(model: Model, x: float, half: float, y: float, height: float) -> None:
    model.joint(
        "door_joint",
        "hinge",
        (1, 0, 0),
        (0, 1.57),
        (0, y + 0.005, -height / 2 + 0.02),
        damping=0.5,
        friction=0.3,
        spring=Spring(0.3, -0.6),
    )
    model.box((x, y, 0.01), (half - 0.004, 0.006, height / 2 - 0.012), "glass", mass=0.5)
    bar(
        model,
        "door_handle",
        (x, y - 0.005, height / 2 - 0.035),
        0.13,
        upright=False,
        standoff=0.035,
        thick=0.007,
    )


def toaster(model: Model) -> None:
    """A two-slot toaster; lever, dial and button stick out of its right end."""
    add_materials(model)
    width, depth, height = 0.28, 0.18, 0.20
    model.extent(width, depth, height)
    model.box((0, 0, -height / 2 + 0.02), (width / 2, depth / 2, 0.02))
    for side in (-1, 1):
        model.box((0, side * (depth / 2 - 0.012), 0.01), (width / 2, 0.012, height / 2 - 0.02))
        model.box((side * (width / 2 - 0.02), 0, 0.01), (0.02, depth / 2, height / 2 - 0.02))
    model.box((0, 0, 0.01), (width / 2, 0.018, height / 2 - 0.01))
    for slot, y in (("slotL", -0.045), ("slotR", 0.045)):
        model.box((0, y, -height / 2 + 0.05), (width / 2 - 0.045, 0.022, 0.004), "dark", name=f"{slot}_floor")
        low = (-width / 2 + 0.05, y - 0.025, -height / 2 + 0.055)
        model.region(slot, low, (width / 2 - 0.05, y + 0.025, height / 2))

    x = width / 2
    with model.body("lever"):
        spring = Spring(15, -0.08)
        model.joint("lever_joint", "slide", (0, 0, -1), (0, 0.08), damping=2, friction=0.5, spring=spring)
        model.box((x + 0.018, 0, height / 2 - 0.05), (0.018, 0.02, 0.006), "dark", mass=0.05)
    with model.body("knob"):
        at = (0, -0.05, -0.05)
        model.joint("knob_doneness_joint", "hinge", (1, 0, 0), (0, 2.6), at, damping=0.05, friction=0.02)
        model.geom("cylinder", (x + 0.01, -0.05, -0.05), (0.015, 0.01), "metal", euler=(0, QUARTER, 0), mass=0.02)
    with model.body("button_cancel"):
        model.joint("button_cancel_joint", "slide", (-1, 0, 0), (0, 0.006), damping=1, friction=0.1)
        model.box((x + 0.004, 0.05, -0.05), (0.006, 0.012, 0.012), "red", mass=0.02)
