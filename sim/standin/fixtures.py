"""The table of fixtures: which builder makes the models of which RoboCasa registry."""

from collections.abc import Callable
from functools import partial

from sim.standin import cold, cooking, countertop, wet
from sim.standin.accessories import accessory, stool, window
from sim.standin.mjcf import Model

BUILDERS: dict[str, Callable[[Model], None]] = {
    "blender": countertop.blender,
    "blender_lid": countertop.lid,
    "coffee_machine": countertop.coffee_machine,
    "dish_rack": wet.dish_rack,
    "dishwasher": cold.dishwasher,
    "electric_kettle": countertop.kettle,
    "fridge_bottom_freezer": cold.bottom_freezer,
    "fridge_french_door": cold.french_door,
    "fridge_side_by_side": cold.side_by_side,
    "hood": cooking.hood,
    "jar_lid": countertop.lid,
    "microwave": cooking.microwave,
    "oven": cooking.oven,
    "sink": wet.sink,
    "stand_mixer": countertop.stand_mixer,
    "stool": stool,
    "stove": cooking.stove,
    "stove_wide": partial(cooking.stove, wide=True),
    "stovetop": cooking.stovetop,
    "toaster": cooking.toaster,
    "toaster_oven": cooking.toaster_oven,
    "window": window,
}


def build_fixture(registry: str, name: str) -> Model:
    """Build the model `name` of one registry; one without a row above is a counter accessory."""
    model = Model(name)
    BUILDERS.get(registry, accessory(registry))(model)
    return model
