"""Parts that several fixtures share: a carcass, a handle bar, knobs, a drop-down door and a sliding rack.

Lengths are metres; y is the depth axis and the front of a fixture faces -y.
"""

import math

from sim.standin.mjcf import Model, Spring

QUARTER = math.pi / 2


def carcass(model: Model, width: float, depth: float, height: float, wall: float, setback: float) -> None:
    """Add a box that is open at the front; its walls start `setback` behind the front face."""
    front = -depth / 2 + setback
    middle, half = (front + depth / 2) / 2, (depth / 2 - front) / 2
    for side in (-1, 1):
        model.box((0, middle, side * (height / 2 - wall / 2)), (width / 2, half, wall / 2))
        model.box((side * (width / 2 - wall / 2), middle, 0), (wall / 2, half, height / 2 - wall))
    model.box((0, depth / 2 - wall / 2, 0), (width / 2 - wall, wall / 2, height / 2 - wall))


def bar(
    model: Model,
    name: str,
    centre: tuple[float, float, float],
    half: float,
    *,
    upright: bool,
    standoff: float,
    thick: float = 0.009,
) -> None:
    """Add a handle bar on two posts, `standoff` in front of `centre`, which lies on the front face."""
    x, y, z = centre
    size = (thick, thick, half) if upright else (half, thick, thick)
    model.box((x, y - standoff, z), size, "chrome", name=name, grip=True)
    for side in (-1, 1):
        reach = side * half * 0.88
        foot = (x, y - standoff / 2, z + reach) if upright else (x + reach, y - standoff / 2, z)
        model.box(foot, (thick * 0.8, standoff / 2, thick * 0.8), "chrome")


def front_knob(model: Model, name: str, x: float, front: float, z: float, radius: float) -> None:
    """Add a knob with a pointer that turns about the depth axis, on the front face at y = `front`."""
    with model.body(name):
        model.joint(f"{name}_joint", "hinge", (0, -1, 0), (0, 2.6), (x, 0, z), damping=0.05, friction=0.02)
        model.geom("cylinder", (x, front - 0.014, z), (radius, 0.014), "metal", euler=(QUARTER, 0, 0), mass=0.03)
        model.box((x, front - 0.03, z), (0.004, 0.004, radius * 0.8), "dark", mass=0.005)


def drop_door(
    model: Model,
    width: float,
    low: float,
    high: float,
    front: float,
    bar_height: float,
    *,
    damping: float,
    friction: float,
    window: bool,
) -> None:
    """Add the body `door`, hinged at its lower edge z = `low`, with a bar at `bar_height`.

    A light spring closes it: without one the door sags past RoboCasa's "closed" threshold within seconds.
    """
    middle, half = (low + high) / 2, (high - low) / 2
    with model.body("door"):
        model.joint(
            "door_joint",
            "hinge",
            (1, 0, 0),
            (0, 1.57),
            (0, front + 0.015, low + 0.01),
            damping=damping,
            friction=friction,
            spring=Spring(1.2, -0.6),
        )
        model.box((0, front, middle), (width / 2 - 0.004, 0.018, half - 0.004), mass=1.5)
        if window:
            size = (width / 2 - 0.09, 0.003, half - 0.09)
            model.box((0, front - 0.017, middle - 0.02), size, "dark", solid=False)
        bar(
            model,
            "door_handle",
            (0, front - 0.018, bar_height),
            width / 2 - 0.08,
            upright=False,
            standoff=0.045,
        )


def slide_rack(model: Model, name: str, width: float, depth: float, z: float, travel: float, clear: float) -> None:
    """Add a wire rack that slides out by `travel`, with a region `clear` high above it."""
    y = 0.02
    with model.body(name):
        model.joint(f"{name}_joint", "slide", (0, -1, 0), (0, travel), damping=5, friction=1.0)
        model.box((0, y, z), (width / 2, depth / 2, 0.004), shown=False, mass=0.6)
        for i in range(7):
            x = width * ((i + 0.5) / 7 - 0.5)
            model.box((x, y, z), (0.004, depth / 2, 0.004), "chrome", solid=False)
        for side in (-1, 1):
            edge = (0, y + side * depth / 2, z + 0.012)
            model.box(edge, (width / 2, 0.004, 0.014), "chrome", mass=0.05)
        low = (-width / 2 + 0.01, y - depth / 2 + 0.01, z + 0.005)
        model.region(name, low, (width / 2 - 0.01, y + depth / 2 - 0.01, z + 0.005 + clear))


def ring(
    model: Model,
    centre: tuple[float, float, float],
    radius: float,
    thick: float,
    half: float,
    material: str,
    sides: int = 8,
    mass: float | None = None,
) -> None:
    """Add a hollow upright wall around `centre`: `sides` thin boxes set in a circle of `radius`."""
    x, y, z = centre
    for i in range(sides):
        turn = 2 * math.pi * i / sides
        pos = (x + radius * math.cos(turn), y + radius * math.sin(turn), z)
        # the outer edges of neighbours meet: half a side is radius * tan(pi / sides)
        size = (thick, radius * math.tan(math.pi / sides), half)
        model.box(pos, size, material, euler=(0, 0, turn), mass=mass)
