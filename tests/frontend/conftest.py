"""What pages are looked at with."""

from __future__ import annotations

import pytest

from registry.models import User, Version
from tests.factories import make_rollout, make_run, make_version


@pytest.fixture
def listed(alice: User) -> Version:
    """alice/demo-env==0.1.0 with a run of two rollouts, one of them failed."""
    version = make_version(alice, readme="# Say it\n\nA *word*.", readme_type="text/markdown")
    run = make_run(version, total=2, done=2)
    make_rollout(run, "oracle", 0, reward=1.0)
    make_rollout(
        run,
        "silent",
        0,
        reward=None,
        error={"type": "ValueError", "message": "no tag", "traceback": "", "fault": "environment"},
    )
    return version
