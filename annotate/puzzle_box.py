"""How the puzzle box's own verbs are said; the grammar of templates is in verbs.py."""

from __future__ import annotations

VERBS: dict[str, tuple[str, ...]] = {
    "study": ("Study {box}", "Look {box} over", "Inspect {box} before touching anything"),
    "free_bolts": (
        "Free {all bolt} of {box}",
        "Work {all bolt} of {box} loose",
        "Find out which way {all bolt} of {box} come free",
        "Go on freeing {all bolt} of {box}, {freed} free so far",
        "Keep working {all bolt} of {box} loose, {freed} done",
        "Carry on with {all bolt} of {box}, {freed} free already",
    ),
    "take_out": (
        "Get {item} out of {box}",
        "Fetch {item} out of {box}",
        "Retrieve {item} from {box}",
        "Take out {hidden item} {box}",
        "Get out {hidden item} {box}",
        "Find and take out {hidden item} {box}",
    ),
    "try_slide": (
        "Try {part}",
        "See whether {part} moves",
        "Test whether {part} slides",
        "Try to slide {part} {direction}",
        "See whether {part} slides {direction}",
        "Test whether {part} moves {direction}",
        "Try {part} again [tried_before]",
        "Try {part} once more [tried_before]",
        "See whether {part} moves this time [tried_before]",
        "Try again to slide {part} {direction} [tried_before]",
        "Try once more to slide {part} {direction} [tried_before]",
        "See whether this time {part} slides {direction} [tried_before]",
    ),
    "slide_back": ("Slide {part} back", "Move {part} back to where it was", "Return {part} to where it was"),
    "push_back": ("Push {part} back in", "Push {part} back", "Push {part} back to where it was"),
}
