"""The README.md of a dataset: what it is, how much of it there is, how to load it. The same for the same episodes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from pipeline.lerobot_meta import KeyNames
from sim.robot import ACTION_NAMES, CONTROL_HZ, STATE_NAMES

_INTRO = """\
Demonstrations of the task `{task}` in simulated RoboCasa365 kitchens, made by a scripted expert that has to find
things out: it explores before it acts, and what it tries in vain is part of the demonstration. A PandaOmron mobile
manipulator is controlled at {hz} Hz. Every episode ends in success, which was recomputed from its recorded states.
"""

_FEATURES = """\
## Features

| feature | content |
|---|---|
{cameras}
| `{state}` | float32 ({state_size},): gripper in the base frame, base in the world, fingers; quaternions xyzw |
| `{action}` | float32 ({action_size},) in [-1, 1]: arm 6, gripper, base 3, torso, base mode |
| `stage_index`, `subtask_index` | what the robot is doing: rows of `meta/stages.jsonl`, `meta/subtasks.jsonl` |
| `task_index` | the goal, in `meta/tasks.jsonl` |

`meta/exploration_episodes.jsonl` says where each episode comes from and holds its captions; dimensions that never move
are listed in `meta/constant_dimensions.json` (leave them out when normalising by std).

## Load it

```python
from lerobot.datasets.lerobot_dataset import LeRobotDataset  # lerobot 0.3.3, format v2.1

dataset = LeRobotDataset("local/{task}", root="path/to/this/folder")
```
"""

_EXTRAS = """\
## Recordings

`extras/<instance_id>/` holds each episode as it was simulated: states, actions, timeline, events, outcome and model.
From these alone the frames can be drawn again at another size, without simulating.
"""


def card(episodes: Sequence[tuple[dict[str, Any], int]], names: KeyNames | None, side: int | None) -> str:
    """The text.

    Args:
        episodes: (instance record, ticks) of every episode.
        names: feature names, or None for recordings without frames.
        side: side of the frames in pixels.
    """
    instances = [instance for instance, _ in episodes]
    task = instances[0]["task"]
    frames = sum(ticks for _, ticks in episodes)
    parts = [
        f"# {task}\n",
        _INTRO.format(task=task, hz=CONTROL_HZ),
        _figures(instances, frames),
        _levels(instances),
    ]
    if names is not None:
        cameras = "\n".join(f"| `{key}` | video {side}x{side}, H.264 |" for key in names.cameras.values())
        parts.append(
            _FEATURES.format(
                task=task,
                cameras=cameras,
                state=names.state,
                action=names.action,
                state_size=len(STATE_NAMES),
                action_size=len(ACTION_NAMES),
            )
        )
    parts.append(_EXTRAS)
    return "\n".join(parts)


def _figures(instances: Sequence[dict[str, Any]], frames: int) -> str:
    minutes = frames / CONTROL_HZ / 60
    kitchens = {(i["kitchen"]["layout"], i["kitchen"]["style"]) for i in instances}
    return (
        "| episodes | frames | minutes | mean minutes an episode | kitchens | layouts | styles | split |\n"
        "|---|---|---|---|---|---|---|---|\n"
        f"| {len(instances)} | {frames} | {minutes:.1f} | {minutes / len(instances):.2f} | {len(kitchens)} "
        f"| {len({layout for layout, _ in kitchens})} | {len({style for _, style in kitchens})} "
        f"| {', '.join(sorted({i['split'] for i in instances}))} |\n"
    )


def _levels(instances: Sequence[dict[str, Any]]) -> str:
    settings = list(instances[0]["level"])
    if not settings:
        return ""
    counts = Counter(tuple(i["level"][name] for name in settings) for i in instances)
    head = f"| {' | '.join(settings)} | episodes |\n|{'---|' * (len(settings) + 1)}\n"
    rows = [f"| {' | '.join(map(str, level))} | {n} |" for level, n in sorted(counts.items(), key=lambda x: str(x[0]))]
    return head + "\n".join(rows) + "\n"
