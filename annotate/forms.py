"""All phrases of the grammar in refer.py that mean one thing in a scene, each with what it costs the listener."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise
from math import atan2, degrees, hypot

from annotate.english import NUMBERS, ORDINALS, plural
from annotate.errors import TermError
from tasks.terms import Thing

GAP = 0.02
GAP_HEIGHT = 0.05
DOUBTFUL = 2.0  # a margin below this many gaps is clear, but not striking
BEARING_GAP = 5.0
GOOD_ENOUGH = 2.9  # no need to think of clumsy forms when there is one as cheap as this
AFTER_NOUN = ("with", "where")
ADJECTIVES = ("state", "size", "shape", "colour", "pattern", "material")  # in the order that English says them


@dataclass(frozen=True)
class Form:
    """A phrase that means one thing. `kinds` are what a style may like or not, the noun's first."""

    text: str
    cost: float
    kinds: tuple[str, ...]


@dataclass(frozen=True)
class Core:
    """A noun with traits, and whether a thing answers to it."""

    one: str
    many: str
    answers: Callable[[Thing], bool]
    cost: float
    kinds: tuple[str, ...]


@dataclass(frozen=True)
class Order:
    """A way to line things up. Its words: the first, the first of two, where one counts from ("" if one does not)."""

    axis: str
    key: Callable[[Thing], float]
    gap: float
    first: str
    of_two: str
    counted: str


def distance(thing: Thing) -> float:
    """Horizontal distance from the robot's base, m."""
    return hypot(thing.position[0], thing.position[1])


ORDERS = (
    Order("side", lambda t: -t.position[1], GAP, "leftmost", "left", "left"),
    Order("side", lambda t: t.position[1], GAP, "rightmost", "right", "right"),
    Order("depth", distance, GAP, "nearest", "nearer", ""),
    Order("depth", lambda t: -distance(t), GAP, "farthest", "farther", ""),
    Order("height", lambda t: -t.position[2], GAP_HEIGHT, "top", "upper", "top"),
    Order("height", lambda t: t.position[2], GAP_HEIGHT, "bottom", "lower", "bottom"),
)
POSITION_WORDS = frozenset(w for o in ORDERS for w in (o.first, o.of_two)) | frozenset(ORDINALS)


def forms(target: Thing, known: Sequence[Thing], *, by_part: bool = False) -> list[Form]:
    """Phrases that mean `target` among `known`; clumsy ones only if there is no plain one. Empty if there is none."""
    found: list[Form] = []
    for stage in (_plain, _sliced, _metric):
        found += [f for core in cores(target, by_part) for f in stage(target, known, core)]
        if any(form.cost <= GOOD_ENOUGH for form in found) or (stage is _sliced and found):
            break
    return found


def cores(target: Thing, by_part: bool) -> Iterator[Core]:
    """What the target answers to: its noun with more and more traits, and its part."""
    part = target.traits.get("part")
    if by_part and part:
        yield Core(
            part, plural(part), lambda t: _ends(t.traits.get("part"), part) or _ends(t.noun, part), 0.0, ("part",)
        )
    traits = [key for key in target.traits if key != "part"]
    for key in traits:
        if POSITION_WORDS & set(target.traits[key].split()[:1]) and key not in AFTER_NOUN:
            raise TermError(f"{target.name}: the trait {key}={target.traits[key]!r} is a word of position")
    for count in range(min(len(traits), 3) + 1):
        for keys in combinations(traits, count):
            cost = sum(1.0 + 0.1 * traits.index(key) for key in keys)
            yield _noun_core(target, keys, cost, ("noun", *(f"trait {key}" for key in keys)))


def _noun_core(target: Thing, keys: tuple[str, ...], cost: float, kinds: tuple[str, ...]) -> Core:
    adjectives = [key for key in keys if key not in AFTER_NOUN]
    adjectives.sort(key=lambda key: ADJECTIVES.index(key) if key in ADJECTIVES else -1)
    before = "".join(f"{target.traits[key]} " for key in adjectives)
    after = f" with {target.traits['with']}" if "with" in keys else ""
    after += f" {target.traits['where']}" if "where" in keys else ""

    def answers(thing: Thing) -> bool:
        named = _ends(thing.noun, target.noun) or _ends(thing.traits.get("part"), target.noun)
        return named and all(
            any(_ends(value, target.traits[key]) for other, value in thing.traits.items() if other != "part")
            for key in keys
        )

    return Core(f"{before}{target.noun}{after}", f"{before}{plural(target.noun)}{after}", answers, cost, kinds)


def _ends(words: str | None, end: str) -> bool:
    return words is not None and (words == end or words.endswith(f" {end}"))


def scopes(target: Thing, known: Sequence[Thing], core: Core) -> Iterator[tuple[str, list[Thing]]]:
    """The scopes that hold the target: their words, and the things that compete in them."""
    if target.in_view:
        yield "", [t for t in known if t.in_view and core.answers(t)]
        return
    unseen = [t for t in known if not t.in_view and core.answers(t)]
    side = _side(target)
    if side and all(_side(t) is not None for t in unseen):
        yield side, [t for t in unseen if _side(t) == side]
    yield " out of view", unseen


def _side(thing: Thing) -> str | None:
    """Where a thing is if not ahead (""), or None if that is not clear."""
    bearing = degrees(atan2(thing.position[1], thing.position[0]))
    if min(abs(abs(bearing) - 45.0), abs(abs(bearing) - 135.0)) < BEARING_GAP:
        return None
    if abs(bearing) < 45.0:
        return ""
    return " behind you" if abs(bearing) > 135.0 else " on your left" if bearing > 0 else " on your right"


def place(target: Thing, group: Sequence[Thing], order: Order) -> tuple[int, float]:
    """The target's place in the order (0 is first), and the smallest gap that counting up to it relies on, in gaps."""
    line = sorted(group, key=order.key)
    index = next(i for i, t in enumerate(line) if t.name == target.name)
    keys = [order.key(t) for t in line[: index + 2]]
    return index, min((b - a for a, b in pairwise(keys)), default=0.0) / order.gap


def _plain(target: Thing, known: Sequence[Thing], core: Core) -> Iterator[Form]:
    answering = [t for t in known if core.answers(t)]
    if len(answering) == 1 and not target.in_view:
        yield Form(f"the {core.one}", core.cost, core.kinds)
    for scope, group in scopes(target, known, core):
        cost = core.cost + (0.5 if scope else 0.0) + (0.5 if scope == " out of view" else 0.0)
        if len(group) == 1:
            yield Form(f"the {core.one}{scope}", cost, core.kinds)
            continue
        for order in ORDERS:
            if scope and order.axis == "side":
                continue
            index, margin = place(target, group, order)
            if margin < 1.0:
                continue
            kinds = (*core.kinds, order.axis, order.first)
            step = cost + 1.0 + (0.5 if margin < DOUBTFUL else 0.0) + (0.3 if order.axis == "height" else 0.0)
            if index == 0:
                end = order.of_two if len(group) == 2 else order.first
                yield Form(f"the {end} {core.one}{scope}", step, (*kinds, "before"))
                if order.axis == "depth" and not scope:
                    near = "nearest to you" if order.first == "nearest" else "farthest from you"
                    yield Form(f"the {core.one} {near}", step, (*kinds, "after"))
            elif index < min(len(ORDINALS), len(group) - 1):
                step += 0.2 + 0.4 * index
                if not order.counted:
                    yield Form(f"the {ORDINALS[index]} {order.first} {core.one}{scope}", step, kinds)
                elif not scope:
                    yield Form(f"the {ORDINALS[index]} {core.one} from the {order.counted}", step, kinds)


def _sliced(target: Thing, known: Sequence[Thing], core: Core) -> Iterator[Form]:
    """ "the nearer of the two leftmost bolts"."""
    group = [t for t in known if t.in_view and core.answers(t)]
    if not target.in_view:
        return
    for outer in ORDERS:
        line = sorted(group, key=outer.key)
        for count in range(2, min(len(group) - 1, 6) + 1):
            part = line[:count]
            margin = (outer.key(line[count]) - outer.key(line[count - 1])) / outer.gap
            if target not in part or margin < 1.0:
                continue
            for inner in ORDERS:
                if inner.axis == outer.axis:
                    continue
                index, inside = place(target, part, inner)
                if inside < 1.0 or (index > 0 and index >= count - 1):
                    continue
                which = _which(inner, index, count)
                cost = core.cost + 3.0 + 0.3 * (count - 2) + 0.5 * index
                cost += 0.5 if min(margin, inside) < DOUBTFUL else 0.0
                text = f"the {which} of the {NUMBERS[count]} {outer.first} {core.many}"
                yield Form(text, cost, (*core.kinds, outer.first, inner.first))


def _which(order: Order, index: int, count: int) -> str:
    if index > 0:
        return f"{ORDINALS[index]} from the {order.counted}" if order.counted else f"{ORDINALS[index]} {order.first}"
    word = order.of_two if count == 2 else order.first
    return f"{word} one" if word in ("left", "right", "upper", "lower", "top", "bottom") else word


def _metric(target: Thing, known: Sequence[Thing], core: Core) -> Iterator[Form]:
    """ "the bolt 42 cm ahead and 13 cm to the left": the form of last resort."""
    *_, (scope, group) = scopes(target, known, core)
    for axes in (2, 3):
        near = [t for t in group if all(abs(t.position[i] - target.position[i]) < GAP for i in range(axes))]
        if len(near) == 1:
            words = (("ahead", "behind"), ("to the left", "to the right"), ("up", "down"))
            said = [f"{abs(round(100 * v))} cm {w[v < 0]}" for v, w in zip(target.position, words, strict=True)]
            yield Form(f"the {core.one} {' and '.join(said[:axes])}{scope}", core.cost + 8.0, core.kinds)
            return
