"""The sink, and what stands beside it: the dish rack (metres, front -y)."""

from sim.standin.mjcf import Model
from sim.standin.palette import add_materials


def sink(model: Model) -> None:
    """A drop-in sink with one basin or two, a swivelling spout and one handle.

    The top of its region is flush with the counter. RoboCasa looks for the handle joint and the
    water site exactly one body below the object.
    """
    rng = add_materials(model)
    double = bool(rng.random() < 0.4)
    material = "metal" if rng.random() < 0.7 else "white"
    width, depth, height, floor = (0.84 if double else 0.72), 0.53, 0.22, 0.012
    ledge = 0.09  # the deck at the back that carries the tap
    front, back = -depth / 2 + 0.03, depth / 2 - ledge
    middle, half = (front + back) / 2, (back - front) / 2
    model.extent(width, depth, height)
    model.box((0, 0, -height / 2 + floor / 2), (width / 2, depth / 2, floor / 2), material)
    for side in (-1, 1):
        wall = (0.02, half, height / 2 - floor / 2)
        model.box((side * (width / 2 - 0.02), middle, floor / 2), wall, material)
    model.box((0, front - 0.015, floor / 2), (width / 2, 0.015, height / 2 - floor / 2), material)
    deck = (width / 2, ledge / 2, height / 2 - floor / 2)
    model.box((0, depth / 2 - ledge / 2, floor / 2), deck, material)

    edge, low, high = width / 2 - 0.045, -height / 2 + floor, height / 2
    if double:
        model.box((0, middle, 0), (0.015, half, height / 2 - 0.01), material)
        model.region("basin_left", (-edge, front + 0.01, low), (-0.02, back - 0.01, high))
        model.region("basin_right", (0.02, front + 0.01, low), (edge, back - 0.01, high))
    else:
        model.region("basin", (-edge, front + 0.01, low), (edge, back - 0.01, high))
    for x in (-0.2, 0.2) if double else (0.0,):
        model.cylinder((x, middle, low + 0.002), 0.035, 0.002, "chrome", solid=False)
        model.cylinder((x, middle, low + 0.003), 0.022, 0.002, "dark", solid=False)
    _tap(model, depth / 2 - ledge / 2, height)


def _tap(model: Model, y: float, height: float) -> None:
    top, rise = height / 2, 0.30
    with model.body("spout"):
        model.joint("spout_joint", "hinge", (0, 0, 1), (-1.57, 1.57), (0, y, 0), damping=0.5, friction=0.3)
        model.cylinder((0, y, top + 0.006), 0.026, 0.006, "chrome", solid=False)
        model.cylinder((0, y, top + rise / 2), 0.014, rise / 2, "chrome", mass=0.3)
        model.box((0, y - 0.09, top + rise), (0.012, 0.10, 0.012), "chrome", mass=0.2)
        model.cylinder((0, y - 0.18, top + rise - 0.03), 0.012, 0.03, "chrome", mass=0.1)
        fall = (rise - 0.06 + height - 0.02) / 2
        water = (0, y - 0.18, top + rise - 0.06 - fall)
        model.site("water", water, (0.011, fall), (0.6, 0.8, 0.95, 0))
    with model.body("handle"):
        x = 0.075
        at = (x, y, top + 0.05)
        model.joint("handle_joint", "hinge", (1, 0, 0), (0, 0.6), at, damping=0.1, friction=0.05)
        model.joint("handle_temp_joint", "hinge", (0, 0, 1), (-0.6, 0.6), at, damping=0.1, friction=0.05)
        model.cylinder((x, y, top + 0.03), 0.016, 0.03, "chrome", mass=0.1)
        model.box((x, y - 0.05, top + 0.07), (0.009, 0.055, 0.007), "chrome", mass=0.1)


def dish_rack(model: Model) -> None:
    """A draining rack: a tray, two wire sides and upright tines."""
    add_materials(model)
    width, depth, height = 0.42, 0.32, 0.14
    floor = -height / 2
    model.extent(width, depth, height)
    model.box((0, 0, floor + 0.006), (width / 2, depth / 2, 0.006), "dark")
    for side in (-1, 1):
        x = side * (width / 2 - 0.006)
        model.box((x, 0, 0), (0.006, depth / 2, height / 2), shown=False)
        for z in (-0.02, 0.02, height / 2 - 0.004):
            model.box((x, 0, z), (0.004, depth / 2, 0.004), "chrome", solid=False)
    for i in range(9):
        x = -width / 2 + 0.05 + i * 0.04
        model.box((x, 0, floor + 0.05), (0.003, 0.10, 0.035), "chrome", solid=i % 2 == 0)
    low = (-width / 2 + 0.02, -depth / 2 + 0.02, floor + 0.012)
    model.region("int_0", low, (width / 2 - 0.02, depth / 2 - 0.02, height / 2))
