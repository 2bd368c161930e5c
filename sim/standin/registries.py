"""What an installed RoboCasa names: read from its files, never by importing it.

Importing `robocasa` would freeze paths under `robocasa.models.assets_root` before a caller could set it.
"""

import ast
import importlib.util
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import yaml

_TEXTURE = re.compile(r"((?:generative_)?textures/[\w\-./]+?\.(?:png|jpg))")
_PANEL = re.compile(r'"(fixtures/cabinets/cabinet_panels/[^"]+/model\.xml)"')
_HANDLE = re.compile(r'"(fixtures/handles/[^"]+/model\.xml)"')
_DRAWN_ELSEWHERE = {
    "cabinet",
    "counter",
    "wall",
    "floor",
    "wall_accessory",
}  # registries without models of their own

# Named by RoboCasa's bundled xml relative to themselves, or by code that builds the path.
_IMPLIED_TEXTURES = {
    "textures/ceramic.png",
    "textures/flat/light_gray.png",
    "textures/flat/white.png",
    "textures/metals/bright_metal.png",
    "textures/others/bk7.png",
}


class RoboCasaMissing(RuntimeError):
    """RoboCasa is not installed, or is not the version that bundles layouts and styles."""


class ObjectCategory(NamedTuple):
    """One row of RoboCasa's object table in one of its object libraries."""

    name: str
    type: str
    folder: str  # under objects/
    scale: tuple[float, float, float]
    nested: bool  # auxiliary objects live one folder deeper


def models_folder() -> Path:
    """Return `robocasa/models` of the installed package.

    Raises:
        RoboCasaMissing: no importable package `robocasa` with bundled assets.
    """
    spec = importlib.util.find_spec("robocasa")
    for location in (spec.submodule_search_locations or ()) if spec else ():
        models = Path(location) / "models"
        if (models / "assets" / "fixtures" / "fixture_registry").is_dir():
            return models
    raise RoboCasaMissing("robocasa with its bundled layouts was not found: install praxis-robocasa")


def source_files(models: Path) -> list[Path]:
    """Return, in a fixed order, every RoboCasa file the pack depends on."""
    files = [path for path in (models / "assets").rglob("*") if path.is_file()]
    return sorted(files + _code(models))


def _code(models: Path) -> list[Path]:
    return sorted(models.rglob("*.py"))


def textures(models: Path) -> list[str]:
    """Return every texture that RoboCasa's registries, models or code name, relative to the assets root."""
    found = set(_IMPLIED_TEXTURES)
    for path in source_files(models):
        if path.suffix in (".yaml", ".xml", ".py"):
            for line in path.read_text(encoding="utf-8").splitlines():
                if not line.lstrip().startswith("#"):
                    found.update(_TEXTURE.findall(line))
    return sorted(found)


def fixtures(models: Path) -> list[tuple[str, str]]:
    """Return (registry, path of its model.xml relative to the assets root) of every fixture."""
    rows = []
    for path in sorted((models / "assets" / "fixtures" / "fixture_registry").glob("*.yaml")):
        if path.stem in _DRAWN_ELSEWHERE:
            continue
        table = yaml.load(path.read_text(encoding="utf-8"), Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
        for entry in (table or {}).values():
            if isinstance(entry, dict) and "xml" in entry:
                xml = entry["xml"].rstrip("/")
                rows.append((path.stem, xml if xml.endswith(".xml") else f"{xml}/model.xml"))
    return list(dict.fromkeys(rows))


def panels(models: Path) -> list[str]:
    """Return the model paths of the cabinet door panels."""
    return list(dict.fromkeys(_PANEL.findall(_text(models, "cabinets.py"))))


def handles(models: Path) -> list[tuple[str, bool]]:
    """Return (model path, is it a knob) of the cabinet handles."""
    bars, _, knobs = _text(models, "cabinet_panels.py").partition("VISUAL_MESH_KNOB_HANDLE_REG")
    return [(path, False) for path in _HANDLE.findall(bars)] + [(path, True) for path in _HANDLE.findall(knobs)]


def _text(models: Path, name: str) -> str:
    return (models / "fixtures" / name).read_text(encoding="utf-8")


def object_categories(models: Path) -> list[ObjectCategory]:
    """Return the loose-object categories of the libraries that RoboCasa samples from by default."""
    return list(_categories(models))


def _categories(models: Path) -> Iterator[ObjectCategory]:
    for name, row in _object_table(models).items():
        kind = row["types"] if isinstance(row["types"], str) else next(iter(row["types"]), "sweets")
        for library in ("objaverse", "lightwheel"):
            if library not in row:
                continue
            entry = row[library]
            scale = entry.get("scale", 1.0)
            scale = tuple(scale) if isinstance(scale, list | tuple) else (scale,) * 3
            nested = entry.get("is_auxiliary_obj", row.get("is_auxiliary_obj", False))
            for folder in entry.get("model_folders", [f"{library}/{name}"]):
                yield ObjectCategory(name, kind, folder, scale, nested)


def _object_table(models: Path) -> dict[str, dict]:
    """Evaluate `OBJ_CATEGORIES = dict(...)`, an expression of builtins, without running the module."""
    path = models / "objects" / "kitchen_objects.py"
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "OBJ_CATEGORIES":
            table = compile(ast.Expression(node.value), str(path), "eval")
            return eval(table, {})
    raise RoboCasaMissing("robocasa has no OBJ_CATEGORIES table: this version is not supported")
