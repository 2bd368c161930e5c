"""Referring expressions: what to call a thing so that it is the only one meant.

"You" is the robot. Positions are those of the `known` things in the robot's base frame when the caption begins (x
ahead, y left, z up, metres). The phrases form a closed grammar; verify/phrases.py reads them back with code of its
own, written from this page:

    phrase  := "the " core [scope]                                   one thing answers to it
             | "the " END " " core [scope]                           END the first by some order
             | "the " core (" nearest to you" | " farthest from you")
             | "the " ORD " " core " from the " (left|right|top|bottom)
             | "the " ORD " " (nearest|farthest) " " core [scope]
             | "the " OF " of the " NUMBER " " SIDE " " core-plural
             | "the " core " " N " cm " (ahead|behind) " and " N " cm to the " (left|right) [" and " N " cm " (up|down)]
               [scope]
    core    := {trait " "} noun [" with " trait] [" " trait] | part
    END     := leftmost rightmost nearest farthest top bottom; of exactly two: left right nearer farther upper lower
    OF      := leftmost rightmost nearest farthest, "top one", "bottom one"; of exactly two: "left one", "right one",
               nearer, farther, "upper one", "lower one"; ORD (nearest|farthest);
               ORD " from the " (left|right|top|bottom)
    SIDE    := leftmost rightmost nearest farthest top bottom
    ORD     := second third fourth fifth sixth          NUMBER := two ... six          N := a whole number
    scope   := " behind you" | " on your left" | " on your right" | " out of view"

Orders: left and right by y; near and far by the horizontal distance hypot(x, y) from the base; top and bottom by z.

- *Answering*: a thing answers to a noun that is its own or ends its own ("water bottle" answers to "bottle"), and to
  the `part` trait; the group plays no role, as it is not heard. It answers to a trait in the same way. Names of
  things, and the plurals of their nouns ("the bolts": every known one, at least two), are the only nouns of a
  caption.
- *Traits* are adjectives before the noun, except for three keys: `part` is the visible thing one takes hold of and
  stands for the noun ("round black handle": "the round black handle nearest to you"), without other traits, and only
  where the role is called `part`; `with` follows the noun ("with": "a blue dot"); `where` follows last, as it is
  ("under the sink" is said so). Words of position are no traits.
- *Scope*: without a scope, the things in view compete; a thing that nothing in view can be confused with (no thing in
  view answers to the core) may be called by the core alone if it is the only known one. With a scope, the known
  things that are out of view compete: all of them, or those whose bearing is 45 to 135 degrees to the left or the
  right, or more than 135 degrees off ("behind you").
- *Clear*: things that are compared differ by at least 2 cm (5 cm in height): the first from the second; for the n-th,
  all of the first n + 1 one from the next; the NUMBER first from the rest. Metric phrases round to 1 cm and mean the
  thing within 1 cm of each number.

Short and plain forms come before long ones; among those that are about as good, the style of the episode decides. A
thing keeps its phrase as long as the phrase still means it and nothing much better exists.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field

from annotate.english import plural
from annotate.errors import AmbiguousError, NotSeenError
from annotate.forms import Form, forms
from annotate.style import Style
from tasks.terms import Thing

TASTE = 0.7
"""How much worse a phrase may be for the style to choose it, for its noun and again for the rest of it."""
KEEP = 1.6
"""How much worse than the best a phrase may be that the thing was called by before."""
ECHO = 1.5
"""What it costs that the sentence goes on with the word the phrase ends with: "from the left to the left"."""


@dataclass
class Namer:
    """Names things in the style of one episode, and remembers what it called them."""

    style: Style
    _called: dict[tuple[str, bool], str] = field(default_factory=dict)

    def name(self, target: str, known: Sequence[Thing], *, by_part: bool = False, echo: Collection[str] = ()) -> str:
        """A phrase that means `target` and nothing else.

        Args:
            target: a thing's name.
            known: what the robot has seen, positions in its base frame now.
            by_part: whether the thing may be called by its part ("the round black handle").
            echo: words that the phrase should not end with, as the sentence goes on with them.

        Raises:
            NotSeenError: `target` is not among `known`.
            AmbiguousError: another thing is the same in all that could be said.
        """
        thing = find(target, known)
        options = forms(thing, known, by_part=by_part)
        if not options:
            raise AmbiguousError(f"{target} cannot be told from another {thing.noun} in the same place")
        key = (target, by_part)
        cheapest = min(form.cost + self._echo(form, echo) for form in options)
        for form in options:
            if form.text == self._called.get(key) and form.cost + self._echo(form, echo) <= cheapest + KEEP:
                return form.text
        best = min(options, key=lambda form: (self._dislike(form) + self._echo(form, echo), form.text))
        self._called[key] = best.text
        return best.text

    def _dislike(self, form: Form) -> float:
        noun, *rest = form.kinds
        return form.cost + TASTE * (self.style.weight(f"form {noun}") + self.style.weight(f"form {' '.join(rest)}"))

    @staticmethod
    def _echo(form: Form, words: Collection[str]) -> float:
        return ECHO if form.text.split()[-1] in words else 0.0


def find(target: str, known: Sequence[Thing]) -> Thing:
    """The known thing of that name. Raises NotSeenError."""
    for thing in known:
        if thing.name == target:
            return thing
    raise NotSeenError(f"{target} has not been seen and cannot be named; seen: {sorted(t.name for t in known)}")


def everything(noun: str, known: Sequence[Thing]) -> str:
    """ "the bolts": every known thing of the noun. Raises NotSeenError if there are not at least two."""
    if sum(thing.noun == noun for thing in known) < 2:
        raise NotSeenError(f"fewer than two things of the noun {noun!r} have been seen")
    return f"the {plural(noun)}"
