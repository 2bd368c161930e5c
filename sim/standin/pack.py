"""Generates the stand-in asset pack into the user's cache, once per version."""

import hashlib
import os
import re
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path

from sim.standin import registries
from sim.standin.cabinets import bar_handle, knob_handle, panel
from sim.standin.fixtures import build_fixture
from sim.standin.mjcf import Model
from sim.standin.objects import MODELS_PER_CATEGORY, build_object
from sim.standin.textures import write_texture

_REFLECTANCE = re.compile(r'(reflectance(?:=|:\s*))"[^"]*"')
_FLOOR_MATERIAL = """\
  mat_attrib:
    texrepeat: "2 2"
    texuniform: "true"
    shininess: "0.1"
    reflectance: "0"
"""


def default_cache() -> Path:
    """Return the cache folder of this program: under `$XDG_CACHE_HOME`, else under `~/.cache`."""
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "exploring-demonstrations"


def pack_version() -> str:
    """Return 16 hex digits that change with this generator's code or the installed RoboCasa's asset lists."""
    digest = hashlib.sha256()
    models, generator = registries.models_folder(), Path(__file__).parent
    for root, files in (
        (generator, sorted(generator.glob("*.py"))),
        (models, registries.source_files(models)),
    ):
        for path in files:
            content = path.read_bytes()
            digest.update(f"{path.relative_to(root).as_posix()} {len(content)}\n".encode())
            digest.update(content)
    return digest.hexdigest()[:16]


def ensure_pack(cache: Path | None = None) -> Path:
    """Return the folder of the stand-in assets, generating it if this version is not there yet.

    Set `robocasa.models.assets_root` to the result before anything else of RoboCasa is imported. Several
    processes may call this at once: each generates beside the final name, and the first rename wins.

    Args:
        cache: the folder that holds the packs; `default_cache()` if None.

    Raises:
        RoboCasaMissing: RoboCasa is not installed.
    """
    cache = default_cache() if cache is None else cache
    pack = cache / f"standin-{pack_version()}"
    if pack.is_dir():
        return pack
    cache.mkdir(parents=True, exist_ok=True)
    scratch = Path(tempfile.mkdtemp(prefix=f".{pack.name}-", dir=cache))
    try:
        generate(scratch / "pack")
        try:
            (scratch / "pack").rename(pack)
        except OSError:
            if not pack.is_dir():  # another process published the same bytes first
                raise
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
    return pack


def generate(root: Path) -> None:
    """Write the whole pack into the new folder `root`."""
    models = registries.models_folder()
    _copy_bundled(models / "assets", root)
    for texture in registries.textures(models):
        write_texture(root, texture)
    for registry, path in registries.fixtures(models):
        if not (root / path).exists():
            build_fixture(registry, Path(path).parent.name).write(root / path)
    for path in registries.panels(models):
        _write_textured(root, path, panel, "textures/wood/dark_wood_parquet.png")
    for path, is_knob in registries.handles(models):
        _write_textured(root, path, knob_handle if is_knob else bar_handle, "textures/metals/bright_metal.png")
    for category in registries.object_categories(models):
        for i in range(MODELS_PER_CATEGORY):
            name = f"{category.name}_std{i}"
            folder = root / "objects" / category.folder / name
            model = build_object(category, name)
            for file in ("model.xml", "model_upright.xml"):
                model.write((folder / f"{name}_aux" if category.nested else folder) / file)


def _copy_bundled(source: Path, root: Path) -> None:
    """Copy what RoboCasa's wheel bundles, without mirrors: a reflecting wall would show what a task hides."""
    for path in sorted(source.rglob("*")):
        target = root / path.relative_to(source)
        if path.is_dir():
            target.mkdir(parents=True, exist_ok=True)
        elif path.suffix in (".yaml", ".xml"):
            text = _REFLECTANCE.sub(r'\1"0"', path.read_text(encoding="utf-8"))
            if target.name == "floor.yaml":  # the default floor leaves the material, and a mirror, to RoboCasa's code
                text = re.sub(r"(?m)^(default:\n  texture: .*\n)", rf"\1{_FLOOR_MATERIAL}", text, count=1)
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(text.encode())
        else:
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, target)


def _write_textured(root: Path, path: str, build: Callable[[Model, str], None], texture: str) -> None:
    """Build a panel or handle whose placeholder texture is found from the model's own folder."""
    model = Model(Path(path).parent.name)
    build(model, "../" * path.count("/") + texture)
    model.write(root / path)
