"""Random scenes and a made-up puzzle-box recording, for the tests of the words and of their judge."""

from __future__ import annotations

from typing import Any

import numpy as np

TICKS = 120


def thing(name: str, noun: str, position: Any, **rest: Any) -> dict[str, Any]:
    """A `known` record."""
    record = {"name": name, "noun": noun, "position": [float(v) for v in position], "traits": {}, "group": noun}
    return {**record, "in_view": True, **rest}


def spots(rng: np.random.Generator, count: int, apart: float = 0.07) -> list[np.ndarray]:
    """Places on a work surface ahead, at least `apart` metres from each other."""
    found: list[np.ndarray] = []
    while len(found) < count:
        spot = np.array([rng.uniform(0.35, 0.85), rng.uniform(-0.4, 0.4), 0.95])
        if all(np.linalg.norm(spot - other) >= apart for other in found):
            found.append(spot)
    return found


def bolts(rng: np.random.Generator, count: int) -> list[dict[str, Any]]:
    """Bolts that only their places tell apart."""
    part = {"part": "round black handle"}
    return [thing(f"bolt_{i}", "bolt", spot, traits=part) for i, spot in enumerate(spots(rng, count))]


def motley(rng: np.random.Generator, count: int) -> list[dict[str, Any]]:
    """Things of several nouns, traits and heights, some behind the robot or out of view."""
    things = []
    for i, spot in enumerate(spots(rng, count)):
        traits = {}
        if rng.random() < 0.7:
            traits["colour"] = str(rng.choice(["red", "blue", "dark blue"]))
        if rng.random() < 0.5:
            traits["size"] = str(rng.choice(["small", "large"]))
        if rng.random() < 0.3:
            traits["with"] = str(rng.choice(["a dot", "a star"]))
        if rng.random() < 0.2:
            traits["where"] = str(rng.choice(["under the sink", "by the stove"]))
        if rng.random() < 0.5:
            traits["part"] = str(rng.choice(["round black handle", "flat handle"]))
        place = spot * [rng.choice([1, 1, 1, -1]), 1, 1] + [0, 0, rng.choice([0, 0.1, 0.02])]
        noun = str(rng.choice(["bottle", "water bottle", "mug"]))
        things.append(thing(f"thing_{i}", noun, place, traits=traits, in_view=bool(rng.random() > 0.2)))
    return things


def term(verb: str, facts: dict[str, Any] | None = None, **things: str) -> dict[str, Any]:
    """A term's record."""
    return {"verb": verb, "things": things, "facts": facts or {}}


def instance(seed: int) -> dict[str, Any]:
    """As much of an instance as captions read."""
    return {"task": "puzzle_box", "seed": seed, "spec": {"item": {"asset": "candle_0", "noun": "candle"}}, "goal": ""}


def episode(seed: int, count: int = 6) -> list[dict[str, Any]]:
    """The timeline of a puzzle box with `count` bolts, none of which is where the last seed had it."""
    rng = np.random.default_rng(seed)
    scene = [
        thing("box", "puzzle box", [0.6, 0.0, 0.9]),
        thing("lid", "lid", [0.6, 0.0, 0.95]),
        thing("tray", "tray", [0.6, -0.5, 0.9]),
        thing("button", "SUBMIT button", [0.5, 0.5, 0.9]),
        *bolts(rng, count),
    ]
    seen = [*scene, thing("item", "candle", [0.6, 0.1, 0.9])]
    out, away = term("take_out", box="box", item="item"), term("deliver", item="item", tray="tray", button="button")
    todo = [(term("study", box="box"), term("look", at="box"), scene)]
    for k in range(count):
        stage = term("free_bolts", {"freed": k // 3}, box="box")
        way = rng.normal(size=2).tolist()
        todo.append((stage, term("try_slide", {"direction": way, "tried_before": k == 4}, part=f"bolt_{k}"), scene))
        if k == 2:
            todo.append((stage, term("push_back", part=f"bolt_{k}"), scene))
    todo += [
        (out, term("step_aside", {"direction": rng.normal(size=2).tolist()}), scene),
        (out, term("open", {"direction": [0.0, -1.0]}, lid="lid"), scene),
        (out, term("look_into", at="box"), scene),
        (out, term("take", item="item", source="box"), seen),
        (away, term("place", item="item", target="tray"), seen),
        (away, term("press", button="button"), seen),
    ]
    return [
        {"start": TICKS * i, "end": TICKS * (i + 1), "stage": stage, "subtask": subtask, "known": known}
        for i, (stage, subtask, known) in enumerate(todo)
    ]
