"""Frames from a recording alone; regenerate from published recordings."""

import dataclasses
import json

import numpy as np
import pytest
import toy

from pipeline import assemble
from pipeline import regenerate as regenerating
from pipeline.config import LimitsConf, RegenerateConf, RenderConf
from pipeline.pool import Kind, Result
from sim.gl import setup_gl

setup_gl("auto")

import mujoco  # noqa: E402

from sim.assets import AssetError, AssetRoots  # noqa: E402
from sim.camera import MUJOCO_CAMERAS, Renderer  # noqa: E402
from sim.recording import Recording  # noqa: E402
from sim.render import frames  # noqa: E402

SPEC = int(mujoco.mjtState.mjSTATE_INTEGRATION)


@pytest.fixture
def recorded(tmp_path):
    """A textured ball that falls past three cameras, and the folder of its texture."""
    (tmp_path / "textures").mkdir()
    rows = np.random.default_rng(0).integers(0, 255, (8, 8, 3), np.uint8)
    texture = tmp_path / "textures/ball.png"
    from PIL import Image

    Image.fromarray(rows).save(texture)
    cameras = "".join(
        f'<camera name="{name}" pos="{x} -2 0.5" xyaxes="1 0 0 0 0 1"/>'
        for x, name in enumerate(MUJOCO_CAMERAS.values(), start=-1)
    )
    stored = f"""<mujoco><asset><texture name="t" type="cube" file="kitchen/textures/ball.png"/>
        <material name="m" texture="t"/></asset><worldbody><light pos="0 0 3"/>{cameras}
        <body pos="0 0 1"><freejoint/><geom size="0.3" material="m" group="1"/></body></worldbody></mujoco>"""
    roots = AssetRoots(tmp_path)
    model = mujoco.MjModel.from_xml_string(roots.load(stored))
    data = mujoco.MjData(model)
    states = []
    for _ in range(4):
        state = np.empty(mujoco.mj_stateSize(model, SPEC))
        mujoco.mj_getState(model, data, state, SPEC)
        states.append(state)
        mujoco.mj_step(model, data, 50)
    recording = Recording(
        instance={"instance_id": "ball"},
        states=np.array(states),
        actions=np.zeros((3, 12), np.float32),
        spec=SPEC,
        controller=np.zeros(1),
        timeline=[],
        events=[],
        outcome={"success": True},
        model=stored,
        assets=roots.hashes(stored),
    )
    return recording, roots, texture


def test_frame_t_shows_the_state_before_action_t(recorded):
    recording, roots, _ = recorded
    pictures = list(frames(recording, roots, size=48))
    assert len(pictures) == recording.ticks == 3
    model = mujoco.MjModel.from_xml_string(roots.load(recording.model))
    data = mujoco.MjData(model)
    with Renderer(model, 48) as renderer:
        for state, picture in zip(recording.states, pictures, strict=False):
            mujoco.mj_setState(model, data, state, SPEC)
            mujoco.mj_forward(model, data)
            for camera in MUJOCO_CAMERAS:
                assert picture[camera].shape == (48, 48, 3)
                assert np.array_equal(picture[camera], renderer.rgb(data, camera))
    assert not np.array_equal(pictures[0]["wrist"], pictures[2]["wrist"])


def test_supersampling_changes_edges_not_the_size(recorded):
    recording, roots, _ = recorded
    plain = next(frames(recording, roots, size=48))["wrist"]
    smooth = next(frames(recording, roots, size=48, supersample=2))["wrist"]
    assert smooth.shape == plain.shape
    assert 0 < np.abs(smooth.astype(int) - plain).mean() < 20


def test_other_assets_are_refused(recorded):
    recording, roots, _ = recorded
    changed = dataclasses.replace(recording, assets={"kitchen/textures/ball.png": "0" * 16})
    with pytest.raises(AssetError, match="is not the file that recording ball was made with"):
        next(frames(changed, roots))


def test_missing_assets_are_named(recorded):
    recording, roots, texture = recorded
    texture.unlink()
    with pytest.raises(AssetError, match=r"kitchen/textures/ball\.png is missing"):
        next(frames(recording, roots))


class HerePool:
    """Does the calls in this process, at once."""

    workers = 1

    def __init__(self, *_):
        self.ended = []

    busy = property(lambda self: len(self.ended))
    free = property(lambda self: 1 - len(self.ended))

    def submit(self, key, function, argument, *, marker, limit):
        called = {toy.FUNCTIONS[0]: toy.simulate, toy.FUNCTIONS[1]: toy.draw}[function]
        self.ended.append((key, Result(Kind.DONE, called(argument))))

    def wait(self, timeout):
        ended, self.ended = self.ended, []
        return ended

    def close(self):
        pass


@pytest.fixture
def dataset(tmp_path, monkeypatch):
    from pipeline.run import run

    monkeypatch.setattr(assemble, "captions", toy.captions)
    monkeypatch.setattr(regenerating, "Pool", HerePool)
    conf = toy.configuration(tmp_path / "data", 3, 1)
    run(toy.plans(conf), conf, toy.FUNCTIONS, HerePool())
    return tmp_path / "data/toy"


def tree(root):
    return {str(p.relative_to(root)): p.read_bytes() for p in sorted(root.rglob("*")) if p.is_file()}


def settings(dataset, out, size, **more):
    limits = LimitsConf(memory_gb=0.2)
    return RegenerateConf(dataset=str(dataset), out=str(out), render=RenderConf(size=size), limits=limits, **more)


def test_regenerate_gives_the_same_bytes_and_other_sizes(dataset, tmp_path, capsys):
    before = tree(dataset)
    assert regenerating.regenerate(settings(dataset, tmp_path / "same/toy", 32), toy.FUNCTIONS[1]) == 0
    assert tree(tmp_path / "same/toy") == before == tree(dataset)
    assert regenerating.regenerate(settings(dataset, tmp_path / "big/toy", 64), toy.FUNCTIONS[1]) == 0
    info = json.loads((tmp_path / "big/toy/meta/info.json").read_text())
    assert info["features"]["observation.images.wrist"]["shape"] == [64, 64, 3]
    assert info["total_episodes"] == 3
    assert regenerating.regenerate(settings(dataset, tmp_path / "big/toy", 64), toy.FUNCTIONS[1]) == 0
    assert "nothing to do" in capsys.readouterr().out
    assert sorted(p.name for p in (tmp_path / "big").iterdir()) == ["toy", "toy.yaml"]


def test_regenerate_goes_on_after_a_kill(dataset, tmp_path, monkeypatch):
    out = tmp_path / "new/toy"
    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(regenerating, "_write", lambda *_: (_ for _ in ()).throw(KeyboardInterrupt))
        regenerating.regenerate(settings(dataset, out, 32), toy.FUNCTIONS[1])
    assert not out.exists()
    with monkeypatch.context() as patch:
        patch.setattr(HerePool, "submit", None)  # everything is drawn already
        regenerating.regenerate(settings(dataset, out, 32), toy.FUNCTIONS[1])
    assert tree(out) == tree(dataset)


def test_regenerate_needs_every_recording(dataset, tmp_path):
    from pipeline.config import BadInput

    victim = next((dataset / "extras").iterdir())
    victim.rename(tmp_path / "elsewhere")
    with pytest.raises(BadInput, match=f"lacks the recording extras/{victim.name}"):
        regenerating.regenerate(settings(dataset, tmp_path / "x/toy", 32), toy.FUNCTIONS[1])
