"""Equal numbers, and candidate seeds that never meet."""

from collections import Counter
from itertools import product

import pytest

from pipeline.plan import plan

CHAINS, COVERS = (4, 5, 6), ("none", "partial", "full")
LEVELS = [{"chain": chain, "cover": cover} for chain, cover in product(CHAINS, COVERS)]


def spread(values, of=None):
    counts = Counter(values)
    every = [counts[value] for value in of] if of is not None else counts.values()
    return max(every) - min(every)


@pytest.mark.parametrize("n", [1, 9, 26, 27, 100, 500])
@pytest.mark.parametrize(("layouts", "styles"), [((12, 17, 22), (1, 2, 3)), (range(9), range(10)), ((5,), (1, 2))])
def test_equal_numbers(n, layouts, styles):
    slots = plan(LEVELS, lambda _: layouts, styles, n, seed=0, tries=3)
    assert spread([tuple(s.level.values()) for s in slots], [tuple(level.values()) for level in LEVELS]) <= 1
    assert spread([s.layout for s in slots], layouts) <= 1
    assert spread([s.style(0) for s in slots], styles) <= 1
    for level in LEVELS:
        assert spread([s.layout for s in slots if s.level == level], layouts) <= 1


def test_nine_episodes_in_three_kitchens_mix_everything():
    slots = plan(LEVELS, lambda _: (12, 17, 22), (1, 2, 3), 9, seed=0, tries=1)
    factors = [
        [s.level["chain"] for s in slots],
        [s.level["cover"] for s in slots],
        [s.layout for s in slots],
        [s.style(0) for s in slots],
    ]
    for i, a in enumerate(factors):
        for b in factors[i + 1 :]:
            assert len(set(zip(a, b, strict=True))) == 9


def test_each_level_meets_each_layout():
    slots = plan(LEVELS, lambda _: (12, 17, 22), range(1, 11), 27, seed=0, tries=1)
    assert len({(*s.level.values(), s.layout) for s in slots}) == 27


def test_candidate_seeds_are_never_shared():
    slots = plan(LEVELS, lambda _: (12, 17), (1,), 7, seed=100, tries=5)
    seeds = [slot.seed(k) for slot in slots for k in range(slot.tries)]
    assert sorted(seeds) == list(range(100, 135))
    assert [slot.seed(0) for slot in slots] == list(range(100, 107))
    assert [slot.index for slot in slots] == list(range(7))


def test_each_attempt_takes_the_next_style():
    slot = plan(LEVELS, lambda _: (12,), (1, 2, 3), 2, seed=0, tries=5)[1]
    assert [slot.style(k) for k in range(5)] == [2, 3, 1, 2, 3]


def test_levels_that_are_no_product_keep_their_order():
    levels = [{"chain": 4, "cover": "none"}, {"chain": 5, "cover": "full"}]
    assert [s.level for s in plan(levels, lambda _: (1,), (1,), 2, 0, 1)] == levels
    assert plan([{}], lambda _: (1,), (1,), 1, 0, 1)[0].level == {}
