"""The second process: loads the tasks once more under another hash seed and says their hashes."""

from __future__ import annotations

from .events import Events
from .job import read_given
from .play import framework


def main() -> int:
    """Say the hashes in order; any exception ends the process, and its parent says so."""
    events = Events.inherited()
    play = framework(read_given())
    play.open()
    events.emit("tasks_again", hashes=[task.hash for task in play.load()])
    return 0
