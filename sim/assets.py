"""Where the files that a model refers to live, and how a stored model names them.

A stored model must load on another machine, so it never holds a path. Every `file=` is written as `<root>/<relative
path>`, where `<root>` is one of `ROOTS`; loading puts the folders of this machine back in.
"""

from __future__ import annotations

import hashlib
import importlib.util
import re
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

_FILE = re.compile(r'file="([^"]+)"')


class AssetError(ValueError):
    """An asset folder or file is missing, or is not the one a model was made with."""


@dataclass(frozen=True)
class AssetRoots:
    """The two folders that models take files from: the kitchen assets (stand-in pack or the real ones) and
    robosuite's.
    """

    kitchen: Path

    def folders(self) -> dict[str, Path]:
        """Root name -> folder."""
        return {"kitchen": self.kitchen, "robosuite": _package("robosuite") / "models" / "assets"}

    def store(self, xml: str) -> str:
        """Replaces absolute file names by `<root>/<relative path>`. Raises AssetError for a file outside the roots."""
        folders = {name: folder.resolve() for name, folder in self.folders().items()}

        def rewrite(match: re.Match[str]) -> str:
            path = Path(match[1]).resolve()
            for name, folder in folders.items():
                if path.is_relative_to(folder):
                    return f'file="{name}/{path.relative_to(folder).as_posix()}"'
            raise AssetError(
                f"the model uses {match[1]}, which lies in none of the asset folders ({', '.join(folders)})"
            )

        return _FILE.sub(rewrite, xml)

    def load(self, xml: str) -> str:
        """The inverse of `store`. Raises AssetError naming the first file that is missing here."""
        folders = self.folders()

        def rewrite(match: re.Match[str]) -> str:
            name, _, rest = match[1].partition("/")
            path = folders[name] / rest if name in folders else None
            if path is None or not path.is_file():
                raise AssetError(
                    f"asset {match[1]} is missing; set kitchen.assets to the folder this model was made with"
                )
            return f'file="{path}"'

        return _FILE.sub(rewrite, xml)

    def hashes(self, stored_xml: str) -> dict[str, str]:
        """sha256 (16 hex digits) of every file a stored model names, in name order."""
        folders = self.folders()
        names = sorted(set(_FILE.findall(stored_xml)))
        return {n: _digest(folders[n.partition("/")[0]] / n.partition("/")[2]) for n in names}


def asset_roots(kitchen_assets: str | Path | None = None) -> AssetRoots:
    """The folders to use: the given kitchen assets, or the stand-in pack, generated on first use.

    Raises AssetError if the given folder does not look like RoboCasa's assets.
    """
    if kitchen_assets is None:
        from sim.standin import ensure_pack

        return AssetRoots(ensure_pack())
    folder = Path(kitchen_assets).expanduser()
    for part in ("fixtures", "textures"):
        if not (folder / part).is_dir():
            raise AssetError(
                f"kitchen.assets={folder} is not a folder of RoboCasa assets (it has no {part}/); "
                "leave it out to use the generated stand-in pack"
            )
    return AssetRoots(folder)


def _package(name: str) -> Path:
    spec = importlib.util.find_spec(name)
    if spec is None or not spec.submodule_search_locations:
        raise AssetError(f"the package {name} is not installed")
    return Path(next(iter(spec.submodule_search_locations)))


@lru_cache(maxsize=4096)
def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()[:16]
