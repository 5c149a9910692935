"""Publish an evaluation of this machine with its samples, as self-reported."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any
from urllib.parse import quote

from envyard.client import Hub, version_path
from envyard.commands.show import interval, number, ref_of
from envyard.contract.names import Ref
from envyard.errors import ApiError, HubCliError
from envyard.local_evaluation import LocalEvaluation, Subject
from envyard.output import Output

BATCH_BYTES = 8 << 20  # of JSON, below what the hub takes at once
SAMPLE_BYTES = 16 << 20


def published(hub: Hub, ref: Ref, subject: Subject) -> dict[str, Any]:
    """The hub's version `ref`, which has the subject's bytes; raises HubCliError."""
    version = hub.version(ref)
    if version["file"]["sha256"] != subject.wheel_sha256:
        raise HubCliError(
            f"{ref} is another wheel than the one at hand: sha256 "
            f"{version['file']['sha256'][:12]}, not {subject.wheel_sha256[:12]}",
            f"Evaluate the published one: hub eval --local {ref}",
        )
    return version


def signed_in(hub: Hub) -> str:
    """The name of the person; raises ApiError where nobody is signed in."""
    if not hub.token:
        raise ApiError(401, "request.unauthenticated", "you are not signed in", "Run `hub login`.")
    return str(hub.get("whoami/")["user"])


def push(
    hub: Hub, result: LocalEvaluation, version: dict[str, Any], *, is_public: bool
) -> dict[str, Any]:
    """Create the evaluation, send its samples and complete it; what the hub computed of it."""
    signed_in(hub)
    score = result.score
    assert score is not None  # noqa: S101  (only results are pushed)
    ref = ref_of(version["ref"])
    row = hub.post(
        "evaluations/",
        {
            "name": f"{result.model} by suite {result.suite_name}",
            "environments": [{"id": _environment_id(hub, ref), "version_id": ref.version}],
            "model_name": result.model,
            "dataset": str(ref),
            "framework": version["framework"],
            "is_public": is_public,
            "metadata": {
                "suite": result.suite_name,
                "suite_digest": result.suite.digest,
                "wheel_sha256": result.subject.wheel_sha256,
                "seed": result.document["seed"],
            },
        },
    )
    path = f"evaluations/{row['evaluation_id']}"
    try:
        for batch in _batches(result.samples()):
            hub.post(f"{path}/samples", {"samples": batch})
    except HubCliError as error:
        hub.put(path, {"status": "failed", "error_message": error.message})
        raise
    hub.post(f"{path}/finalize", {"metrics": {"reward": score.mean}})
    return _standing(hub, ref, result.suite_name, str(row["viewer_url"]))


def _environment_id(hub: Hub, ref: Ref) -> str:
    """The id by which evaluations name their environment."""
    path = f"environmentshub/{quote(ref.owner)}/{quote(ref.name)}/@{quote(ref.version or '')}"
    return str(hub.get(path)["data"]["id"])


def _batches(samples: list[dict[str, Any]]) -> Iterator[list[dict[str, Any]]]:
    """The samples in batches of at most BATCH_BYTES, or of one; conversations beyond SAMPLE_BYTES
    are left out."""
    batch: list[dict[str, Any]] = []
    size = 0
    for sample in samples:
        length = len(json.dumps(sample))
        if length > SAMPLE_BYTES:
            sample = sample | {"prompt": [], "completion": [], "shortened": True}
            length = len(json.dumps(sample))
        if batch and size + length > BATCH_BYTES:
            yield batch
            batch, size = [], 0
        batch.append(sample)
        size += length
    if batch:
        yield batch


def _standing(hub: Hub, ref: Ref, suite: str, url: str) -> dict[str, Any]:
    """The evaluation's row of the leaderboard, and the hub's own result of the model if any."""
    board = hub.get(f"{version_path(ref)}leaderboard/", suite=suite)
    rows = [*board["reproduced"], *board["self_reported"]]
    row = next((row for row in rows if row["url"] == url), None)
    model = row["model"] if row else ""
    own = next((each["score"] for each in board["verified"] if each["model"] == model), None)
    return {"url": url, "row": row, "verified": own}


def show_pushed(pushed: dict[str, Any], out: Output) -> None:
    """What the hub computed of the samples, and whether its own result contains it."""
    out.note(f"Pushed: {pushed['url']}", "green")
    row, own = pushed["row"], pushed["verified"]
    if row is None:
        out.note("It is not among the first evaluations of the leaderboard.", "yellow")
        return
    out.note(f"The hub computed a mean of {number(row['mean'])} over {row['samples']} samples.")
    if row["disagrees"]:
        out.note(f"The stated mean, {number(row['stated'])}, is not that of the samples.", "yellow")
    if own is not None:
        mean = interval(own["mean"], own["low"], own["high"])
        reproduced = row["evidence"] == "reproduced"
        out.note(
            f"{'Reproduced' if reproduced else 'Not reproduced'}: the hub's own result is {mean}; "
            f"{row['reproduction']['reason']}.",
            "green" if reproduced else "yellow",
        )
    else:
        out.note("Self-reported: the hub has not evaluated this model by this suite.", "dim")
