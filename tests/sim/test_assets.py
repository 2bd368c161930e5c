"""Stored models name files by root and relative path, never by a path of this machine."""

from __future__ import annotations

import hashlib
import re
from pathlib import Path

import pytest

from sim.assets import AssetError, AssetRoots, asset_roots
from sim.kitchen import Kitchen

FILE = re.compile(r'file="([^"]+)"')


@pytest.fixture
def small(tmp_path: Path) -> AssetRoots:
    """A kitchen asset folder with two files."""
    for name, content in (("textures/wood.png", b"wood"), ("fixtures/sink/bowl.obj", b"bowl")):
        path = tmp_path / "pack" / name
        path.parent.mkdir(parents=True)
        path.write_bytes(content)
    return AssetRoots(tmp_path / "pack")


def model(*files: str | Path) -> str:
    return "<mujoco><asset>" + "".join(f'<mesh file="{f}"/>' for f in files) + "</asset></mujoco>"


def test_round_trip(small: AssetRoots) -> None:
    local = model(small.kitchen / "textures/wood.png", small.kitchen / "fixtures/sink/bowl.obj")
    stored = small.store(local)
    assert stored == model("kitchen/textures/wood.png", "kitchen/fixtures/sink/bowl.obj")
    assert small.load(stored) == local


def test_a_stored_model_loads_in_another_folder(small: AssetRoots, tmp_path: Path) -> None:
    stored = small.store(model(small.kitchen / "textures/wood.png"))
    small.kitchen.rename(tmp_path / "moved")
    moved = AssetRoots(tmp_path / "moved")
    assert moved.load(stored) == model(tmp_path / "moved/textures/wood.png")


def test_storing_follows_links_and_dots(small: AssetRoots, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(small.kitchen)
    crooked = tmp_path / "link/fixtures/../textures/wood.png"
    assert small.store(model(crooked)) == model("kitchen/textures/wood.png")
    assert AssetRoots(tmp_path / "link").store(model(crooked)) == model("kitchen/textures/wood.png")


@pytest.mark.xdist_group("kitchen17")
def test_a_kitchen_is_stored_without_absolute_paths(kitchen17: Kitchen, roots: AssetRoots) -> None:
    names = FILE.findall(kitchen17.xml)
    assert {name.partition("/")[0] for name in names} == {"kitchen", "robosuite"}
    assert str(roots.kitchen) not in kitchen17.xml
    assert not re.search(r'="(/|~|[A-Z]:)', kitchen17.xml)
    assert str(Path.home()) not in kitchen17.xml
    assert roots.store(roots.load(kitchen17.xml)) == kitchen17.xml


def test_a_file_outside_the_roots_is_refused(small: AssetRoots, tmp_path: Path) -> None:
    (tmp_path / "stray.png").touch()
    with pytest.raises(AssetError, match=r"stray\.png, which lies in none of the asset folders \(kitchen, robosuite\)"):
        small.store(model(tmp_path / "stray.png"))


@pytest.mark.parametrize("name", ["kitchen/textures/none.png", "kitchen/textures", "attic/textures/wood.png"])
def test_a_missing_file_is_named(small: AssetRoots, name: str) -> None:
    with pytest.raises(AssetError, match=rf"asset {name} is missing; set kitchen\.assets"):
        small.load(model("kitchen/textures/wood.png", name))


@pytest.mark.parametrize("part", ["fixtures", "textures"])
def test_a_folder_that_holds_no_assets_is_refused(tmp_path: Path, part: str) -> None:
    for name in {"fixtures", "textures"} - {part}:
        (tmp_path / name).mkdir()
    with pytest.raises(AssetError, match=rf"kitchen\.assets={tmp_path} is not a folder .* \(it has no {part}/\)"):
        asset_roots(tmp_path)
    (tmp_path / part).mkdir()
    assert asset_roots(str(tmp_path)).kitchen == tmp_path


def test_hashes_are_of_the_content_in_name_order(small: AssetRoots) -> None:
    stored = model("kitchen/textures/wood.png", "kitchen/fixtures/sink/bowl.obj", "kitchen/textures/wood.png")
    expected = {
        "kitchen/fixtures/sink/bowl.obj": hashlib.sha256(b"bowl").hexdigest()[:16],
        "kitchen/textures/wood.png": hashlib.sha256(b"wood").hexdigest()[:16],
    }
    assert list(small.hashes(stored).items()) == list(expected.items())
