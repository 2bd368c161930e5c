"""What the robot's cameras show at a moment: seen means enough pixels, bright enough, in one camera (DESIGN.md)."""

from __future__ import annotations

from collections.abc import Collection, Mapping

import numpy as np

from sim.camera import CAMERAS, Renderer
from sim.world import World

SIZE = 512
MIN_PIXELS = 150
MIN_BRIGHTNESS = 25.0
MIN_BRIGHTNESS_DARK = 3.0


class Eyes:
    """Looks through the three cameras of a world. Looking never changes the simulation."""

    def __init__(self, world: World, dark: bool = False) -> None:
        self._world = world
        self._renderer: Renderer | None = None
        self._brightness = MIN_BRIGHTNESS_DARK if dark else MIN_BRIGHTNESS

    def seen(
        self,
        things: Mapping[str, Collection[int]],
        min_pixels: int = MIN_PIXELS,
        cameras: Collection[str] = CAMERAS,
    ) -> dict[str, int]:
        """Which things a camera shows now.

        Args:
            things: name -> the (visual) geom ids that make it up.
            min_pixels: least number of pixels at 512 x 512, in one camera.

        Returns:
            name -> pixels in the camera that shows it best, for the things that are seen.
        """
        if self._renderer is None:
            self._renderer = Renderer(self._world.model, SIZE)
        best: dict[str, int] = {}
        for camera in cameras:
            shown = self._renderer.segmentation(self._world.judged(), camera)
            counts = np.bincount(shown[shown >= 0], minlength=self._world.model.ngeom)
            candidates = {n: sum(int(counts[g]) for g in geoms) for n, geoms in things.items()}
            candidates = {n: c for n, c in candidates.items() if c >= max(min_pixels, best.get(n, 0) + 1)}
            if not candidates:
                continue
            grey = self._renderer.rgb(self._world.judged(), camera).mean(axis=2)
            for name, count in candidates.items():
                if grey[np.isin(shown, list(things[name]))].mean() >= self._brightness:
                    best[name] = count
        return best

    def close(self) -> None:
        """Frees the renderer."""
        if self._renderer is not None:
            self._renderer.close()
            self._renderer = None

    def __enter__(self) -> Eyes:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()
