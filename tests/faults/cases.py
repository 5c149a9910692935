"""Which fault is injected into which part, and why others are not."""

from __future__ import annotations

from tests.faults.faults import Fault

PARTS = (
    "web",
    "worker",
    "beat",
    "runner",
    "sandbox",
    "gateway",
    "model",
    "database",
    "broker",
    "storage",
)
USUAL = ("kill", "stop", "restart", "cut", "full")
WITHOUT = {
    ("web", "full"): "writes to the storage alone",
    ("worker", "full"): "writes to the storage alone",
    ("beat", "full"): "what it keeps on disk, a lost message costs more",
    ("sandbox", "restart"): "never started again: the next attempt has its own",
    ("sandbox", "cut"): "has no network",
    ("sandbox", "full"): "its disks are its own: tests/worker/attacks",
    ("gateway", "restart"): "lives and ends with its run",
    ("gateway", "cut"): "the cut is the model's",
    ("gateway", "full"): "writes nothing to disk",
    ("model", "full"): "answers from memory",
    ("storage", "kill"): "a folder has no process; it is away instead",
    ("storage", "stop"): "a folder has no process; it takes no writes instead",
    ("storage", "restart"): "a folder has no process",
    ("storage", "cut"): "a folder has no network; it is away instead",
}
EXTRA = (
    Fault("storage", "away"),
    Fault("storage", "read-only"),
    Fault("database", "stop 30 s"),
    Fault("runner", "stop 30 s"),
    Fault("beat", "twice"),
    Fault("broker", "forgets"),
)
FAULTS = (
    tuple(Fault(part, name) for part in PARTS for name in USUAL if (part, name) not in WITHOUT)
    + EXTRA
)
# Each part once and each fault once, on one broker or the other.
SLICE = {
    "redis": (
        Fault("web", "stop"),
        Fault("worker", "kill"),
        Fault("runner", "cut"),
        Fault("broker", "kill"),
        Fault("storage", "full"),
    ),
    "rabbitmq": (
        Fault("beat", "kill"),
        Fault("sandbox", "kill"),
        Fault("gateway", "stop"),
        Fault("model", "kill"),
        Fault("database", "restart"),
    ),
}
AS_ROOT = ("full", "away", "read-only", "forgets")
# Of a store behind a gateway: which part is putting what, and how long the wheel is.
S3_FAULTS = ("kill", "stop 30 s", "cut", "restart")
S3_STAGES = {
    "wheel": ("web", rb"PUT /\S*staging/\S*wheel", 0),
    "second part": ("web", rb"PUT /\S*staging/\S*partNumber=2", 20 << 20),
    "transcript": ("web", rb"PUT /\S*transcripts/", 0),
    "index": ("worker", rb"PUT /\S*index/", 0),
}
S3_SLICE = [("transcript", "restart")]
# Three attempts may all meet a model that is away or a runner without disk; then staff decide.
MAY_BE_HELD = {
    (part, name): ("listed", "held")
    for part, faults in {"runner": ("full",), "model": ("kill", "stop", "restart", "cut")}.items()
    for name in faults
}
