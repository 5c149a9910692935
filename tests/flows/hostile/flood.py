"""Writes events without end into the channel of its process."""

# ruff: noqa
# mypy: ignore-errors

from pathlib import Path

LINE = b'{"event": "rollout", "rollout": "' + b"x" * 60_000 + b'"}\n'


def at(stage: str) -> None:
    """Never come back from load."""
    if stage == "load":
        number = Path("/proc/self/cmdline").read_text().split("\0")[-2]
        with open(int(number), "wb") as channel:
            while True:
                channel.write(LINE)


def score() -> dict[str, float]:
    """Never reached."""
    return {}
