"""Lets an oracle act on a world and records what happens. The only place that steps an episode.

Rewinding: the oracle's generator asks for a checkpoint before a motion; when the motion fails for a motor reason it
asks to go back. States, actions, timeline, events and evidence are cut to the checkpoint, so that the kept actions,
replayed from the first state, give the kept states bit for bit.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from oracles.base import CaptionError, Mark, Oracle, Reason, Rewind, Session, SkillFailed
from oracles.eyes import Eyes
from sim.assets import AssetRoots
from sim.recording import Recording
from sim.robot import (
    ARM,
    ARM_ROTATION_UNIT,
    ARM_TRANSLATION_UNIT,
    BASE,
    BASE_MODE,
    ENVELOPE_BASE,
    ENVELOPE_ROTATION,
    ENVELOPE_TRANSLATION,
)
from sim.world import STATE_SPEC
from tasks.base import Instance, Task, streams

MAX_REWINDS = 12
ENVELOPE = np.ones(12)
ENVELOPE[0:3] = ENVELOPE_TRANSLATION / ARM_TRANSLATION_UNIT
ENVELOPE[3:6] = ENVELOPE_ROTATION / ARM_ROTATION_UNIT
ENVELOPE[BASE] = ENVELOPE_BASE


class EnvelopeError(ValueError):
    """A skill yielded an action outside the demonstration envelope: a mistake in its code."""


@dataclass
class _Tape:
    """What has been recorded so far."""

    states: list[np.ndarray] = field(default_factory=list)
    actions: list[np.ndarray] = field(default_factory=list)
    rows: list[dict[str, Any]] = field(default_factory=list)
    rewinds: int = 0


def run_episode(task: Task, oracle: Oracle, instance: Instance, stored_xml: str, roots: AssetRoots) -> Recording:
    """Simulates one episode. A given-up or unsuccessful episode is a recording too; its outcome says why."""
    world = task.world(instance, stored_xml, roots)
    world.reset()
    submit = world.rules[0]
    with Eyes(world) as eyes:
        rng = streams(task.name, instance.seed)["poses"].spawn(1)[0]
        session = Session(instance, world, oracle.evidence(), rng, eyes)
        start, controller = world.physics_state(), world.controller.get_state()
        tape = _Tape([start])
        reason = _drive(oracle.run(session), session, tape, task.tick_limit, submit)
    success, progress = submit.result or (False, task.progress(instance, world))
    if not reason and not success:
        reason = "wrong_submit" if submit.pressed else "not_submitted"
    return Recording(
        instance=instance.to_json(),
        states=np.array(tape.states),
        actions=np.array(tape.actions, np.float32).reshape(-1, 12),
        spec=STATE_SPEC,
        controller=controller,
        timeline=[{k: v for k, v in row.items() if k != "key"} for row in tape.rows],
        events=[{"tick": e.tick, "kind": e.kind, "data": e.data} for e in world.events],
        outcome={
            "success": success,
            "progress": progress,
            "ticks": len(tape.actions),
            "reason": reason,
            "rewinds": tape.rewinds,
            "decisions": session.decisions,
        },
        model=stored_xml,
        assets=roots.hashes(stored_xml),
    )


def _drive(motion: Any, session: Session, tape: _Tape, tick_limit: int, submit: Any) -> str:
    """Runs the generator to its end. Returns the reason of giving up, or ''."""
    answer = None
    try:
        while True:
            step = motion.send(answer)
            answer = None
            if isinstance(step, Mark):
                answer = _mark(session, tape)
            elif isinstance(step, Rewind):
                _rewind(step.token, session, tape)
            else:
                _act(np.asarray(step, np.float32), session, tape)
                if submit.pressed:
                    return ""
                if len(tape.actions) >= tick_limit:
                    return str(Reason.TOO_LONG)
    except StopIteration:
        return ""
    except SkillFailed as failure:
        return f"{failure.reason}: {failure.detail}"
    finally:
        motion.close()


def _act(action: np.ndarray, session: Session, tape: _Tape) -> None:
    if session.stage_term is None or session.subtask_term is None:
        raise CaptionError("an action was yielded outside of a stage and a subtask")
    moves_base = bool(np.any(action[BASE]))
    if np.any(np.abs(action) > ENVELOPE + 1e-6) or not np.all(np.isfinite(action)):
        raise EnvelopeError(f"action {action} is outside the demonstration envelope")
    if moves_base and (np.any(action[ARM]) or action[BASE_MODE] <= 0):
        raise EnvelopeError("a tick moves the arm or the base, never both")
    world, tick = session.world, len(tape.actions)
    key = (session.captions_changed, session.stage_term, session.subtask_term)
    last = tape.rows[-1] if tape.rows else None
    if last is None or last["key"] != key:
        known = [thing.to_json() for thing in session.evidence.things(world)]
        tape.rows.append(
            {
                "start": tick,
                "end": tick,
                "stage": session.stage_term.to_json(),
                "subtask": session.subtask_term.to_json(),
                "known": known,
                "key": key,
            }
        )
    tape.rows[-1]["end"] = tick + 1
    world.tick(action)
    tape.actions.append(action)
    tape.states.append(world.physics_state())


def _mark(session: Session, tape: _Tape) -> Any:
    return (
        session.world.checkpoint(),
        session.evidence.to_json(),
        session.grip,
        len(tape.actions),
        len(session.decisions),
    )


def _rewind(token: Any, session: Session, tape: _Tape) -> None:
    if tape.rewinds >= MAX_REWINDS:
        raise SkillFailed(Reason.STALLED, f"more than {MAX_REWINDS} rewinds in one episode")
    checkpoint, evidence, session.grip, ticks, decisions = token
    session.world.restore(checkpoint)
    session.evidence.restore(evidence)
    del tape.actions[ticks:], tape.states[ticks + 1 :], session.decisions[decisions:]
    tape.rows = [row for row in tape.rows if row["start"] < ticks]
    if tape.rows:
        tape.rows[-1]["end"] = min(tape.rows[-1]["end"], ticks)
    tape.rewinds += 1
