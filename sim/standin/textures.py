"""Which pattern in which colours each texture of RoboCasa's registries gets.

A named texture (`textures/flat/light_green.png`) gets what its name says. A numbered one
(`generative_textures/cabinet/tex016.png`) gets a finish that suits its role as a cabinet, counter, floor or
wall, chosen by its path, so that every style has a look of its own.
"""

from collections.abc import Callable
from pathlib import Path, PurePosixPath
from typing import NamedTuple

import numpy as np
from PIL import Image

from sim.standin import patterns as draw
from sim.standin.palette import METAL, PAINT, STONE, WOOD, Colour, stream

Draw = Callable[[np.random.Generator, Colour, Colour], draw.Picture]
MORTAR: Colour = (205, 201, 193)


class Finish(NamedTuple):
    """A pattern, its colour, and its second colour: veins, joints, or the other tile."""

    pattern: Draw
    colour: Colour
    accent: Colour = MORTAR


def _painted(*names: str) -> list[Finish]:
    return [Finish(draw.paint, PAINT[name]) for name in names]


def _wooden(pattern: Draw, *names: str) -> list[Finish]:
    return [Finish(pattern, WOOD[name]) for name in names]


WHITE_MARBLE = Finish(draw.marble, STONE["white"], STONE["grey"])
DARK_MARBLE = Finish(draw.marble, STONE["black"], STONE["grey"])
GREY_GRANITE = Finish(draw.granite, STONE["grey"], STONE["slate"])
TERRACOTTA = Finish(draw.squares, STONE["terracotta"], (203, 186, 165))

ROLES: dict[str, list[Finish]] = {
    "cabinet": [
        *_painted("white", "warm white", "cream", "greige", "light grey", "grey", "charcoal", "black"),
        *_painted("sage", "forest", "navy", "dusty blue", "pale blue", "teal", "clay", "sage", "white"),
        *_wooden(draw.grain, "birch", "oak", "honey oak", "ash", "walnut", "smoked oak", "cherry", "oak"),
    ],
    "counter": [
        WHITE_MARBLE,
        DARK_MARBLE,
        GREY_GRANITE,
        Finish(draw.marble, STONE["ivory"], STONE["sand"]),
        Finish(draw.marble, STONE["grey"], STONE["white"]),
        Finish(draw.marble, STONE["green"], STONE["ivory"]),
        Finish(draw.granite, STONE["ivory"], (150, 132, 110)),
        Finish(draw.granite, STONE["white"], STONE["slate"]),
        Finish(draw.granite, STONE["black"], STONE["slate"]),
        Finish(draw.plaster, STONE["grey"]),
        Finish(draw.plaster, STONE["soapstone"]),
        Finish(draw.plaster, STONE["sand"]),
        Finish(draw.paint, PAINT["white"]),
        *_wooden(draw.block, "birch", "oak", "walnut", "honey oak"),
    ],
    "floor": [
        *_wooden(draw.planks, "birch", "oak", "honey oak", "ash", "walnut", "smoked oak"),
        *_wooden(draw.wide_planks, "oak", "ash", "walnut"),
        *_wooden(draw.parquet, "oak", "honey oak", "cherry"),
        TERRACOTTA,
        Finish(draw.slabs, STONE["slate"], (120, 122, 122)),
        Finish(draw.slabs, STONE["sand"], (168, 158, 142)),
        Finish(draw.squares, STONE["grey"], (135, 135, 132)),
        Finish(draw.checker, STONE["white"], STONE["slate"]),
        Finish(draw.checker, STONE["ivory"], STONE["sand"]),
        Finish(draw.plaster, STONE["grey"]),
    ],
    "wall": [
        *_painted("white", "warm white", "cream", "pale blue", "light grey", "blush"),
        Finish(draw.paint, (199, 208, 192)),  # pale sage
        Finish(draw.plaster, (222, 214, 200)),
        Finish(draw.plaster, (196, 195, 191)),
        Finish(draw.subway, PAINT["white"], (196, 196, 193)),
        Finish(draw.subway, PAINT["cream"], (205, 196, 178)),
        Finish(draw.subway, PAINT["sage"], (214, 217, 209)),
        Finish(draw.subway, PAINT["dusty blue"], (214, 219, 222)),
        Finish(draw.subway, PAINT["light grey"], (230, 230, 228)),
        Finish(draw.squares, PAINT["white"], (190, 192, 192)),
        Finish(draw.squares, PAINT["pale blue"], (226, 230, 231)),
        Finish(draw.bricks, (222, 218, 210), (203, 199, 191)),
        Finish(draw.bricks, STONE["brick"], MORTAR),
    ],
}

_DARK_GREY, _BEIGE = (88, 90, 92), (197, 184, 163)

NAMED: dict[str, Finish] = {
    "albedo": Finish(draw.paint, PAINT["light grey"]),
    "ceramic": Finish(draw.paint, (240, 239, 235)),
    "bricks/red_bricks": Finish(draw.bricks, STONE["brick"]),
    "bricks/white_bricks": Finish(draw.bricks, (228, 225, 218), (205, 202, 195)),
    "bricks/white_bricks_2": Finish(draw.bricks, (220, 214, 203), (196, 190, 179)),
    "flat/black": Finish(draw.paint, PAINT["black"]),
    "flat/blue_gray": Finish(draw.paint, (116, 131, 145)),
    "flat/dark_beige": Finish(draw.paint, _BEIGE),
    "flat/dark_beige_2": Finish(draw.paint, (186, 171, 148)),
    "flat/dark_beige_3": Finish(draw.paint, (176, 160, 138)),
    "flat/dark_beige_4": Finish(draw.paint, (205, 190, 170)),
    "flat/dark_blue": Finish(draw.paint, PAINT["navy"]),
    "flat/dark_gray": Finish(draw.paint, _DARK_GREY),
    "flat/dark_gray_2": Finish(draw.paint, PAINT["charcoal"]),
    "flat/gray": Finish(draw.paint, PAINT["grey"]),
    "flat/light_blue": Finish(draw.paint, PAINT["pale blue"]),
    "flat/light_gray": Finish(draw.paint, PAINT["light grey"]),
    "flat/light_gray_2": Finish(draw.paint, (190, 192, 191)),
    "flat/light_green": Finish(draw.paint, (180, 195, 171)),
    "flat/lighter_gray": Finish(draw.paint, (220, 221, 219)),
    "flat/marble_3": WHITE_MARBLE,
    "flat/plaster": Finish(draw.plaster, (228, 224, 216)),
    "flat/warm_white": Finish(draw.paint, PAINT["warm white"]),
    "flat/white": Finish(draw.paint, PAINT["white"]),
    "marble/dark_marble": DARK_MARBLE,
    "marble/granite": GREY_GRANITE,
    "marble/granite_2": Finish(draw.granite, STONE["ivory"], (150, 132, 110)),
    "marble/marble": WHITE_MARBLE,
    "marble/marble_2": Finish(draw.marble, (220, 220, 218), STONE["slate"]),
    "marble/marble_3": Finish(draw.marble, STONE["grey"], STONE["white"]),
    "marble/marble_4": Finish(draw.marble, STONE["ivory"], STONE["sand"]),
    "marble/marble_5": Finish(draw.marble, (235, 233, 229), (176, 160, 132)),
    "marble/marble_6": Finish(draw.marble, STONE["sand"], (140, 124, 102)),
    "metals/brass": Finish(draw.brushed, METAL["brass"]),
    "metals/bright_metal": Finish(draw.brushed, METAL["steel"]),
    "others/bk7": Finish(draw.view, (150, 188, 221), (118, 144, 102)),
    "others/concrete": Finish(draw.plaster, (174, 173, 169)),
    "tiles/black_marble_tiles": Finish(draw.slabs, STONE["black"], (78, 80, 82)),
    "tiles/black_square_tiles": Finish(draw.squares, (50, 51, 54), (92, 93, 94)),
    "tiles/concrete_tiles": Finish(draw.slabs, (160, 160, 156), (132, 132, 128)),
    "tiles/diamond_marble_parquet": Finish(draw.diamonds, STONE["ivory"], STONE["sand"]),
    "tiles/diamond_tiles": Finish(draw.diamonds, (213, 207, 194), (168, 160, 146)),
    "tiles/diamond_white_tiles": Finish(draw.diamonds, PAINT["white"], (186, 187, 186)),
    "tiles/flower_ceramic": Finish(draw.flowers, (222, 219, 210), (96, 118, 138)),
    "tiles/orange_square_tiles": Finish(draw.squares, (205, 140, 100), (222, 208, 190)),
    "tiles/orange_tiles": TERRACOTTA,
    "tiles/varied_marble_tiles": Finish(draw.subway, (204, 198, 186), (176, 168, 154)),
    "tiles/white_square_tiles": Finish(draw.squares, PAINT["white"], (196, 197, 196)),
    "tiles/white_tiles": Finish(draw.subway, PAINT["white"], (200, 200, 197)),
    "wood/dark_wood_parquet": Finish(draw.parquet, WOOD["smoked oak"]),
    "wood/dark_wood_planks": Finish(draw.planks, WOOD["smoked oak"]),
    "wood/dark_wood_planks_2": Finish(draw.wide_planks, (96, 72, 55)),
    "wood/gray_wood_grain": Finish(draw.grain, (142, 135, 126)),
    "wood/gray_wood_planks": Finish(draw.planks, (150, 143, 134)),
    "wood/greenheart_wood_grain": Finish(draw.grain, (126, 104, 72)),
    "wood/light_wood_parquet": Finish(draw.parquet, WOOD["birch"]),
    "wood/light_wood_planks": Finish(draw.planks, WOOD["birch"]),
    "wood/light_wood_planks_2": Finish(draw.wide_planks, (208, 184, 150)),
    "wood/light_wood_planks_long": Finish(draw.wide_planks, (201, 178, 146)),
    "wood/varnished_wood_planks": Finish(draw.block, (166, 114, 68)),
    "wood/walnut_wood_grain": Finish(draw.grain, WOOD["walnut"]),
    "wood/warm_wood_grain_2": Finish(draw.grain, WOOD["honey oak"]),
    "wood/warm_wood_parquet": Finish(draw.parquet, (170, 118, 74)),
    "wood/warm_wood_planks": Finish(draw.planks, (176, 126, 82)),
    "wood/wood_grain_1": Finish(draw.grain, WOOD["oak"]),
    "wood/wood_grain_3": Finish(draw.grain, (196, 163, 122)),
    "wood/wood_planks": Finish(draw.planks, WOOD["oak"]),
    "wood/wood_planks_2": Finish(draw.planks, (182, 140, 96)),
    "wood/wood_planks_3": Finish(draw.wide_planks, (158, 120, 84)),
    "wood/wood_planks_wall": Finish(draw.wide_planks, (199, 176, 146)),
}


def finish_of(texture: str) -> Finish:
    """Return the finish of a texture such as `textures/flat/white.png`; unknown names get a light paint."""
    path = PurePosixPath(texture).with_suffix("")
    role = path.parent.name
    if path.parts[0] != "generative_textures":
        key = path.relative_to(path.parts[0]).as_posix()
        return NAMED.get(key, Finish(draw.paint, PAINT["light grey"]))
    rng = stream(f"finish {texture}")
    finish = ROLES[role][rng.integers(len(ROLES[role]))]
    warmth = rng.uniform(-3, 3) * np.array((1.0, 0.2, -1.0))
    shaded = np.array(finish.colour) * rng.uniform(0.93, 1.04) + warmth
    red, green, blue = np.clip(shaded, 0, 250).astype(int).tolist()
    return finish._replace(colour=(red, green, blue))


def draw_texture(texture: str) -> np.ndarray:
    """Draw a texture: uint8 (SIZE, SIZE, 3)."""
    finish = finish_of(texture)
    image = finish.pattern(stream(texture), finish.colour, finish.accent)
    return np.clip(np.round(image), 0, 255).astype(np.uint8)


def write_texture(root: Path, texture: str) -> None:
    """Draw `texture` into the file of that name under `root`."""
    path = root / texture
    path.parent.mkdir(parents=True, exist_ok=True)
    Image.fromarray(draw_texture(texture)).save(path, compress_level=1)
