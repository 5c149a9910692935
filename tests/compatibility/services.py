"""What the measured runs may reach, on loopback: data sets with made-up rows, and a judge."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

from tests import data_hub
from tests.compatibility import judge, rows

DATA_TOKEN = "hf_made_up"  # its account accepted the terms of the gated sets


@dataclass(frozen=True, slots=True)
class Services:
    """`settings` are the runner's environment variables that name them, `judge_model` is the
    judge's name."""

    settings: dict[str, str] = field(default_factory=dict)
    judge_model: str = ""


@contextmanager
def serving() -> Iterator[Services]:
    """Serve everything for as long as the block runs."""
    with (
        TemporaryDirectory(prefix="envyard-compatibility-") as name,
        data_hub.serving(Path(name)) as data,
        judge.serving() as judge_settings,
    ):
        data.token = DATA_TOKEN
        rows.write_all(data)
        settings = {"RUNNER_DATA_URL": data.url, "RUNNER_DATA_TOKEN": DATA_TOKEN}
        yield Services({**settings, **judge_settings}, judge.NAME)
