"""Cabinet door panels and handles (metres).

RoboCasa rescales both to the door and swaps in the style's texture.
"""

from sim.standin.mjcf import Model
from sim.standin.palette import stream
from sim.standin.parts import QUARTER


def panel(model: Model, texture: str) -> None:
    """A door panel of 1 x 0.02 x 1 m: slab, shaker frame, raised field or beadboard, by the model's name.

    All geoms are axis-aligned, because RoboCasa stretches the panel without regard to rotation.
    """
    rng = stream(model.name)
    design = rng.choice(["slab", "shaker", "raised", "beadboard"])
    rail = float(rng.uniform(0.04, 0.07))  # half width of the frame
    model.textured(texture, gloss=0.1)
    model.region("main", (-0.5, -0.01, -0.5), (0.5, 0.01, 0.5))
    model.box((0, 0, 0), (0.5, 0.01, 0.5), shown=False, name="door")
    field = 0.5 - 2 * rail

    def show(pos: tuple[float, float, float], size: tuple[float, float, float]) -> None:
        model.box(pos, size, "mat", solid=False)

    if design == "slab":
        show((0, 0, 0), (0.5, 0.0095, 0.5))
        return
    show((0, 0.003, 0), (0.5, 0.0065, 0.5))
    for side in (-1, 1):
        show((side * (0.5 - rail), -0.0065, 0), (rail, 0.0034, 0.5))
        show((0, -0.0065, side * (0.5 - rail)), (field, 0.0034, rail))
    if design == "raised":
        show((0, -0.0045, 0), (field - 0.06, 0.004, field - 0.06))
    if design == "beadboard":
        for x in (-0.25, 0.0, 0.25):
            show((x, -0.0045, 0), (0.012, 0.0045, field))


def bar_handle(model: Model, texture: str) -> None:
    """An upright bar 0.24 m long on two posts, round or square by the model's name; its feet are at +y."""
    rng = stream(model.name)
    width, depth, length = 0.010, 0.024, 0.12
    thick = 0.0065
    model.textured(texture, gloss=0.7)
    model.region("main", (-width, -depth, -length), (width, depth, length))
    front = (0, -depth + thick, 0)
    if rng.random() < 0.5:
        model.geom("cylinder", front, (thick, length), "mat", name="handle", grip=True)
    else:
        model.box(front, (width * 0.8, thick, length), "mat", name="handle", grip=True)
    for side in (-1, 1):
        model.box((0, thick, side * length * 0.8), (0.005, depth - thick, 0.006), "mat")


def knob_handle(model: Model, texture: str) -> None:
    """A round knob on a stem."""
    model.textured(texture, gloss=0.7)
    model.region("main", (-0.015, -0.017, -0.015), (0.015, 0.017, 0.015))
    model.box((0, 0.006, 0), (0.006, 0.011, 0.006), "mat")
    model.geom("cylinder", (0, -0.009, 0), (0.015, 0.008), "mat", euler=(QUARTER, 0, 0))
