"""Fridges of three kinds, and the dishwasher: boxes with doors, shelves and drawers (metres, front -y)."""

from sim.standin.mjcf import Model
from sim.standin.palette import add_materials
from sim.standin.parts import bar, carcass, drop_door, slide_rack

WIDTH, DEPTH, HEIGHT = 0.85, 0.80, 1.78
WALL = 0.035
DOOR = 0.06  # thickness of a door
FACE = -DEPTH / 2  # the front of the doors
INSIDE = FACE + DOOR + 0.002  # where the carcass starts
BACK = DEPTH / 2 - WALL
FLOOR, CEILING, SIDE = -HEIGHT / 2 + WALL, HEIGHT / 2 - WALL, WIDTH / 2 - WALL
SPLIT = -HEIGHT / 2 + 0.62  # the shelf between fridge above and freezer below

Span = tuple[float, float]


def door(model: Model, name: str, x: Span, z: Span, hinge: str, grip: float | None = None) -> None:
    """Add a door over the spans `x` and `z`, hinged on the side `hinge`, its bar centred at height `grip`.

    The pivot lies on the front face: set further back, the door's corner jams on the neighbouring door.
    """
    left = hinge == "left"
    pivot = x[0] + 0.01 if left else x[1] - 0.01
    middle = (z[0] + z[1]) / 2
    with model.body(name):
        at = (pivot, FACE + 0.003, 0)
        model.joint(f"{name}_joint", "hinge", (0, 0, 1), (-1.9, 0) if left else (0, 1.9), at, damping=2, friction=0.6)
        size = ((x[1] - x[0]) / 2 - 0.002, DOOR / 2 - 0.001, (z[1] - z[0]) / 2 - 0.002)
        model.box(((x[0] + x[1]) / 2, FACE + DOOR / 2, middle), size, mass=4)
        centre = (x[1] - 0.05 if left else x[0] + 0.05, FACE + 0.001, middle if grip is None else grip)
        half = min(0.28, (z[1] - z[0]) / 2 - 0.08)
        bar(model, f"{name}_handle", centre, half, upright=True, standoff=0.05, thick=0.011)


def drawer(model: Model, name: str, x: Span, z: Span, fronted: bool = False) -> None:
    """Add a drawer with its region; `fronted` gives it a door-thick front with a bar, else a glass one."""
    material = "inner" if fronted else "pane"
    front, back = INSIDE + 0.02, BACK - 0.05
    xm, ym, zm = (x[0] + x[1]) / 2, (front + back) / 2, (z[0] + z[1]) / 2
    xh, yh, zh = (x[1] - x[0]) / 2, (back - front) / 2, (z[1] - z[0]) / 2
    with model.body(name):
        model.joint(f"{name}_joint", "slide", (0, -1, 0), (0, 0.4), damping=8, friction=1)
        model.box((xm, ym, z[0] + 0.01), (xh - 0.01, yh, 0.006), material, mass=0.4)
        for edge in (x[0] + 0.012, x[1] - 0.012):
            model.box((edge, ym, zm), (0.006, yh, zh - 0.015), material, mass=0.2)
        model.box((xm, back, zm), (xh - 0.02, 0.006, zh - 0.015), material, mass=0.2)
        if fronted:
            model.box((xm, FACE + DOOR / 2, zm), (xh - 0.002, DOOR / 2 - 0.001, zh - 0.002), mass=3)
            centre = (xm, FACE + 0.001, z[1] - 0.06)
            bar(model, f"{name}_handle", centre, xh - 0.15, upright=False, standoff=0.05, thick=0.011)
        else:
            model.box((xm, front, zm - 0.01), (xh - 0.01, 0.006, zh - 0.02), material, mass=0.2)
        model.region(name, (x[0] + 0.03, front + 0.02, z[0] + 0.02), (x[1] - 0.03, back - 0.02, z[1] - 0.01))


def shelves(model: Model, name: str, x: Span, z: Span, count: int) -> None:
    """Divide a compartment into `count` regions `<name><i>` by glass shelves, lowest first."""
    pitch = (z[1] - z[0]) / count
    for i in range(count):
        level = z[0] + i * pitch
        if i:
            model.box(((x[0] + x[1]) / 2, 0.05, level), ((x[1] - x[0]) / 2, (DEPTH - 0.25) / 2, 0.006), "pane")
        low = (x[0] + 0.02, INSIDE + 0.08, level + 0.01)
        model.region(f"{name}{i}", low, (x[1] - 0.02, BACK - 0.02, level + pitch - 0.02))


def _cabinet(model: Model) -> None:
    add_materials(model)
    model.extent(WIDTH, DEPTH, HEIGHT)
    carcass(model, WIDTH, DEPTH, HEIGHT, WALL, setback=DOOR + 0.002)


def side_by_side(model: Model) -> None:
    """Freezer on the left, fridge on the right, each with shelves over a drawer."""
    _cabinet(model)
    model.box((-0.08, 0.03, 0), (0.015, DEPTH / 2 - DOOR, HEIGHT / 2 - WALL))
    low = -HEIGHT / 2 + 0.32
    for name, left, right in (("freezer", -SIDE, -0.097), ("fridge", -0.063, SIDE)):
        shelves(model, name, (left, right), (low, CEILING), 4)
        drawer(model, f"{name}_drawer0", (left, right), (FLOOR + 0.01, low - 0.02))
    full = (-HEIGHT / 2, HEIGHT / 2)
    door(model, "freezer_door", (-WIDTH / 2, -0.08), full, "left")
    door(model, "fridge_door", (-0.08, WIDTH / 2), full, "right")


def _upper(model: Model) -> None:
    """Add the divider, and above it three shelves over two drawers."""
    _cabinet(model)
    model.box((0, 0.03, SPLIT), (SIDE, DEPTH / 2 - DOOR, 0.02))
    shelves(model, "fridge", (-SIDE, SIDE), (SPLIT + 0.26, CEILING), 3)
    drawer(model, "fridge_drawer0", (-SIDE, -0.005), (SPLIT + 0.03, SPLIT + 0.24))
    drawer(model, "fridge_drawer1", (0.005, SIDE), (SPLIT + 0.03, SPLIT + 0.24))


def french_door(model: Model) -> None:
    """Two doors above, one wide freezer drawer below."""
    _upper(model)
    drawer(model, "freezer_drawer0", (-WIDTH / 2, WIDTH / 2), (FLOOR + 0.01, SPLIT - 0.025), fronted=True)
    model.region("freezer0", (-SIDE, INSIDE + 0.05, FLOOR), (SIDE, DEPTH / 2 - WALL, SPLIT - 0.03))
    span = (SPLIT - 0.01, HEIGHT / 2)
    door(model, "fridge_left_door", (-WIDTH / 2, 0), span, "left", SPLIT + 0.45)
    door(model, "fridge_right_door", (0, WIDTH / 2), span, "right", SPLIT + 0.45)


def bottom_freezer(model: Model) -> None:
    """One door above, one freezer door with two shelves below."""
    _upper(model)
    shelves(model, "freezer", (-SIDE, SIDE), (FLOOR, SPLIT - 0.02), 2)
    full = (-WIDTH / 2, WIDTH / 2)
    door(model, "freezer_door", full, (-HEIGHT / 2, SPLIT - 0.01), "right")
    door(model, "fridge_door", full, (SPLIT - 0.006, HEIGHT / 2), "right", SPLIT + 0.4)


def dishwasher(model: Model) -> None:
    """Two sliding racks behind a drop-down door."""
    add_materials(model)
    width, depth, height = 0.60, 0.60, 0.83
    model.extent(width, depth, height)
    carcass(model, width, depth, height, wall=0.025, setback=0.05)
    model.box((0, -depth / 2 + 0.07, -height / 2 + 0.05), (width / 2, 0.01, 0.05), "dark")
    slide_rack(model, "rack0", width - 0.08, depth - 0.16, -height / 2 + 0.14, travel=0.35, clear=0.2)
    slide_rack(model, "rack1", width - 0.08, depth - 0.16, 0.08, travel=0.35, clear=0.2)
    inside = (-width / 2 + 0.03, -depth / 2 + 0.05, -height / 2 + 0.05)
    model.region("int", inside, (width / 2 - 0.03, depth / 2 - 0.03, height / 2 - 0.03))
    drop_door(
        model,
        width,
        -height / 2 + 0.10,
        height / 2,
        -depth / 2 + 0.02,
        height / 2 - 0.07,
        damping=3,
        friction=2,
        window=False,
    )
