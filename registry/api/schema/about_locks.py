"""What is told of a version's locks."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from envyard.contract.lock import MOST_CHARACTERS, PLATFORM
from registry.api.schema.base import All, Moment, Shape
from registry.api.schema.environments import Sha256
from registry.api.schema.operation import Operation

LOCKS = "environments/{owner}/{name}/versions/{number}/locks/"
Platform = Annotated[str, Field(pattern=PLATFORM, examples=["cpython-311-x86_64-linux-gnu-2.36"])]


class LockSummary(Shape):
    """The dependencies of a version on one platform."""

    platform: Platform
    packages: int
    sha256: Sha256
    made_at: Moment
    run: Annotated[str | None, Field(description="The run that resolved them.")]


class LockDetail(LockSummary):
    """With the requirements file, as pip and uv read it."""

    text: str


class OfferedLock(Shape):
    """What a runner resolved, null to ask first."""

    attempt: Annotated[int, Field(ge=1)]
    platform: Platform
    lock: Annotated[str | None, Field(max_length=MOST_CHARACTERS)] = None


class StandingLock(Shape):
    """What is to be installed, null where the version has no lock for that platform."""

    lock: str | None


OPERATIONS = {
    f"GET {LOCKS}": Operation(
        "listLocks",
        "Versions",
        "List the locks of a version",
        "One for each platform that it ran on, made by its first run there and never changed.",
        {200: All[LockSummary]},
        free=True,
    ),
    f"GET {LOCKS}{{platform}}/": Operation(
        "getLock",
        "Versions",
        "Show a lock",
        "`text` is a requirements file with hashes, for `--require-hashes`.",
        {200: LockDetail},
        free=True,
    ),
    "POST runner/runs/{id}/lock/": Operation(
        "agreeOnLock",
        "Runners",
        "Agree on the lock",
        "The first lock that is offered for a version and platform stands; every answer is the "
        "one that stands.",
        {200: StandingLock},
        OfferedLock,
        refusals=(409,),
        needs="run",
    ),
}
