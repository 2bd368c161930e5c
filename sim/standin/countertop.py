"""Small machines on a counter: coffee machine, kettle, blender, stand mixer, lids (metres, front -y)."""

from sim.standin.mjcf import Model
from sim.standin.palette import add_materials
from sim.standin.parts import QUARTER, ring


def coffee_machine(model: Model) -> None:
    """A machine with a spout over a drip tray, where RoboCasa places the cup."""
    add_materials(model)
    width, depth, height = 0.24, 0.34, 0.34
    front = -depth / 2
    model.extent(width, depth, height)
    model.box((0, 0.09, 0), (width / 2, depth / 2 - 0.09, height / 2))
    model.box((0, -0.02, height / 2 - 0.05), (width / 2, depth / 2 - 0.02, 0.05))
    model.box((0, 0, -height / 2 + 0.015), (width / 2, depth / 2, 0.015), "dark")
    model.cylinder((0, -0.08, height / 2 - 0.115), 0.025, 0.015, "chrome")
    model.box((0.05, front + 0.018, height / 2 - 0.05), (0.018, 0.008, 0.018), "red", name="start_button")
    model.box((-0.04, front + 0.019, height / 2 - 0.05), (0.035, 0.002, 0.025), "dark", solid=False)
    model.site("receptacle_place_site", (0, -0.08, -height / 2 + 0.031))
    model.site("coffee_liquid", (0, -0.08, -0.02), (0.004, 0.09), (0.25, 0.13, 0.05, 0))


def kettle(model: Model) -> None:
    """An electric kettle with a lid, a switch and a lid button, all by its handle on the right."""
    add_materials(model)
    width, depth, height = 0.20, 0.15, 0.25
    top, floor = height / 2, -height / 2
    model.extent(width, depth, height)
    model.cylinder((-0.02, 0, floor + 0.01), 0.07, 0.01, "dark")
    model.cylinder((-0.02, 0, 0), 0.068, height / 2 - 0.02)
    model.box((0.085, 0, 0), (0.01, 0.012, 0.08), "dark")
    model.box((0.06, 0, 0.08), (0.03, 0.012, 0.01), "dark")
    model.box((-0.095, 0, 0.07), (0.02, 0.018, 0.015))
    with model.body("lid"):
        at = (0.045, 0, top - 0.02)
        model.joint("lid_joint", "hinge", (0, 1, 0), (0, 1.4), at, damping=0.05, friction=0.02)
        model.cylinder((-0.02, 0, top - 0.012), 0.065, 0.008, "dark", mass=0.03)
    with model.body("switch"):
        at = (0.08, 0, floor + 0.04)
        model.joint("switch_joint", "hinge", (0, 1, 0), (0, 0.4), at, damping=0.02, friction=0.01)
        model.box((0.095, 0, floor + 0.04), (0.012, 0.012, 0.005), "red", mass=0.01)
    with model.body("button_lid"):
        model.joint("button_lid_joint", "slide", (0, 0, -1), (0, 0.006), damping=0.5, friction=0.05)
        model.box((0.085, 0, 0.088), (0.008, 0.01, 0.005), "metal", mass=0.01)


def blender(model: Model) -> None:
    """A glass jug on a motor base; its lid is a model of its own, placed at the anchor."""
    add_materials(model)
    width, depth, height = 0.18, 0.18, 0.38
    floor = -height / 2
    model.extent(width, depth, height)
    model.box((0, 0, floor + 0.07), (0.08, 0.08, 0.07))
    model.cylinder((0, 0, 0.02), 0.05, 0.03, "dark")
    for side in (-1, 1):
        model.box((side * 0.06, 0, 0.11), (0.004, 0.064, 0.08), "pane")
        model.box((0, side * 0.06, 0.11), (0.064, 0.004, 0.08), "pane")
    model.box((0.085, 0, 0.1), (0.008, 0.01, 0.06), "dark")
    model.box((0, -0.084, floor + 0.06), (0.015, 0.006, 0.015), "green", name="power_button_main")
    model.anchor((0, 0, height / 2 + 0.012))


def lid(model: Model) -> None:
    """A round lid with a knob, for blenders and jars."""
    add_materials(model)
    model.extent(0.14, 0.14, 0.03)
    model.cylinder((0, 0, 0), 0.068, 0.012, "dark", mass=0.08)
    model.cylinder((0, 0, 0.012), 0.02, 0.006, "dark", solid=False)


def stand_mixer(model: Model) -> None:
    """A mixer with a tilting head over a bowl."""
    add_materials(model)
    width, depth, height = 0.22, 0.36, 0.34
    top, floor = height / 2, -height / 2
    model.extent(width, depth, height)
    model.box((0, 0, floor + 0.02), (0.09, depth / 2, 0.02), "accent")
    model.box((0, 0.13, -0.03), (0.05, 0.05, height / 2 - 0.05), "accent")
    with model.body("bowl"):
        at = (0.0, -0.06, 0.0)
        model.joint("bowl_joint", "hinge", (0, 0, 1), (-0.5, 0.5), at, damping=1, friction=0.5)
        model.cylinder((0, -0.06, floor + 0.05), 0.05, 0.01, "chrome", mass=0.2)
        ring(model, (0, -0.06, -0.05), 0.085, 0.004, 0.07, "chrome", mass=0.03)
        model.region("bowl", (-0.06, -0.12, floor + 0.06), (0.06, 0, 0.02))
    with model.body("head"):
        at = (0, 0.15, top - 0.08)
        model.joint("head_joint", "hinge", (-1, 0, 0), (0, 0.8), at, damping=1, friction=0.8)
        model.box((0, -0.02, top - 0.05), (0.055, 0.15, 0.05), "accent", mass=0.5)
        model.cylinder((0, -0.08, 0.04), 0.012, 0.05, "chrome", solid=False)
    with model.body("knob_speed"):
        at = (0, 0.13, 0)
        model.joint("knob_speed_joint", "hinge", (1, 0, 0), (0, 2.6), at, damping=0.02, friction=0.01)
        model.geom("cylinder", (0.06, 0.13, 0), (0.014, 0.01), "chrome", euler=(0, QUARTER, 0), mass=0.01)
    with model.body("button_head_lock"):
        model.joint("button_head_lock_joint", "slide", (1, 0, 0), (0, 0.005), damping=0.5, friction=0.05)
        model.box((-0.055, 0.13, 0.03), (0.006, 0.01, 0.01), "dark", mass=0.01)
