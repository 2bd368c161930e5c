"""The oracle of Search Room."""

from oracles.search_room.evidence import SearchEvidence, choose
from oracles.search_room.oracle import SearchRoomOracle
from oracles.search_room.oracle import SearchRoomOracle as ORACLE

__all__ = ["ORACLE", "SearchEvidence", "SearchRoomOracle", "choose"]
