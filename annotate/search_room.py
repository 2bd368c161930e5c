"""How Search Room's own verbs are said; the grammar of templates is in verbs.py."""

from __future__ import annotations

VERBS: dict[str, tuple[str, ...]] = {
    "search_under": ("See what {cover} hides", "Find out what is under {cover}", "Search under {cover}"),
    "set_aside": ("Set {cover} aside", "Put {cover} down close by", "Put {cover} down next to where it was"),
    "survey": ("See what stands on {counter}", "Find out what is on {counter}", "Look for things on {counter}"),
    "look_over": ("Look over {counter}", "Look along {counter}", "Scan {counter}"),
    "fetch": (
        "Fetch {item}",
        "Get {item}",
        "Go and get {item}",
        "Fetch {item} from {source}",
        "Get {item} from {source}",
        "Retrieve {item} from {source}",
    ),
    "bring": ("Bring {item} to {tray}", "Take {item} to {tray}", "Deliver {item} to {tray}"),
    "drive_on": ("Drive on to {to}", "Keep driving to {to}", "Go on to {to}"),
    "carry_on": ("Carry {item} on to {tray}", "Keep carrying {item} to {tray}", "Go on to {tray} with {item}"),
    "carry": ("Carry {item} to {tray}", "Drive to {tray} with {item}", "Carry {item} over to {tray}"),
}
