"""How the verbs that many tasks share are said. A task's own verbs are in `annotate/<task>.py`, if it has any.

A template is a sentence with holes:

    {role}          the thing of that role, as refer.py names it
    {hidden role}   "what is inside": the thing of that role has not been seen
    {all noun}      every known thing of a noun: "the bolts"
    {direction}     the fact `direction` (x, y in the base frame), of what the robot moves: "towards you"
    {heading}       the same fact, of the robot itself: "back"
    {fact}          a whole number, as a word
    [fact]          at the end: the template is for terms whose fact holds

A template fits a term if it has a hole for every role of the term, and the term has what its holes ask for. Of those
that fit, the ones that say most facts are used; the style of the episode chooses one. Each way to call a verb should
have three wordings or more, and no two verbs a wording in common (the judge holds it against them). Nothing else in a
template may be the name of a thing.
"""

from __future__ import annotations

VERBS: dict[str, tuple[str, ...]] = {
    "look": (
        "Look around",
        "Have a look around",
        "Look about",
        "Look at {at}",
        "Take a look at {at}",
        "Have a look at {at}",
    ),
    "look_into": ("Look into {at}", "Look inside {at}", "Check what is in {at}"),
    "drive": ("Drive to {to}", "Go to {to}", "Drive over to {to}"),
    "step_aside": ("Step {heading}", "Move {heading}", "Shift {heading}"),
    "search": ("Search {place}", "See what {place} holds", "Find out what is in {place}"),
    "open": (
        "Open {place}",
        "Pull {place} open",
        "Get {place} open",
        "Open {lid}",
        "Get {lid} open",
        "Move {lid} out of the way",
        "Slide {lid} open {direction}",
        "Open {lid} by sliding it {direction}",
        "Push {lid} open {direction}",
    ),
    "close": ("Close {place}", "Shut {place}", "Push {place} shut"),
    "lift": ("Lift {cover}", "Raise {cover}", "Lift {cover} away"),
    "take": (
        "Take {item}",
        "Pick up {item}",
        "Grasp {item}",
        "Take {item} out of {source}",
        "Lift {item} out of {source}",
        "Pick {item} out of {source}",
    ),
    "place": ("Place {item} on {target}", "Put {item} on {target}", "Set {item} down on {target}"),
    "press": ("Press {button}", "Push {button}", "Press down on {button}"),
    "deliver": (
        "Put {item} on {tray} and press {button}",
        "Bring {item} to {tray}, then press {button}",
        "Set {item} down on {tray} and finish with {button}",
    ),
}
