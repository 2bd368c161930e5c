"""`scripts/regenerate.py`: the recordings of a dataset, drawn again and written as a new one. Nothing is simulated.

Works like a run without its first half: videos are published one by one beside the new dataset, so a killed command
goes on where it was.
"""

from __future__ import annotations

import uuid
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from pipeline.config import BadInput, RegenerateConf, check
from pipeline.draw import DrawJob
from pipeline.pool import Kind, Pool, Result
from pipeline.prepare import check_disk, check_machine, check_out, resolved
from pipeline.progress import Display, Tally
from pipeline.run import DRAW, POLL_S, RunStopped
from pipeline.slots import DRAW_TRIES
from pipeline.workspace import OutLock, Workspace


@dataclass
class _Episode:
    key: str
    recording: Path
    tries: int = 0


def regenerate(conf: RegenerateConf, function: str = DRAW) -> int:
    """Draws every recording and writes the dataset; returns the exit code. Raises BadInput."""
    check(conf)
    if not conf.dataset or not conf.out:
        raise BadInput("regenerate needs both: dataset=<the dataset to read> and out=<the dataset to write>")
    source = Path(conf.dataset).expanduser().absolute()
    recordings = _recordings(source)
    root = check_out(conf.out)
    if root == source:
        raise BadInput(f"out={conf.out} is the dataset that is being read; choose another folder")
    check_disk(root, len(recordings), conf.render)
    place = Workspace(root.parent, root.name)
    identity = conf.identity()
    place.refuse_other(identity)
    check_machine(conf)
    if place.is_complete():
        print(f"nothing to do, this has been made already: {root}")
        return 0
    lock = OutLock(place.out)
    try:
        place.claim(identity, resolved(conf))
        episodes = [_Episode(f"{i:06d}", folder) for i, folder in enumerate(recordings)]
        _draw(episodes, place, conf, function)
        _write(episodes, place, conf)
        place.clean()
    finally:
        lock.close()
    print(f"{len(episodes)} episodes drawn at {conf.render.size} pixels: {root}")
    return 0


def _recordings(dataset: Path) -> list[Path]:
    from pipeline.assemble import recorded_episodes

    try:
        recordings = recorded_episodes(dataset)
    except (OSError, ValueError, KeyError) as error:
        raise BadInput(f"dataset={dataset} is not a dataset of this program: it has no readable index") from error
    if not recordings:
        raise BadInput(f"dataset={dataset} has no episodes")
    for folder in recordings:
        if not folder.is_dir():
            raise BadInput(f"dataset={dataset} lacks the recording extras/{folder.name}, so it cannot be drawn again")
    return recordings


def _draw(episodes: Sequence[_Episode], place: Workspace, conf: RegenerateConf, function: str) -> None:
    token = uuid.uuid4().hex[:12]
    todo = deque(e for e in episodes if not place.rendered(e.key).is_dir())
    if not todo:
        return
    done = len(episodes) - len(todo)
    tally = Tally(place.name, len(episodes), done=done, kept=done)
    pool = Pool(conf.cluster, conf.workers, conf.limits)
    try:
        with Display([tally]) as display:
            while todo or pool.busy:
                while todo and pool.free > 0:
                    episode = todo.popleft()
                    job = _job(episode, place, conf, token)
                    marker = place.started(episode.key)
                    pool.submit(episode, function, job, marker=marker, limit=conf.limits.render_s)
                for episode, result in pool.wait(POLL_S):
                    if result.kind == Kind.DONE:
                        tally.done += 1
                        continue
                    _refuse_fatal(result, episode, place)
                    tally.failures[str(result.kind)] += 1
                    todo.append(episode)
                display.show()
    finally:
        pool.close()


def _job(episode: _Episode, place: Workspace, conf: RegenerateConf, token: str) -> DrawJob:
    return DrawJob(
        recording=episode.recording,
        draft=place.drafts / f"{token}-{episode.key}",
        target=place.rendered(episode.key),
        size=conf.render.size,
        supersample=conf.render.supersample,
        meshes=conf.render.meshes,
        gl=conf.render.gl,
        assets=conf.kitchen.assets,
    )


def _refuse_fatal(result: Result, episode: _Episode, place: Workspace) -> None:
    episode.tries += 1
    if result.kind == Kind.DISK_FULL:
        raise RunStopped(f"the disk of {place.out} is full; free some space and repeat the command to go on from here")
    if result.kind == Kind.STOP:
        raise RunStopped(result.detail)
    if episode.tries >= DRAW_TRIES:
        why = result.detail.strip().splitlines()[-1] if result.detail.strip() else result.kind
        raise RunStopped(f"recording {episode.recording.name} could not be drawn in {DRAW_TRIES} tries: {why}")


def _write(episodes: Sequence[_Episode], place: Workspace, conf: RegenerateConf) -> None:
    from pipeline import assemble

    sources = [assemble.Source(e.recording, place.rendered(e.key)) for e in episodes]
    assemble.write(place.dataset, sources, conf.output.keys)
