"""The box in simulation, standing alone: contact alone locks it, and it opens in the right order only."""

from __future__ import annotations

from dataclasses import replace

import mujoco
import numpy as np
import pytest

from tasks.puzzle_box.box import add_box, add_item, item_source
from tasks.puzzle_box.check import MAX_PLAY
from tasks.puzzle_box.items import ITEMS, ItemKind
from tasks.puzzle_box.structure import BoxStructure, sample_structure, twin

PULL = 12.0  # N, the benchmark's gate
POSE = ((0.3, -0.2, 0.9), 0.4)
STEP = 0.002


class Bench:
    """A box on a table; joints are pushed with a force, as a hand on the handle would."""

    def __init__(self, structure: BoxStructure, item: ItemKind = "tomato") -> None:
        spec = mujoco.MjSpec()
        spec.option.timestep = STEP
        pos, yaw = POSE
        table = [0.0, 0.0, pos[2] - 0.02]
        spec.worldbody.add_geom(type=mujoco.mjtGeom.mjGEOM_BOX, size=[1.5, 1.5, 0.02], pos=table)
        add_box(spec, structure, pos, yaw, item=item)
        add_item(spec, item, item_source(structure, pos, yaw, item))
        self.structure = structure
        self.model = spec.compile()
        self.data = mujoco.MjData(self.model)
        mujoco.mj_forward(self.model, self.data)

    def at(self, name: str) -> float:
        return float(self.data.joint(f"{name}_joint").qpos[0])

    def push(self, name: str, force: float = PULL, seconds: float = 0.25) -> float:
        """Pushes with `force` (N, positive = pull) and lets go; returns how far it stood under that force (m)."""
        return self.push_all({name: force}, seconds)[name]

    def push_all(self, forces: dict[str, float], seconds: float = 0.25) -> dict[str, float]:
        # The force rises as a hand's does; a sudden 12 N on 90 g would test the bounce, not the lock.
        steps = round(seconds / STEP)
        for i in range(steps):
            for name, force in forces.items():
                self.data.joint(f"{name}_joint").qfrc_applied[0] = force * min(1.0, 2 * i / steps)
            mujoco.mj_step(self.model, self.data)
        reached = {name: self.at(name) for name in forces}
        for name in forces:
            self.data.joint(f"{name}_joint").qfrc_applied[0] = 0.0
        self.wait(0.04)
        return reached

    def wait(self, seconds: float) -> None:
        for _ in range(round(seconds / STEP)):
            mujoco.mj_step(self.model, self.data)

    def lid_open(self) -> bool:
        return self.at("lid") >= self.structure.lid.open_at


def held_part_faults(bench: Bench, done: tuple[str, ...] = ()) -> list[str]:
    """What moves although it is held, and what does not although it is free."""
    box, found = bench.structure, []
    held = {e.blocked for e in box.engagements if e.blocker not in done}
    for name in ("lid", *(p.name for p in box.parts)):
        if name in held:
            moved = bench.push(name)
            if moved > MAX_PLAY:
                found.append(f"{name} is held but moves {moved * 1000:.1f} mm")
            bench.push(name, -PULL, 0.1)
    return found


def solve_faults(box: BoxStructure) -> list[str]:
    """Pulls in the right order, trying everything that is still held before every step."""
    bench, found = Bench(box), []
    for i, name in enumerate(box.release_order):
        found += held_part_faults(bench, box.release_order[:i])
        if bench.lid_open():
            found.append(f"the lid is open before {name} is out")
        if bench.push(name) < box.part(name).released_at or bench.at(name) < box.part(name).released_at:
            found.append(f"{name} jams at {bench.at(name) * 1000:.1f} mm")
    bench.push("lid", seconds=0.5)
    if not bench.lid_open():
        found.append(f"the lid jams at {bench.at('lid') * 1000:.1f} mm")
    return found


def decoy_faults(box: BoxStructure) -> list[str]:
    """Decoys move freely and free nothing."""
    bench, found = Bench(box), []
    held = {e.blocked for e in box.engagements}
    for part in box.parts:
        if part.kind == "bolt" or part.name in held:
            continue
        if bench.push(part.name) < part.travel[1] - 0.002:
            found.append(f"decoy {part.name} jams at {bench.at(part.name) * 1000:.1f} mm")
    return found + held_part_faults(bench)


def relock_faults(box: BoxStructure) -> list[str]:
    """Pulling the relock decoy pushes bolt 1 back in; its spring takes it home; the bolt can be pulled again."""
    relock = next((p for p in box.parts if p.kind == "relock"), None)
    if relock is None:
        return []
    bench, found = Bench(box), []
    first = box.release_order[-1]
    for name in box.release_order:
        bench.push(name)
    bench.push(relock.name)
    bench.wait(0.5)
    if bench.at(first) > 0.010:
        found.append(f"bolt 1 is only back at {bench.at(first) * 1000:.1f} mm")
    if abs(bench.at(relock.name)) > 0.003:
        found.append(f"the relock decoy stays at {bench.at(relock.name) * 1000:.1f} mm")
    if bench.push("lid") > MAX_PLAY:
        found.append("the lid moves after relocking")
    bench.push(first)
    bench.push("lid", seconds=0.5)
    if not bench.lid_open():
        found.append("the lid does not open after a second pull on bolt 1")
    return found


def item_faults(box: BoxStructure, item: ItemKind) -> list[str]:
    """The item stays where it was put."""
    bench = Bench(box, item)
    before = bench.data.body("item").xpos.copy()
    bench.wait(1.0)
    drift = float(np.linalg.norm(bench.data.body("item").xpos - before))
    return [f"the {item} drifts {drift * 1000:.2f} mm"] if drift > 0.0026 else []


def physics_faults(box: BoxStructure, item: ItemKind = "tomato") -> list[str]:
    return [*solve_faults(box), *decoy_faults(box), *relock_faults(box), *item_faults(box, item)]


CASES = [(chain, cover) for chain in (4, 5, 6) for cover in ("none", "partial", "full")]


@pytest.mark.parametrize(("chain", "cover"), CASES)
def test_the_box_does_what_its_structure_says(chain: int, cover: str) -> None:
    rng = np.random.default_rng(chain)
    box = sample_structure(rng, chain, cover)
    assert physics_faults(box, list(ITEMS)[chain % 3]) == []


@pytest.mark.parametrize("seed", range(3))
def test_a_twin_behaves_as_it_says_and_frees_another_part_first(seed: int) -> None:
    box = sample_structure(np.random.default_rng(seed), 5, "full")
    other = twin(box, np.random.default_rng(seed))
    assert other is not None
    assert solve_faults(other) == []
    freed = {e.blocked for e in box.engagements} - {e.blocked for e in other.engagements}
    (name,) = freed
    assert Bench(box).push(name) <= MAX_PLAY
    assert Bench(other).push(name) >= 0.02


def test_wrong_orders_do_not_open_the_box() -> None:
    box = sample_structure(np.random.default_rng(3), 4, "none")
    bench = Bench(box)
    for name in reversed(box.release_order):
        bench.push(name)
        assert bench.push("lid") <= MAX_PLAY


def test_all_handles_pulled_at_once_stay_locked() -> None:
    """Force on every held part at the same time must not squeeze a tip out of its notch."""
    box = sample_structure(np.random.default_rng(2), 5, "none")
    bench = Bench(box)
    held = [e.blocked for e in box.engagements]
    moved = bench.push_all(dict.fromkeys(held, 2 * PULL), 1.0)
    assert max(moved.values()) <= MAX_PLAY
    assert not bench.lid_open()


def test_a_relocking_decoy_undoes_the_first_bolt() -> None:
    rng = np.random.default_rng(0)
    boxes = [sample_structure(rng, 4, "none") for _ in range(30)]
    relocking = [b for b in boxes if any(p.kind == "relock" for p in b.parts)]
    assert relocking
    assert [f for b in relocking[:3] for f in relock_faults(b)] == []


def test_only_contact_locks_the_box() -> None:
    bench = Bench(sample_structure(np.random.default_rng(1), 4, "partial"))
    assert bench.model.neq == 0
    box = bench.structure
    open_box = replace(box, parts=tuple(replace(p, tip=p.at(0.03), length=p.length - 0.03) for p in box.parts))
    loose = Bench(replace(open_box, parts=tuple(replace(p, notch=None) for p in open_box.parts)))
    assert loose.push("lid", seconds=0.5) >= box.lid.open_at
