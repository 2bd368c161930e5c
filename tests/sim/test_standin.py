"""The stand-in asset pack: complete, compilable, deterministic, and never half-written."""

import hashlib
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import mujoco
import numpy as np
import pytest
import yaml
from PIL import Image

from sim.standin import ensure_pack, pack, registries
from sim.standin.textures import finish_of

STYLES = 60
LAYOUTS = 60


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("cache")


@pytest.fixture(scope="module")
def assets(cache: Path) -> Path:
    return ensure_pack(cache)


@pytest.fixture(scope="module")
def models() -> Path:
    return registries.models_folder()


def tree(root: Path) -> dict[str, str]:
    """Relative file name -> sha256."""
    files = sorted(path for path in root.rglob("*") if path.is_file())
    return {path.relative_to(root).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


def read_yaml(path: Path) -> dict:
    return yaml.load(path.read_text(), Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))


def style_tables(assets: Path) -> list[dict]:
    files = sorted((assets / "scenes" / "kitchen_styles").rglob("style*.yaml"))
    return [read_yaml(path) for path in files]


def test_two_processes_with_other_hash_seeds_write_the_same_bytes(assets: Path, tmp_path: Path) -> None:
    code = "import sys, pathlib; from sim.standin import ensure_pack; ensure_pack(pathlib.Path(sys.argv[1]))"
    environment = os.environ | {"PYTHONHASHSEED": "4711", "PYTHONPATH": str(Path(pack.__file__).parents[2])}
    subprocess.run([sys.executable, "-c", code, str(tmp_path)], check=True, env=environment)
    assert [path.name for path in tmp_path.iterdir()] == [assets.name]
    assert tree(tmp_path / assets.name) == tree(assets)


def test_every_named_texture_is_an_image(assets: Path, models: Path) -> None:
    names = registries.textures(models)
    assert len(names) > 400
    assert [name for name in names if not (assets / name).is_file()] == []
    for name in names[::25]:
        with Image.open(assets / name) as image:
            assert image.mode == "RGB"
            assert image.width == image.height


def test_every_named_model_is_there(assets: Path, models: Path) -> None:
    names = [path for _, path in registries.fixtures(models)]
    names += registries.panels(models) + [path for path, _ in registries.handles(models)]
    assert len(names) > 900
    assert [name for name in names if not (assets / name).is_file()] == []


def test_every_fixture_that_a_style_names_is_in_its_registry(assets: Path) -> None:
    folder = assets / "fixtures" / "fixture_registry"
    known = {path.stem: read_yaml(path) for path in folder.glob("*.yaml")}
    for style in style_tables(assets):
        for kind, name in style.items():
            if isinstance(name, str) and kind in known:  # style 1 has a key that nothing reads
                assert name in known[kind], (kind, name)


def test_every_generated_model_compiles(assets: Path, models: Path) -> None:
    paths = {path for _, path in registries.fixtures(models)}
    paths |= set(registries.panels(models)) | {path for path, _ in registries.handles(models)}
    objects = (assets / "objects").rglob("model.xml")
    paths |= {path.relative_to(assets).as_posix() for path in objects}
    for path in sorted(paths):
        model = mujoco.MjModel.from_xml_path(str(assets / path))
        assert set(model.geom_group) <= {0, 1}, path
        assert not model.mat_reflectance.any(), path
        names = {model.geom(i).name for i in range(model.ngeom)}
        assert names & {"reg_main", "reg_bbox"}, path
        assert "objects/" not in path or "reg_bbox" in names, path


REQUIRED = {
    "dishwasher": {"door_joint", "rack1_joint", "reg_rack0", "reg_rack1"},
    "electric_kettle": {"lid_joint", "switch_joint", "button_lid_joint"},
    "fridge_french_door": {"fridge_left_door_joint", "freezer_drawer0_joint", "reg_fridge2", "reg_freezer0"},
    "fridge_side_by_side": {"fridge_door_joint", "freezer_door_joint", "reg_fridge3", "reg_freezer3"},
    "microwave": {"microjoint", "start_button", "stop_button", "door_handle_main", "reg_tray"},
    "oven": {"door_joint", "knob_temp_joint", "knob_time_joint", "rack0", "rack0_joint", "reg_rack0"},
    "sink": {"handle_joint", "handle_temp_joint", "spout_joint", "water"},
    "stand_mixer": {"head_joint", "bowl_joint", "knob_speed_joint", "button_head_lock_joint", "reg_bowl"},
    "stove": {"knob_front_left_joint", "burner_on_front_left", "knob_rear_right_joint"},
    "stove_wide": {"knob_center_joint", "burner_on_center"},
    "toaster": {"slotL_floor", "lever_joint", "knob_doneness_joint", "button_cancel_joint", "reg_slotR"},
    "toaster_oven": {"door_joint", "knob_function_joint", "rack0", "reg_rack0"},
}


@pytest.mark.parametrize("registry", REQUIRED)
def test_fixtures_have_the_parts_robocasa_reads(assets: Path, models: Path, registry: str) -> None:
    path = next(path for kind, path in registries.fixtures(models) if kind == registry)
    model = mujoco.MjModel.from_xml_path(str(assets / path))
    kinds = {"body": model.nbody, "joint": model.njnt, "geom": model.ngeom, "site": model.nsite}
    names = {getattr(model, kind)(i).name for kind, count in kinds.items() for i in range(count)}
    assert REQUIRED[registry] <= names


def test_no_bundled_file_keeps_a_mirror(assets: Path) -> None:
    for path in [*assets.rglob("*.yaml"), *(assets / "fixtures" / "cabinets").rglob("*.xml")]:
        text = path.read_text()
        assert text.count("reflectance") == text.count('reflectance="0"') + text.count('reflectance: "0"'), path
    floors = read_yaml(assets / "fixtures" / "fixture_registry" / "floor.yaml")
    assert floors["default"]["mat_attrib"]["reflectance"] == "0"


def test_styles_and_layouts_are_all_there_and_no_two_styles_look_alike(assets: Path) -> None:
    assert len(list((assets / "scenes" / "kitchen_layouts").rglob("layout*.yaml"))) == LAYOUTS
    folder = assets / "fixtures" / "fixture_registry"
    tables = {kind: read_yaml(folder / f"{kind}.yaml") for kind in ("wall", "floor", "cabinet")}
    looks = set()
    for style in style_tables(assets):
        cabinet = style["cabinet"]["default"][0]
        names = [tables["wall"][style["wall"]], tables["floor"][style["floor"]], tables["cabinet"][cabinet]]
        colours = [np.asarray(Image.open(assets / row["texture"])).mean((0, 1)) for row in names]
        looks.add(tuple(np.round(np.concatenate(colours) / 8).astype(int).tolist()))
    assert len(looks) == STYLES


def test_finishes_suit_their_role() -> None:
    patterns = {
        role: {finish_of(f"generative_textures/{role}/tex{i:03d}.png").pattern.__name__ for i in range(1, 101)}
        for role in ("cabinet", "counter", "floor", "wall")
    }
    assert patterns["cabinet"] == {"paint", "grain"}
    assert not patterns["counter"] & {"bricks", "subway", "planks"}
    assert not patterns["wall"] & {"grain", "planks", "block"}
    assert "planks" in patterns["floor"]


def small(root: Path) -> None:
    """Stands in for the whole generator where only publishing is at stake."""
    root.mkdir()
    (root / "first").write_text("1")
    (root / "last").write_text("2")


def test_leftovers_of_a_killed_run_are_not_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pack, "generate", small)
    leftover = tmp_path / f".standin-{pack.pack_version()}-killed" / "pack"
    leftover.mkdir(parents=True)
    folder = ensure_pack(tmp_path)
    assert sorted(path.name for path in folder.iterdir()) == ["first", "last"]
    assert leftover.is_dir()


def test_a_failed_generation_publishes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(root: Path) -> None:
        small(root)
        raise OSError("disk full")

    monkeypatch.setattr(pack, "generate", fail)
    with pytest.raises(OSError, match="disk full"):
        ensure_pack(tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_processes_that_start_at_once_agree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pack, "generate", small)
    with ThreadPoolExecutor(8) as pool:
        folders = set(pool.map(lambda _: ensure_pack(tmp_path), range(8)))
    assert len(folders) == 1
    assert list(tmp_path.iterdir()) == list(folders)


def test_the_version_follows_the_sources(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = pack.pack_version()
    assert before == pack.pack_version()
    generator = tmp_path / "standin"
    generator.mkdir()
    (generator / "pack.py").write_text("other")
    monkeypatch.setattr(pack, "__file__", str(generator / "pack.py"))
    assert pack.pack_version() != before


def test_robocasa_is_not_imported() -> None:
    code = "import sys; import sim.standin; from sim.standin.pack import pack_version; pack_version();"
    code += "print([name for name in sys.modules if name.split('.')[0] in ('robocasa', 'robosuite')])"
    environment = os.environ | {"PYTHONPATH": str(Path(pack.__file__).parents[2])}
    run = subprocess.run([sys.executable, "-c", code], check=True, env=environment, capture_output=True, text=True)
    assert run.stdout.strip() == "[]"
