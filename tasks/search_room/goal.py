"""The instruction: what to find and where it goes, and nothing of where it is."""

from __future__ import annotations

from collections.abc import Sequence

from tasks.props.pool import POOL


def goal(targets: Sequence[str]) -> str:
    """The text for a list of things of the pool, by name."""
    found = {thing.name: thing for thing in POOL}
    said = [f"the {found[name].colour} {found[name].figures.noun}" for name in targets]
    listed = f"{', '.join(said[:-1])} and {said[-1]}"
    return (
        f"Find {listed}. They may be in drawers, in cabinets, under covers or on any counter; only fronts with handles "
        "open, and whatever is in the way may be moved. "
        f"Stand {'both' if len(said) == 2 else 'all three'} upright on the tray, the square outlined in white, with "
        "nothing else on it, and press SUBMIT once when you are done."
    )
