"""Frames: upright, deterministic, leak free, and the same whatever the speed-ups do."""

from __future__ import annotations

import gc
import hashlib
import re
import subprocess
import sys
from pathlib import Path

import mujoco
import numpy as np
import psutil
import pytest
from skimage.metrics import structural_similarity

from sim.assets import asset_roots
from sim.camera import CAMERAS, Renderer, RendererClosed, UnknownCamera, area_mean
from sim.frustum import in_view
from sim.kitchen import KitchenId, compose
from sim.light_meshes import lightened, visual_meshes

ROOT = Path(__file__).parents[2]
HOME = (-0.016, -1.034, -0.024, -2.276, 0.039, 1.516, 0.696)

TOY = """
<mujoco>
  <asset>
    <texture name="t" type="2d" builtin="checker" rgb1="1 0 0" rgb2="0 0 1" width="512" height="512"/>
    <material name="m" texture="t"/>
  </asset>
  <worldbody>
    <light pos="0 0 5" castshadow="true"/>
    <camera name="front" pos="0 -2 0" xyaxes="1 0 0 0 0 1" fovy="60"/>
    <geom name="high" type="box" size=".3 .1 .2" pos="0 0 .5" rgba="1 0 0 1" group="1"/>
    <geom name="right" type="box" size=".1 .1 .1" pos=".7 0 -.5" material="m" group="1"/>
    <geom name="hidden" type="box" size=".3 .3 .3" pos="-.6 0 -.4" rgba="0 1 0 1" group="0"/>
    <geom name="behind" type="sphere" size=".3" pos="0 -4 0" group="1"/>
    <site name="mark" type="sphere" size=".2" pos="-.5 0 .4" rgba="0 1 0 1"/>
  </worldbody>
</mujoco>
"""


def toy() -> tuple[mujoco.MjModel, mujoco.MjData]:
    model = mujoco.MjModel.from_xml_string(TOY)
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    return model, data


@pytest.fixture(scope="module")
def kitchen_xml() -> str:
    """Layout 12 with the robot before the island."""
    roots = asset_roots()
    xml = roots.load(compose(KitchenId(12, 3), roots).xml)
    return re.sub(r'(<body [^>]*name="robot0_base"[^>]*?)pos="[^"]*"', r'\1pos="1.4 -3.7 0"', xml)


@pytest.fixture(scope="module")
def kitchen(kitchen_xml: str) -> tuple[mujoco.MjModel, mujoco.MjData]:
    model = mujoco.MjModel.from_xml_string(kitchen_xml)
    data = mujoco.MjData(model)
    pose(model, data, np.zeros(7))
    return model, data


def pose(model: mujoco.MjModel, data: mujoco.MjData, offset: np.ndarray) -> None:
    for i, angle in enumerate(HOME + offset):
        data.qpos[model.joint(f"robot0_joint{i + 1}").qposadr[0]] = angle
    mujoco.mj_forward(model, data)


def test_upright_and_only_visual_geoms() -> None:
    model, data = toy()
    with Renderer(model, 64) as renderer:
        colour = renderer.rgb(data, "front")
        ids = renderer.segmentation(data, "front")
    assert colour.shape == (64, 64, 3) and colour.dtype == np.uint8
    assert ids.shape == (64, 64) and ids.dtype == np.int32
    assert set(np.unique(ids)) == {-1, model.geom("high").id, model.geom("right").id}
    rows, columns = np.nonzero(ids == model.geom("high").id)
    assert rows.max() < 32 and abs(columns.mean() - 31.5) < 1
    rows, columns = np.nonzero(ids == model.geom("right").id)
    assert rows.min() > 32 and columns.min() > 32
    red = colour[ids == model.geom("high").id]
    assert red[:, 0].mean() > 100 > 3 * red[:, 1:].mean()


def test_segmentation_ids_stay_exact_under_multisampling() -> None:
    model, data = toy()
    with Renderer(model, 64) as plain, Renderer(model, 64, samples=4) as smooth:
        assert set(np.unique(smooth.segmentation(data, "front"))) == set(np.unique(plain.segmentation(data, "front")))


def test_supersample_is_the_rounded_area_mean() -> None:
    model, data = toy()
    with Renderer(model, 96) as large:
        big = large.rgb(data, "front")
    with Renderer(model, 32, supersample=3) as renderer:
        small, ids = renderer.rgb(data, "front"), renderer.segmentation(data, "front")
    mean = big.reshape(32, 3, 32, 3, 3).astype(float).mean(axis=(1, 3))
    assert small.shape == (32, 32, 3) and ids.shape == (32, 32)
    assert (small == np.floor(mean + 0.5 + 1e-9)).all()
    assert area_mean(np.array([[[0] * 3, [1] * 3], [[0] * 3, [1] * 3]], np.uint8), 2).tolist() == [[[1, 1, 1]]]


def test_free_camera_sees_what_is_behind_the_fixed_one() -> None:
    model, data = toy()
    with Renderer(model, 64) as renderer:
        renderer.rgb(data, "front")
        behind = renderer.rgb_free(data, lookat=[0, -4, 0], distance=1.5, azimuth=90, elevation=0)
    assert behind[32, 32].min() > 20


def test_errors() -> None:
    model, data = toy()
    renderer = Renderer(model, 32)
    with pytest.raises(UnknownCamera, match="no camera 'wrist'"):
        renderer.rgb(data, "wrist")
    renderer.close()
    renderer.close()
    with pytest.raises(RendererClosed):
        renderer.rgb(data, "front")
    with pytest.raises(ValueError, match=r"render\.meshes='tiny' is not known"):
        Renderer(model, 32, meshes="tiny")
    with pytest.raises(ValueError, match="must be >= 1"):
        Renderer(model, 0)


def test_two_renderers_do_not_disturb_each_other() -> None:
    """robosuite#779: objects freed with another context current spoil that context's frames."""
    model, data = toy()
    with Renderer(model, 64) as first:
        before = first.rgb(data, "front")
        second = Renderer(model, 48)
        second.rgb(data, "front")
        second.close()
        del second
        gc.collect()
        assert (first.rgb(data, "front") == before).all()


def test_opening_and_closing_does_not_leak() -> None:
    process, sizes = psutil.Process(), []
    for _ in range(24):
        model, data = toy()
        with Renderer(model, 256) as renderer:
            renderer.rgb(data, "front")
        gc.collect()
        sizes.append(process.memory_info().rss / 1e6)
    assert sizes[-1] - sizes[3] < 4, sizes  # one texture with its mipmaps is 1.4 MB


def test_culling_changes_no_pixel(kitchen) -> None:
    model, data = kitchen
    groups = model.geom_group.copy()
    for meshes in ("full", "light"):
        with Renderer(model, 128, meshes=meshes) as fast, Renderer(model, 128, meshes=meshes, cull=False) as slow:
            for camera in CAMERAS:
                assert (fast.rgb(data, camera) == slow.rgb(data, camera)).all()
                assert (fast.segmentation(data, camera) == slow.segmentation(data, camera)).all()
    assert (model.geom_group == groups).all()
    visual = np.flatnonzero(model.geom_group == 1)
    assert in_view(model, data, model.camera("robot0_eye_in_hand").id, visual).mean() < 0.3


def test_light_meshes_look_the_same(kitchen) -> None:
    model, data = kitchen
    rng = np.random.default_rng(0)
    with Renderer(model, 256, meshes="full") as full, Renderer(model, 256, meshes="light") as light:
        for offset in (np.zeros(7), rng.uniform(-0.5, 0.5, 7), rng.uniform(-0.5, 0.5, 7)):
            pose(model, data, offset)
            for camera in CAMERAS:
                ours, truth = light.rgb(data, camera), full.rgb(data, camera)
                assert structural_similarity(ours, truth, channel_axis=2) >= 0.98
                changed = light.segmentation(data, camera) != full.segmentation(data, camera)
                assert changed.mean() < 0.01
    pose(model, data, np.zeros(7))


def test_light_meshes_leave_the_model_alone(kitchen, tmp_path: Path) -> None:
    model, _ = kitchen
    before = np.empty(mujoco.mj_sizeModel(model), np.uint8)
    after = before.copy()
    mujoco.mj_saveModel(model, None, before)
    meshes = visual_meshes(model)
    triangles = model.mesh_facenum[meshes].sum()
    with lightened(model):
        assert model.mesh_facenum[meshes].sum() < triangles / 5
        collides = (model.geom_contype | model.geom_conaffinity) != 0
        solid = set(model.geom_dataid[collides & (model.geom_type == mujoco.mjtGeom.mjGEOM_MESH)].tolist())
        assert not solid & set(meshes)
    Renderer(model, 32).close()
    mujoco.mj_saveModel(model, None, after)
    assert (before == after).all()


def test_same_bytes_in_another_process(kitchen, kitchen_xml: str, tmp_path: Path) -> None:
    """This process has drawn with many contexts before, the other one with none."""
    model, data = kitchen
    pose(model, data, np.zeros(7))
    (tmp_path / "kitchen.xml").write_text(kitchen_xml)
    code = f"""
import sys
from sim.gl import setup_gl
setup_gl()
import mujoco, numpy as np
sys.path.insert(0, {str(Path(__file__).parent)!r})
import test_camera
model = mujoco.MjModel.from_xml_path({str(tmp_path / "kitchen.xml")!r})
data = mujoco.MjData(model)
test_camera.pose(model, data, np.zeros(7))
print(test_camera.digest(model, data))
"""
    other = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert other.stdout.split()[-1] == digest(model, data) == digest(model, data)


def digest(model: mujoco.MjModel, data: mujoco.MjData) -> str:
    """Hash of all frames of a moment."""
    sha = hashlib.sha256()
    with Renderer(model, 128, supersample=2) as renderer:
        for camera in CAMERAS:
            sha.update(renderer.rgb(data, camera).tobytes())
            sha.update(renderer.segmentation(data, camera).tobytes())
    return sha.hexdigest()
