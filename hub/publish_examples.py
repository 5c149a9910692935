"""Publish the examples with the real `hub push`, and report the status of their versions."""

import subprocess
import sys
import tomllib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from django.conf import settings

from hub import programs
from registry.catalog.models import Version

FOLDER = settings.BASE_DIR / "examples"
OWNER = "alice"
DONE = (Version.Status.LISTED, Version.Status.REJECTED, Version.Status.HELD)


@dataclass(frozen=True, slots=True)
class Example:
    """One example folder, with the name and version of its pyproject.toml."""

    folder: Path
    name: str
    version: str

    def __str__(self) -> str:
        return f"{self.name} {self.version}"


def examples() -> list[Example]:
    """The examples of this checkout, by name."""
    rows = []
    for file in sorted(FOLDER.glob("*/pyproject.toml")):
        project = tomllib.loads(file.read_text())["project"]
        rows.append(Example(file.parent, project["name"], project["version"]))
    return rows


def undecided() -> tuple[list[Example], dict[Example, str]]:
    """The unpublished examples, and the undecided ones with the last reported status (none)."""
    waiting, watching = [], {}
    for example in examples():
        version = _version(example)
        if version is None:
            waiting.append(example)
        elif version.status not in DONE:
            watching[example] = ""
    return waiting, watching


def listed() -> tuple[int, int]:
    """The number of listed examples, and of all."""
    versions = [_version(example) for example in examples()]
    return sum(bool(v and v.status == Version.Status.LISTED) for v in versions), len(versions)


def _version(example: Example) -> Version | None:
    return Version.objects.filter(
        environment__owner__name=OWNER, environment__name=example.name, version=example.version
    ).first()


@dataclass(slots=True)
class Publisher:
    """Pushes one example after another; call `step` often, it never blocks.

    `say` is called with a line whenever the status of a version changes.
    """

    waiting: list[Example]
    watching: dict[Example, str]
    token: str
    log: Path
    say: Callable[[str], None]
    pushing: tuple[Example, subprocess.Popen[bytes]] | None = None

    def step(self) -> bool:
        """Start the next push and report all changes since the last call.

        True once each version is listed, rejected or held.
        """
        if self.pushing and self.pushing[1].poll() is not None:
            example, popen = self.pushing
            self.pushing = None
            if popen.returncode:
                self.say(f"{example}: hub push failed (exit {popen.returncode}), see {self.log}")
            else:
                self.watching[example] = ""
        if not self.pushing and self.waiting:
            example = self.waiting.pop(0)
            with self.log.open("ab") as log:
                self.pushing = (example, self._push(example, log))
        for example in list(self.watching):
            self._report(example)
        return not (self.waiting or self.pushing or self.watching)

    def stop(self) -> None:
        """Terminate a running push."""
        if self.pushing:
            self.pushing[1].terminate()
            self.pushing[1].wait(timeout=10)

    def _push(self, example: Example, log: IO[bytes]) -> "subprocess.Popen[bytes]":
        return subprocess.Popen(
            [sys.executable, "-m", "envyard", "push", "--no-wait", str(example.folder)],
            env=programs.environment_without_credentials()
            | {"HUB_URL": programs.local_url(), "HUB_TOKEN": self.token},
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=subprocess.STDOUT,
        )

    def _report(self, example: Example) -> None:
        version = _version(example)
        if version is None or version.status == self.watching[example]:
            return
        self.watching[example] = version.status
        self.say(f"{example}: {version.status}")
        if version.status in DONE:
            del self.watching[example]
