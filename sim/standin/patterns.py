"""Drawing primitives of the stand-in textures: each pattern returns a tileable image.

An image is float32 (SIZE, SIZE, 3) in 0-255. Its rows run down: on doors and walls RoboCasa maps them to the
vertical, on counters and floors to the depth.
"""

import numpy as np
from PIL import Image

from sim.standin.palette import Colour, darker

SIZE = 192
Picture = np.ndarray


def noise(rng: np.random.Generator, rows: int, columns: int) -> np.ndarray:
    """Return smooth tileable noise (SIZE, SIZE) in about [-1, 1] with `rows` x `columns` bumps."""
    grid = rng.uniform(-1, 1, (rows, columns)).astype(np.float32)
    # Bicubic resampling looks two cells ahead: pad with the opposite edge and cut the middle out again.
    padded = Image.fromarray(np.pad(grid, 2, mode="wrap"))
    box = (2.0, 2.0, 2.0 + columns, 2.0 + rows)
    return np.asarray(padded.resize((SIZE, SIZE), Image.Resampling.BICUBIC, box=box))


def cloud(rng: np.random.Generator, base: int = 3, octaves: int = 4) -> np.ndarray:
    """Return fractal noise (SIZE, SIZE) in about [-1, 1]."""
    weights = (0.5 ** np.arange(octaves)).astype(np.float32)
    return sum(weight * noise(rng, base << i, base << i) for i, weight in enumerate(weights / weights.sum()))


def flat(colour: Colour, shade: np.ndarray | float = 1.0) -> np.ndarray:
    """Return `colour` times `shade`, which is a number or an array (SIZE, SIZE)."""
    shade = np.broadcast_to(np.asarray(shade, np.float32), (SIZE, SIZE))
    return np.asarray(colour, np.float32) * shade[..., None]


def _axes() -> tuple[np.ndarray, np.ndarray]:
    steps = (np.arange(SIZE) + 0.5) / SIZE
    return steps[:, None], steps[None, :]


# ---- plain and natural surfaces


def paint(rng: np.random.Generator, colour: Colour, accent: Colour) -> Picture:
    """Painted or plastered: nearly flat."""
    return flat(colour, 1 + 0.012 * cloud(rng))


def plaster(rng: np.random.Generator, colour: Colour, accent: Colour) -> Picture:
    """Trowelled plaster or concrete: soft clouds."""
    return flat(colour, 1 + 0.05 * cloud(rng) + 0.015 * noise(rng, 64, 64))


def grain(rng: np.random.Generator, colour: Colour, accent: Colour) -> Picture:
    """Wood with its grain running down the image."""
    fibre = 0.5 * noise(rng, 2, 48) + 0.5 * noise(rng, 4, 120)
    bands = noise(rng, 1, 7) + 0.3 * noise(rng, 2, 12)
    return flat(colour, 1 + 0.075 * fibre + 0.06 * bands)


def marble(rng: np.random.Generator, colour: Colour, accent: Colour) -> Picture:
    """Polished stone with veins in `accent`."""
    field = cloud(rng, 2) + 0.25 * cloud(rng, 5)
    vein = np.exp(-np.abs(field) * 22) * (0.45 + 0.35 * noise(rng, 4, 4))
    vein += 0.35 * np.exp(-np.abs(cloud(rng, 3)) * 30)
    vein = np.clip(vein, 0, 1)[..., None] * 0.75
    return flat(colour, 1 + 0.02 * cloud(rng)) * (1 - vein) + flat(accent) * vein


def granite(rng: np.random.Generator, colour: Colour, accent: Colour) -> Picture:
    """Speckled stone: grains of `accent` and of white on `colour`."""
    fine = 0.75 * noise(rng, 64, 64) + 0.25 * noise(rng, 12, 12)
    image = flat(colour, 1 + 0.04 * noise(rng, 32, 32))
    dark = (fine > 0.35)[..., None] * 0.35
    image = image * (1 - dark) + flat(accent) * dark
    bright = (fine < -0.42)[..., None] * 0.25
    return image * (1 - bright) + 238 * bright


# ---- boards and tiles


def _courses(
    rng: np.random.Generator,
    colour: Colour,
    joint: Colour,
    rows: int,
    columns: int,
    *,
    shift: float,
    gap: float,
    vary: float,
    texture: np.ndarray | None = None,
) -> Picture:
    """Lay `rows` x `columns` pieces, odd rows moved by `shift` of a piece.

    `gap` is the width of a joint in image widths. Each piece is up to `vary` lighter or darker than `colour`.
    """
    v, u = _axes()
    row = np.floor(v * rows).astype(int)
    along = (u * columns + shift * (row % 2)) % columns
    column = np.floor(along).astype(int)
    tones = 1 + rng.uniform(-vary, vary, (rows, columns)).astype(np.float32)
    image = flat(colour, tones[row, column] if texture is None else tones[row, column] * texture)
    down, across = (v * rows) % 1, along % 1
    edge = (np.minimum(down, 1 - down) / rows < gap / 2) | (np.minimum(across, 1 - across) / columns < gap / 2)
    image[edge] = joint
    return image


def planks(rng: np.random.Generator, colour: Colour, accent: Colour) -> Picture:
    """Floor boards lying across the image, joints in a darker tone."""
    fibre = 0.05 * noise(rng, 100, 4) + 0.05 * noise(rng, 48, 2)
    joint = darker(colour, 0.66)
    return _courses(rng, colour, joint, 6, 1, shift=0.4, gap=0.006, vary=0.09, texture=1 + fibre)


def wide_planks(rng: np.random.Generator, colour: Colour, accent: Colour) -> Picture:
    """Wider boards, as `planks`."""
    fibre = 0.05 * noise(rng, 90, 4) + 0.06 * noise(rng, 24, 2)
    joint = darker(colour, 0.62)
    return _courses(rng, colour, joint, 3, 1, shift=0.5, gap=0.007, vary=0.06, texture=1 + fibre)


def block(rng: np.random.Generator, colour: Colour, accent: Colour) -> Picture:
    """Butcher block: short narrow staves glued together, no dark joints."""
    fibre = 0.04 * noise(rng, 100, 6)
    joint = darker(colour, 0.88)
    return _courses(rng, colour, joint, 8, 2, shift=0.5, gap=0.004, vary=0.08, texture=1 + fibre)


def parquet(rng: np.random.Generator, colour: Colour, accent: Colour) -> Picture:
    """Basket weave: squares of four staves, alternately upright and lying."""
    v, u = _axes()
    cell = (np.floor(v * 2) + np.floor(u * 2)) % 2
    stave = np.where(cell > 0, np.floor(v * 8), np.floor(u * 8)).astype(int)
    square = (np.floor(v * 2) * 2 + np.floor(u * 2)).astype(int)
    tones = 1 + rng.uniform(-0.08, 0.08, (4, 8))
    fibre = np.where(cell > 0, noise(rng, 100, 6), noise(rng, 6, 100))
    image = flat(colour, tones[square, stave] * (1 + 0.05 * fibre))
    edge = np.where(cell > 0, (v * 8) % 1, (u * 8) % 1) < 0.05
    image[edge] *= 0.75
    return image


def subway(rng: np.random.Generator, colour: Colour, accent: Colour) -> Picture:
    """Glazed tiles twice as long as high in half bond, joints in `accent`."""
    return _courses(rng, colour, accent, 4, 2, shift=0.5, gap=0.014, vary=0.025)


def bricks(rng: np.random.Generator, colour: Colour, accent: Colour) -> Picture:
    """Rough bricks in half bond, mortar in `accent`."""
    rough = 1 + 0.04 * noise(rng, 48, 48) + 0.04 * noise(rng, 16, 16)
    return _courses(rng, colour, accent, 6, 2, shift=0.5, gap=0.022, vary=0.07, texture=rough)


def squares(rng: np.random.Generator, colour: Colour, accent: Colour) -> Picture:
    """Square tiles, joints in `accent`."""
    return _courses(rng, colour, accent, 3, 3, shift=0, gap=0.012, vary=0.03, texture=1 + 0.02 * cloud(rng))


def slabs(rng: np.random.Generator, colour: Colour, accent: Colour) -> Picture:
    """Large stone tiles, joints in `accent`."""
    return _courses(rng, colour, accent, 2, 1, shift=0.5, gap=0.008, vary=0.04, texture=1 + 0.05 * cloud(rng, 4))


def checker(rng: np.random.Generator, colour: Colour, accent: Colour) -> Picture:
    """Square tiles of `colour` and `accent` in turn."""
    v, u = _axes()
    odd = ((np.floor(v * 2) + np.floor(u * 2)) % 2)[..., None]
    image = flat(colour) * (1 - odd) + flat(accent) * odd
    edge = (np.minimum((v * 2) % 1, (u * 2) % 1) < 0.012)[..., None]
    return image * (1 + 0.03 * cloud(rng))[..., None] * (1 - 0.12 * edge)


def diamonds(rng: np.random.Generator, colour: Colour, accent: Colour) -> Picture:
    """Square tiles set on their corners, joints in `accent`."""
    v, u = _axes()
    a, b = ((u + v) * 2) % 1, ((u - v) * 2) % 1
    edge = np.minimum(np.minimum(a, 1 - a), np.minimum(b, 1 - b)) < 0.03
    image = flat(colour, 1 + 0.03 * cloud(rng))
    image[edge] = accent
    return image


def flowers(rng: np.random.Generator, colour: Colour, accent: Colour) -> Picture:
    """Cement tiles with a four-petalled figure in `accent`."""
    v, u = _axes()
    y, x = (v * 2) % 1 - 0.5, (u * 2) % 1 - 0.5
    radius, turn = np.hypot(x, y), np.arctan2(y, x)
    petal = (radius < 0.4 * np.abs(np.cos(2 * turn)) + 0.04) | (np.hypot(np.abs(x) - 0.5, np.abs(y) - 0.5) < 0.12)
    image = flat(colour, 1 + 0.02 * cloud(rng))
    image[petal] = accent
    return image


# ---- others


def brushed(rng: np.random.Generator, colour: Colour, accent: Colour) -> Picture:
    """Brushed metal."""
    return flat(colour, 1 + 0.03 * noise(rng, 128, 2))


def view(rng: np.random.Generator, colour: Colour, accent: Colour) -> Picture:
    """What is outside a window: sky `colour` that pales towards a line of hills in `accent`."""
    v, u = _axes()
    image = flat(colour) * (1 - 0.7 * v)[..., None] + flat((232, 238, 240)) * (0.7 * v)[..., None]
    for height, pale in ((0.62, 0.35), (0.72, 0.0)):
        phase = rng.uniform(0, 2 * np.pi)
        hill = v > height + 0.05 * np.sin(2 * np.pi * u + phase) + 0.02 * np.sin(6 * np.pi * u)
        image[hill] = np.asarray(accent) * (1 - pale) + np.asarray((215, 225, 228)) * pale
    return image
