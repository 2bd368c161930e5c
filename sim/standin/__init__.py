"""Stand-in assets for RoboCasa365 kitchens: everything its registries name, generated instead of downloaded.

RoboCasa's code, layouts and styles install from PyPI; its textures and meshes are a separate download of
7-24 GB. `ensure_pack` draws the textures with numpy and builds the fixtures from primitive geoms, so that all
60 layouts build and simulate from a plain install.
"""

from sim.standin.pack import ensure_pack

__all__ = ["ensure_pack"]
