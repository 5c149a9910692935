"""What is told of runs and rollouts, and of the runners that make them."""

from __future__ import annotations

from registry.api.schema import runners
from registry.api.schema.base import Page
from registry.api.schema.bodies import Capabilities
from registry.api.schema.environments import (
    LogPiece,
    RunDetail,
    RunSummary,
)
from registry.api.schema.operation import PAGED, Operation, query
from registry.api.schema.rollouts import RolloutDetail, RolloutSummary, Sample

RUN = "runs/{id}/"
ROLLOUTS = (
    query("policy", "Of that policy only."),
    query("task", "Of that task only, counted from 0.", {"type": "integer", "minimum": 0}),
    query("ok", "Those that ended well, or those that failed.", bool),
    query("min_reward", "Rewarded at least so.", float),
    query("max_reward", "Rewarded at most so.", float),
    *PAGED,
)

OPERATIONS = {
    "GET environments/{owner}/{name}/runs/": Operation(
        "listRuns",
        "Runs",
        "List the runs of an environment",
        "Of all versions that you may see, newest first.",
        {200: Page[RunSummary]},
        query=PAGED,
        free=True,
    ),
    f"GET {RUN}": Operation(
        "getRun",
        "Runs",
        "Show a run",
        "With facts, findings and the scores so far.",
        {200: RunDetail},
        free=True,
    ),
    f"GET {RUN}log/": Operation(
        "readLog",
        "Runs",
        "Read the log",
        "To follow it, ask again with `after` from `next` until `ended`.",
        {200: LogPiece},
        query=(
            query(
                "after",
                "Where to go on: `next` of the answer before.",
                {"type": "integer", "minimum": 0, "default": 0},
            ),
        ),
        free=True,
    ),
    f"GET {RUN}rollouts/": Operation(
        "listRollouts",
        "Runs",
        "List rollouts",
        "Finished ones in the order they came.",
        {200: Page[RolloutSummary]},
        query=ROLLOUTS,
        free=True,
    ),
    f"GET {RUN}samples/": Operation(
        "listSamples",
        "Runs",
        "Read rollouts as rows to train on",
        "With the columns of verifiers' `results.jsonl`; `hub rollouts export` writes them.",
        {200: Page[Sample]},
        query=ROLLOUTS,
        free=True,
    ),
    f"GET {RUN}rollouts/{{number}}/": Operation(
        "getRollout",
        "Runs",
        "Show a rollout",
        "With its transcript, as the gateway recorded it.",
        {200: RolloutDetail},
        free=True,
    ),
    f"POST {RUN}cancel/": Operation(
        "cancelRun",
        "Runs",
        "Cancel a run",
        "The answer shows what it is by now; a runner may take some seconds to stop.",
        {200: RunDetail},
        refusals=(409,),
    ),
    f"POST {RUN}retry/": Operation(
        "retryRun",
        "Runs",
        "Retry a run",
        "Queues another run of a held version, whose newest run was cancelled or had no result; "
        "else 409. 429 as for retrying the version.",
        {201: RunDetail},
        refusals=(409, 429),
    ),
    "GET runner/whoami/": Operation(
        "runnerWhoami",
        "Runners",
        "Name the runner",
        "`hub-runner doctor` asks so whether its token is good.",
        {200: runners.Presence},
        needs="runner",
    ),
    "POST runner/present/": Operation(
        "runnerPresent",
        "Runners",
        "Say that the runner lives",
        "And what it can do: `capabilities.models` lists the models it has ready.",
        {200: runners.Presence},
        Capabilities,
        needs="runner",
    ),
    "POST runner/poll/": Operation(
        "pollForRun",
        "Runners",
        "Lease the next queued run",
        "Of those whose model is in `capabilities.models`, or that ask for none; "
        "204 where none waits for it, and while the runner is drained.",
        {200: runners.Job, 204: None},
        Capabilities,
        said={204: "No run waits."},
        needs="runner",
    ),
    "POST runner/runs/{id}/events/": Operation(
        "reportEvents",
        "Runners",
        "Report a batch of events",
        "Numbered in each attempt; a number seen before is ignored. Renews the lease.",
        {200: runners.Heard},
        runners.Batch,
        refusals=(409,),
        needs="run",
    ),
    "POST runner/runs/{id}/finish/": Operation(
        "finishRun",
        "Runners",
        "End the attempt",
        "May be said twice for the same attempt.",
        {200: runners.Nothing},
        runners.Ending,
        refusals=(409,),
        needs="run",
    ),
}
