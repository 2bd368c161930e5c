"""Bad input: one sentence on stderr, exit code 2, nothing written."""

import dataclasses
import subprocess
import sys
from pathlib import Path

import hydra
import pytest
from omegaconf import OmegaConf

from pipeline import prepare
from pipeline.command import run_main
from pipeline.config import (
    BadInput,
    GenerateConf,
    KitchenConf,
    RegenerateConf,
    RenderConf,
    TaskConf,
    check,
    digest,
    read,
)
from pipeline.generate import generate, table
from pipeline.regenerate import regenerate
from pipeline.run import Summary
from sim.gl import setup_gl

setup_gl("auto")

from tasks.base import Task  # noqa: E402

CHECKOUT = Path(__file__).resolve().parents[2]


class FakeTask:
    """Enough of a task to plan with."""

    name, version = "puzzle_box", "1"
    levels = {"chain": (4, 5, 6), "cover": ("none", "full")}  # noqa: RUF012
    layouts = {"train": (12, 17), "eval": (10,)}  # noqa: RUF012
    styles = Task.styles
    all_levels = classmethod(Task.all_levels.__func__)
    select_levels = classmethod(Task.select_levels.__func__)

    @classmethod
    def layouts_for(cls, level, split):
        return tuple(n for n in cls.layouts[split] if n != 12 or level["chain"] < 6)


@pytest.fixture
def fake(monkeypatch):
    import tasks

    monkeypatch.setattr(tasks, "load_task", lambda name: FakeTask())
    monkeypatch.setattr(tasks, "task_names", lambda: ("puzzle_box",))


def configuration(tmp_path, **more):
    return GenerateConf(**{"task": {"puzzle_box": TaskConf()}, "out": str(tmp_path / "out"), **more})


BAD = {
    "unknown task": ({"task": {"nope": TaskConf()}}, "there is no task 'nope'"),
    "no task": ({"task": {}}, "no task was chosen"),
    "unknown level setting": ({"levels": {"depth": 3}}, "has no level setting 'depth'"),
    "unknown level": ({"levels": {"chain": 9}}, "chain is one of 4, 5, 6"),
    "odd size": ({"render": RenderConf(size=255)}, "for example 256"),
    "zero size": ({"render": RenderConf(size=0)}, "render.size=0 cannot be encoded"),
    "huge size": ({"render": RenderConf(size=4096, supersample=4)}, "more than 8192"),
    "supersample": ({"render": RenderConf(supersample=0)}, "render.supersample=0"),
    "eval style": ({"kitchen": KitchenConf(styles=[11])}, "it belongs to split=eval"),
    "eval layout": ({"kitchen": KitchenConf(layouts=[12, 10])}, "it belongs to split=eval"),
    "train style in eval": ({"split": "eval", "kitchen": KitchenConf(styles=[1])}, "it belongs to split=train"),
    "no such style": ({"kitchen": KitchenConf(styles=[99])}, "style 99 is not one of"),
    "no layout with room": (
        {"levels": {"chain": [4, 6]}, "kitchen": KitchenConf(layouts=[12])},
        "none of the layouts 12 has room for puzzle_box with chain=6",
    ),
    "no layouts": ({"kitchen": KitchenConf(layouts=[])}, "kitchen.layouts is empty"),
    "split": ({"split": "test"}, "split=test is not known"),
    "workers": ({"workers": 0}, "workers=0 is too small"),
    "episodes": ({"episodes": 0}, "episodes=0 is too small"),
    "seed": ({"seed": -1}, "seed=-1"),
    "seeds": ({"seed": 2**32}, "is the largest"),
    "assets": ({"kitchen": KitchenConf(assets="/nowhere/assets")}, "kitchen.assets=/nowhere/assets"),
    "full disk": ({"episodes": 10**8, "tries": 1}, "episodes need about"),
    "out": ({"out": "/etc/passwd/data"}, "/etc/passwd is a file"),
    "glob": ({"out": "data[1]"}, "not a usable folder name"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_input_is_one_sentence(case, tmp_path, fake, capsys):
    changes, expected = BAD[case]
    assert run_main(lambda: generate(configuration(tmp_path, **changes))) == 2
    printed = capsys.readouterr()
    assert expected in printed.err
    assert printed.err.count("\n") == 1
    assert printed.out == ""
    assert list(tmp_path.iterdir()) == []


def test_no_opengl(tmp_path, fake, capsys, monkeypatch):
    from sim.gl import NoOpenGL

    def setup_gl(backend):
        raise NoOpenGL("no OpenGL: neither osmesa nor egl works here")

    monkeypatch.setattr(prepare, "setup_gl", setup_gl)
    assert run_main(lambda: generate(configuration(tmp_path))) == 2
    assert capsys.readouterr().err == "no OpenGL: neither osmesa nor egl works here\n"


def test_another_configuration(tmp_path, fake, capsys):
    (plan,) = prepare.prepare(configuration(tmp_path))
    plan.place.claim(plan.identity, {})
    assert prepare.prepare(configuration(tmp_path, workers=3))  # workers do not change the dataset
    assert run_main(lambda: generate(configuration(tmp_path, episodes=3))) == 2
    assert "was made with episodes=9, not episodes=3" in capsys.readouterr().err


def test_a_plan_of_the_chosen_levels_and_kitchens(tmp_path, fake):
    kitchen = KitchenConf(layouts=[17], styles=[2, 1])
    conf = configuration(tmp_path, levels={"chain": [4, 6]}, kitchen=kitchen, episodes=4)
    (plan,) = prepare.prepare(conf)
    assert {slot.layout for slot in plan.slots} == {17}
    assert {slot.style(0) for slot in plan.slots} == {1, 2}
    assert {(s.level["chain"], s.level["cover"]) for s in plan.slots} == {
        (chain, cover) for chain in (4, 6) for cover in ("none", "full")
    }
    (roomy,) = prepare.prepare(configuration(tmp_path, episodes=12))
    assert {s.layout for s in roomy.slots if s.level["chain"] == 6} == {17}
    assert {s.layout for s in roomy.slots if s.level["chain"] == 4} == {12, 17}
    (everything,) = prepare.prepare(configuration(tmp_path, task={"all": TaskConf()}, split="eval"))
    assert {slot.style(0) for slot in everything.slots} <= set(range(11, 16))


def test_the_digest_does_not_depend_on_how_it_is_computed():
    one, two = GenerateConf(workers=1), GenerateConf(workers=2, out="elsewhere")
    assert digest(one.identity()) == digest(two.identity()) != digest(GenerateConf(seed=1).identity())


def test_wrong_types_and_unknown_keys():
    assert read(GenerateConf, OmegaConf.create({"task": {"a": {}}, "episodes": 3})).episodes == 3
    with pytest.raises(BadInput, match="episodes"):
        read(GenerateConf, OmegaConf.create({"episodes": "many"}))
    with pytest.raises(BadInput, match="epsodes"):
        read(GenerateConf, OmegaConf.create({"epsodes": 3}))


@pytest.mark.parametrize(
    ("overrides", "expected"),
    [
        ([], {"task": ["puzzle_box"], "levels": {}, "size": 256, "keys": "lerobot", "cluster": "local"}),
        (["levels={chain: 5, cover: full}"], {"levels": {"chain": 5, "cover": "full"}}),
        (["levels={cover: none}"], {"levels": {"cover": "none"}}),
        (["levels={chain: [4, 5]}"], {"levels": {"chain": [4, 5]}}),
        (["kitchen.layouts=[12,17]", "kitchen.assets=/pack"], {"layouts": [12, 17], "assets": "/pack"}),
        (["render=none"], {"enabled": False}),
        (["render.size=512", "output=openpi"], {"size": 512, "keys": "openpi"}),
        (["cluster=ray", "cluster.address=head:6379"], {"cluster": "ray", "address": "head:6379"}),
        (["task=all"], {"task": ["all"]}),
        (["task=[puzzle_box,all]"], {"task": ["all", "puzzle_box"]}),
        (["limits.wall_s=60", "workers=2"], {"wall_s": 60.0, "workers": 2}),
    ],
)
def test_documented_overrides(overrides, expected):
    with hydra.initialize_config_dir(str(CHECKOUT / "conf"), version_base="1.3"):
        conf = read(GenerateConf, hydra.compose("config", overrides))
    check(conf)
    got = {
        "task": sorted(conf.task),
        "levels": conf.levels,
        "workers": conf.workers,
        "cluster": conf.cluster.kind,
        "address": conf.cluster.address,
        "keys": conf.output.keys,
        **dataclasses.asdict(conf.kitchen),
        **dataclasses.asdict(conf.render),
        **dataclasses.asdict(conf.limits),
    }
    assert {name: got[name] for name in expected} == expected


def test_every_task_has_a_config_file():
    from tasks import task_names

    assert {path.stem for path in (CHECKOUT / "conf/task").glob("*.yaml")} == {*task_names(), "all"}


def test_regenerate_refuses(tmp_path, capsys):
    ok = RegenerateConf(dataset=str(tmp_path / "none"), out=str(tmp_path / "new/x"))
    check(ok)
    for changes, expected in (
        ({}, "no readable index"),
        ({"out": ""}, "needs both"),
        ({"render": RenderConf(enabled=False)}, "nothing to regenerate"),
        ({"render": RenderConf(size=31)}, "even"),
    ):
        conf = dataclasses.replace(ok, **changes)
        assert run_main(lambda conf=conf: regenerate(conf)) == 2
        assert expected in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_the_table_says_what_is_missing():
    text = table([Summary("puzzle_box", 9, 8, 14, {"slipped": 4, "hung": 2}, Path("data/puzzle_box"))])
    assert "8/9" in text
    assert "4 slipped, 2 hung" in text
    assert "1 of 9 episodes found no seed" in text


@pytest.mark.parametrize(
    ("override", "expected"),
    [
        ("task=nope", "task=nope does not exist; task is one of all"),
        ("task=[puzzle_box,nope]", "task=nope does not exist"),
        ("epsodes=3", "no setting 'epsodes'"),
        ("levels={chain: 5", "not a valid setting"),
    ],
)
def test_the_command_line(override, expected, tmp_path):
    line = [sys.executable, str(CHECKOUT / "scripts/generate.py"), f"out={tmp_path}/out", override]
    ended = subprocess.run(line, cwd=tmp_path, capture_output=True, text=True, timeout=60)
    assert ended.returncode == 2
    assert expected in ended.stderr
    assert ended.stderr.count("\n") == 1
    assert list(tmp_path.iterdir()) == []
