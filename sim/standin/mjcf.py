"""A small builder for the `model.xml` files that RoboCasa reads as fixtures and objects.

What RoboCasa expects of such a file, and what this builder therefore always writes:

- the model sits at `worldbody/body/body[@name="object"]`, its front towards -y;
- geoms in group 0 collide and are never drawn, geoms in group 1 are drawn and never collide;
- `reg_*` boxes are invisible regions (where things fit, where an inside is). They are read in the fixture's
  frame, so every moving body stays at the origin and a joint carries its own anchor;
- `bottom_site`, `top_site` and `horizontal_radius_site` of the outer body give the extent.

Lengths are metres, angles radians, masses kilograms. Sizes are MuJoCo half sizes: (x, y, z) for a box or
ellipsoid, (radius, half height) for a cylinder.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple
from xml.etree import ElementTree

import numpy as np

Vec = Sequence[float] | np.ndarray

_INVISIBLE = {"contype": "0", "conaffinity": "0", "mass": "0.00001"}
_GRIP = "1.2 0.3 0.1"


class Spring(NamedTuple):
    """A spring on a joint: stiffness (N/m or N m/rad) and the joint position at which it rests."""

    stiffness: float
    rest: float


def numbers(values: Vec) -> str:
    """Format numbers for an XML attribute; adding 0.0 keeps a negative zero out of the file."""
    return " ".join(f"{float(value) + 0.0:.5g}" for value in values)


class Model:
    """One model.xml in the making; methods append to the body that is currently open."""

    def __init__(self, name: str) -> None:
        self.name = name
        self._root = ElementTree.Element("mujoco", model=name)
        ElementTree.SubElement(self._root, "compiler", angle="radian")
        self._asset = ElementTree.SubElement(self._root, "asset")
        self._write_defaults(ElementTree.SubElement(self._root, "default"))
        self._outer = ElementTree.SubElement(ElementTree.SubElement(self._root, "worldbody"), "body")
        self._open = [ElementTree.SubElement(self._outer, "body", name="object")]
        self._geoms = 0

    @staticmethod
    def _write_defaults(root: ElementTree.Element) -> None:
        def geom(name: str, **attributes: str) -> None:
            ElementTree.SubElement(ElementTree.SubElement(root, "default", {"class": name}), "geom", attributes)

        geom("visual", group="1", **_INVISIBLE)
        geom(
            "collision",
            group="0",
            rgba="0.5 0 0 0.5",
            density="100",
            solimp="0.998 0.998 0.001",
            solref="0.02 1",
            friction="0.95 0.3 0.1",
        )
        geom("region", group="1", rgba="0 1 0 0", **_INVISIBLE)

    # ---- assets

    def material(self, name: str, rgba: Vec, gloss: float = 0.3) -> None:
        """Add a plain material; `rgba` has 3 or 4 numbers in [0, 1].

        No material ever reflects: a mirror would show what a task hides.
        """
        rgba = (*rgba, 1.0) if len(rgba) == 3 else rgba
        self._material(name, gloss, rgba=numbers(rgba))

    def textured(self, file: str, gloss: float) -> None:
        """Add the texture `tex` and material `mat` whose image RoboCasa swaps for the style's.

        The texture is a cube map: RoboCasa rescales these panels and handles without regard to rotation.
        """
        ElementTree.SubElement(self._asset, "texture", name="tex", type="cube", file=file)
        self._material("mat", gloss, texture="tex")

    def _material(self, name: str, gloss: float, **attributes: str) -> None:
        shine = {"specular": f"{gloss:.3g}", "shininess": f"{gloss:.3g}", "reflectance": "0"}
        ElementTree.SubElement(self._asset, "material", {"name": name, **attributes, **shine})

    # ---- geoms

    def geom(
        self,
        kind: str,
        pos: Vec,
        size: Vec,
        material: str = "body",
        *,
        name: str | None = None,
        solid: bool = True,
        shown: bool = True,
        grip: bool = False,
        mass: float | None = None,
        euler: Vec | None = None,
    ) -> None:
        """Append a shape: a collision geom if `solid`, a visual one if `shown`; `grip` adds friction."""
        self._geoms += 1
        name = name or f"p{self._geoms}"
        shape = {"type": kind, "pos": numbers(pos), "size": numbers(size)}
        if euler is not None:
            shape["euler"] = numbers(euler)
        if solid:
            extra = {} if mass is None else {"mass": numbers((mass,))}
            if grip:
                extra["friction"] = _GRIP
            self._add("geom", {"class": "collision", "name": name, **shape, **extra})
        if shown:
            self._add("geom", {"class": "visual", "name": f"{name}_vis", "material": material, **shape})

    def box(self, pos: Vec, size: Vec, material: str = "body", **options: Any) -> None:
        """Append a box of half sizes `size` (3,)."""
        self.geom("box", pos, size, material, **options)

    def cylinder(self, pos: Vec, radius: float, half: float, material: str = "body", **options: Any) -> None:
        """Append an upright cylinder."""
        self.geom("cylinder", pos, (radius, half), material, **options)

    def region(self, name: str, low: Vec, high: Vec) -> None:
        """Append the invisible box `reg_<name>` that spans the corners `low` and `high`."""
        pos = [(a + b) / 2 for a, b in zip(low, high, strict=True)]
        size = [(b - a) / 2 for a, b in zip(low, high, strict=True)]
        box = {"class": "region", "name": f"reg_{name}", "type": "box"}
        # RoboCasa recolours regions and needs the attribute on the geom itself, not only in its class.
        self._add("geom", {**box, "rgba": "0 1 0 0", "pos": numbers(pos), "size": numbers(size)})

    def extent(self, width: float, depth: float, height: float, name: str = "main") -> None:
        """Declare the outer box, centred on the origin: the region and the three extent sites."""
        half = (width / 2, depth / 2, height / 2)
        self.region(name, [-x for x in half], half)
        self._outer_site("bottom_site", (0, 0, -half[2]))
        self._outer_site("top_site", (0, 0, half[2]))
        self._outer_site("horizontal_radius_site", (half[0], half[1], 0))

    def anchor(self, pos: Vec) -> None:
        """Mark where RoboCasa puts a companion (a lid, the vinegar next to the oil)."""
        self._outer_site("anchor_site", pos)

    def _outer_site(self, name: str, pos: Vec) -> None:
        ElementTree.SubElement(self._outer, "site", name=name, pos=numbers(pos), size="0.005", rgba="0 0 0 0")

    def site(self, name: str, pos: Vec, size: Vec = (0.01,), rgba: Vec = (0, 0, 0, 0)) -> None:
        """Append a site to the open body: a sphere, or an upright cylinder if `size` has two numbers."""
        kind = "sphere" if len(size) == 1 else "cylinder"
        shape = {"type": kind, "pos": numbers(pos), "size": numbers(size), "rgba": numbers(rgba)}
        self._add("site", {"name": name, **shape})

    # ---- moving parts

    @contextmanager
    def body(self, name: str) -> Iterator[None]:
        """Open a child body at the origin for the length of a `with` block."""
        self._open.append(ElementTree.SubElement(self._open[-1], "body", name=name, pos="0 0 0"))
        yield
        self._open.pop()

    def joint(
        self,
        name: str,
        kind: str,
        axis: Vec,
        span: Vec,
        at: Vec = (0, 0, 0),
        *,
        damping: float = 1.0,
        friction: float = 0.1,
        spring: Spring | None = None,
    ) -> None:
        """Append a joint of `kind` hinge or slide, anchored `at`, that moves within `span`."""
        attributes = {
            "name": name,
            "type": kind,
            "axis": numbers(axis),
            "range": numbers(span),
            "limited": "true",
            "pos": numbers(at),
            "damping": numbers((damping,)),
            "frictionloss": numbers((friction,)),
            "armature": "0.005",
        }
        if spring:
            attributes |= {"stiffness": numbers((spring.stiffness,)), "springref": numbers((spring.rest,))}
        self._add("joint", attributes)

    def _add(self, tag: str, attributes: dict[str, str]) -> None:
        ElementTree.SubElement(self._open[-1], tag, attributes)

    # ---- output

    def write(self, path: Path) -> None:
        """Write the model; one under `objects/` also serves as a loose object, which needs `reg_bbox`."""
        if "objects" in path.parts:
            self._add_bbox()
        ElementTree.indent(self._root, " ")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(ElementTree.tostring(self._root))

    def _add_bbox(self) -> None:
        regions = {geom.get("name"): geom for geom in self._open[0].iter("geom")}
        if "reg_bbox" not in regions:
            ElementTree.SubElement(self._open[0], "geom", regions["reg_main"].attrib | {"name": "reg_bbox"})
