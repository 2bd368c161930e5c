"""The task Search Room."""

from tasks.search_room.task import SearchRoom
from tasks.search_room.task import SearchRoom as TASK

__all__ = ["TASK", "SearchRoom"]
