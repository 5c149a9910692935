"""Injects one fault while a version is at each stage of its life, and checks the invariants."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable, Collection
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

from tests.faults.deployment import Deployment
from tests.faults.faults import Fault
from tests.faults.invariants import Case, problems
from tests.faults.proxy import Hold
from tests.faults.upload import Upload

T = TypeVar("T")
DECIDED = ("listed", "rejected", "held")
# A version is stuck when this many sweeps have not moved it, however slow the machine is.
MAX_SWEEPS, DECIDE_SECONDS, MAX_SECONDS = 75, 150, 600
TRIES, STAGED_SECONDS = 5, 45
# A runner gives up a call to the hub, or to the model, a little later.
PAUSED_SECONDS, SLOW_MODEL_SECONDS = 18, 50
# Each runner is paused at one of these with one version, at a request to the hub (or, while
# running, to the model). The run has that status; the last one's has ended.
NEXT = b"POST /api/v1/runner/poll/"
CALL = b"POST /v1/chat/completions"
Stages = dict[str, tuple[str, Hold]]
STAGES: Stages = {
    "queued": ("queued", Hold(NEXT, before=True)),
    "leased": ("leased", Hold(NEXT, before=False)),
    "preparing": ("preparing", Hold(b"GET /files/", before=True)),
    "running": ("running", Hold(CALL, before=True, skip=2)),
    "scoring": ("scoring", Hold(b"/finish/ ", before=True)),
    "finishing": ("succeeded", Hold(b"/finish/ ", before=False)),
}
# A sandbox exists only while a run is running: its faults occur at each of its four calls. The
# runner has checked the model by a call of its own before.
SANDBOX_STAGES: Stages = {
    f"call {n}": ("running", Hold(CALL, before=True, skip=n)) for n in range(1, 5)
}
SANDBOX_STAGES |= {f"reply {n}": ("running", Hold(CALL, before=False, skip=n)) for n in (1, 4)}
HUBS = (
    "web",
    "worker",
    "beat",
    "database",
    "broker",
    "storage",
)  # the check depends on these alone
ANY = "any"
UPLOADED_TO = ("web", "database", "broker", "storage")
OF_VERSIONS = """
    SELECT e.name, v.status, r.id, r.status, r.attempt, u.name
    FROM registry_version v JOIN registry_environment e ON e.id = v.environment_id
    LEFT JOIN registry_run r ON r.version_id = v.id
    LEFT JOIN registry_runner u ON u.id = r.runner_id
    WHERE e.name = ANY(%s)
"""


@dataclass
class Pipe:
    """A pipe in place of a stored wheel: a reader waits until `restore`.

    Its folder is kept open, so that this works also where another disk has covered the storage.
    """

    stored: Path
    folder: int
    restored: bool = False

    @classmethod
    def replace(cls, stored: Path) -> Pipe:
        stored.rename(stored.with_name("kept"))
        os.mkfifo(stored)
        return cls(stored, os.open(stored.parent, os.O_RDONLY | os.O_DIRECTORY))

    def restore(self) -> None:
        """Put the wheel back, and send its bytes to a waiting reader."""
        if self.restored:
            return
        self.restored, name, at = True, self.stored.name, self.folder
        end = None
        with suppress(OSError):  # no reader waits
            end = os.open(name, os.O_WRONLY | os.O_NONBLOCK, dir_fd=at)
        os.rename("kept", name, src_dir_fd=at, dst_dir_fd=at)
        if end is not None:
            wheel = os.open(name, os.O_RDONLY, dir_fd=at)
            with suppress(BrokenPipeError):
                os.sendfile(end, wheel, 0, os.fstat(wheel).st_size)
            os.close(wheel)
            os.close(end)
        os.close(at)


@dataclass
class StagedVersions:
    """Versions that are each at another stage, and the pauses that keep them there."""

    deployment: Deployment
    fault: Fault
    cases: list[Case] = field(default_factory=list)
    expected: dict[str, tuple[str, str, str]] = field(default_factory=dict)
    holds: list[Hold] = field(default_factory=list)
    pipe: Pipe | None = None
    upload: Upload | None = None

    def late(self) -> list[str]:
        """The stages that a version has left, and the pauses whose runner has given up."""
        rows = {row[0]: row for row in self.deployment.rows(OF_VERSIONS, list(self.expected))}
        left = []
        for case in self.cases:
            if case.name not in self.expected:
                continue
            row = rows[case.name]
            state = (row[1], row[3] or "", row[5] or "")
            case.seen = " ".join(word for word in state if word)
            pairs = zip(state, self.expected[case.name], strict=True)
            if any(is_ != should for is_, should in pairs if should != ANY) or (row[4] or 1) != 1:
                left.append(f"{case.stage}: {state}")
        return left + [f"{hold.request!r}" for hold in self.holds if _is_old(hold)]

    def release(self) -> None:
        """End every pause; the worker's too, unless the fault is the worker's."""
        for runner in self.deployment.runners:
            runner.hub.release()
            runner.model.release()
        if self.pipe:
            self.pipe.restore()
        if self.upload:
            self.upload.go_on()
        if self.fault.part != "worker":
            self.deployment.parts["worker"].signal_main(signal.SIGCONT)


def _is_old(hold: Hold) -> bool:
    limit = SLOW_MODEL_SECONDS if hold.request == CALL else PAUSED_SECONDS
    return time.monotonic() - hold.since > limit


def inject(
    deployment: Deployment, fault: Fault, *, may_end: tuple[str, ...] = ("listed",)
) -> list[Case]:
    """Bring a version to each stage, inject the fault, undo it, and check each version."""
    staged = _staged(deployment, fault)
    began = time.monotonic()
    with fault.inject(deployment) as observed:
        staged.release()
        fault.wait_out(deployment)
    deployment.parts["worker"].signal_main(signal.SIGCONT)
    _uploaded(staged)
    follow(deployment, staged.cases, began)
    for case in staged.cases:
        case.seen = f"{case.seen}; {observed.text}"
        case.wrong += problems(deployment, case, may_end)
    return staged.cases


def _staged(deployment: Deployment, fault: Fault) -> StagedVersions:
    """Versions at every stage, confirmed by the rows immediately before."""
    late: list[str] = []
    for _ in range(TRIES):
        staged = StagedVersions(deployment, fault)
        try:
            _with_runners(staged)
            if fault.part in HUBS:
                _with_hub(staged)
            deployment.renew()
            if not (late := staged.late()):
                return staged
        except Late as error:
            late = [str(error)]
        staged.release()
        deployment.parts["worker"].signal_main(signal.SIGCONT)
        _uploaded(staged)
        follow(deployment, staged.cases, time.monotonic())
        wrong = [why for case in staged.cases for why in problems(deployment, case, DECIDED)]
        assert not wrong, wrong
    raise AssertionError(f"{fault} never met {late}")


def _with_hub(staged: StagedVersions) -> None:
    """Add a version that is being checked, one that is uploaded, and half of an upload."""
    deployment, fault = staged.deployment, staged.fault
    worker = deployment.parts["worker"]
    worker.signal_main(signal.SIGSTOP)  # no task starts while the pipe replaces the wheel
    checking, sha256 = push(deployment, fault, "checking")
    staged.pipe = Pipe.replace(deployment.files / "wheels" / sha256[:2] / sha256)
    worker.signal_main(signal.SIGCONT)
    _renewed(
        deployment, lambda: _status(deployment, checking.name) == "checking", f"checking of {fault}"
    )
    worker.signal_main(signal.SIGSTOP)
    uploaded, _ = push(deployment, fault, "uploaded")
    staged.cases += [checking, uploaded]
    staged.expected |= {checking.name: ("checking", "", ""), uploaded.name: ("uploaded", "", "")}
    if fault.part in UPLOADED_TO:
        staged.upload = Upload(
            _upload_url(deployment), deployment.token, _new_name(deployment)
        ).start()
        state = "half of it sent"
        staged.cases.append(Case(fault.part, fault.name, "uploading", staged.upload.name, state))


def _upload_url(deployment: Deployment) -> str:
    """The URL of web through a proxy for uploads, which is cut when web is."""
    server = deployment.servers["web"]
    if deployment.upload_proxy is None:
        deployment.upload_proxy = deployment.loop.add_proxy(server.target)
        deployment.proxies["web"].append(deployment.upload_proxy)
    return server.at(deployment.upload_proxy.port)


def _uploaded(staged: StagedVersions) -> None:
    """Check that the upload was accepted; at once if the fault is the broker's."""
    if (upload := staged.upload) is None:
        return
    case = next(case for case in staged.cases if case.name == upload.name)
    if not upload.accepted(MAX_SECONDS):
        case.wrong.append(f"never accepted: {upload.answers[-10:]}")
    if staged.fault.part == "broker" and upload.answers != [200]:
        case.wrong.append(f"an upload needs no broker, but got {upload.answers}")
    allowed = {0, 200, 500, 502, 503} | ({507} if staged.fault.name == "full" else set())
    if not set(upload.answers) <= allowed:
        case.wrong.append(f"answered {upload.answers}")


def push(deployment: Deployment, fault: Fault, stage: str) -> tuple[Case, str]:
    """Upload a new environment as alice; its case, and its wheel's sha256."""
    upload = Upload(deployment.url, deployment.token, _new_name(deployment))
    upload.go_on()
    upload.start()
    assert upload.accepted(120), upload.answers
    return Case(fault.part, fault.name, stage, upload.name), upload.sha256


def _new_name(deployment: Deployment) -> str:
    return f"word-{deployment.broker_kind}-{next(deployment.pushed)}"


def _with_runners(staged: StagedVersions) -> None:
    """Add a version for each runner, each runner paused at its stage."""
    deployment, fault = staged.deployment, staged.fault
    stages = SANDBOX_STAGES if fault.part == "sandbox" else STAGES
    holds = {}
    for runner, (stage, (_, hold)) in zip(deployment.runners, stages.items(), strict=True):
        proxy = runner.model if hold.request == CALL else runner.hub
        holds[stage] = proxy.stop_at(Hold(hold.request, hold.before, hold.skip))
    staged.holds = list(holds.values())
    with ThreadPoolExecutor(len(stages)) as pool:
        pushed = pool.map(lambda stage: push(deployment, fault, stage)[0], stages)
    staged.cases = list(pushed)
    cases = {case.name: case for case in staged.cases}
    for stage, hold in holds.items():
        _renewed(deployment, hold.caught.is_set, f"{stage} of {fault}")
    waiting = dict(cases)
    for runner, (stage, (status, _)) in zip(deployment.runners, stages.items(), strict=True):
        if stage == "queued":
            continue
        name = _renewed(
            deployment,
            lambda runner=runner.name, status=status: _leased_by(
                deployment, waiting, status, runner
            ),  # type: ignore[misc]
            f"a run that is {status} at {stage} of {fault}",
        )
        waiting.pop(name).stage = stage
        version = ANY if status == "succeeded" else "evaluating"
        staged.expected[name] = (version, status, runner.name)
    for last in waiting.values():
        last.stage = "queued"
        staged.expected[last.name] = ("evaluating", "queued", "")


class Late(Exception):
    """The machine was too slow to bring every version to its stage at once."""


def _renewed(deployment: Deployment, look: Callable[[], T], awaited: str) -> T:
    """The first true result; meanwhile no paused runner loses its lease."""

    def renewed() -> T:
        deployment.renew()
        return look()

    try:
        return deployment.wait(renewed, awaited, STAGED_SECONDS)
    except AssertionError as error:
        raise Late(awaited) from error


def _leased_by(deployment: Deployment, names: Collection[str], status: str, runner: str) -> str:
    """The version that the runner has leased, in that status; empty if none."""
    rows = deployment.rows(OF_VERSIONS, list(names))
    return next((row[0] for row in rows if (row[3], row[5]) == (status, runner)), "")


def _status(deployment: Deployment, name: str) -> str:
    return str(deployment.rows(OF_VERSIONS, [name])[0][1])


def follow(deployment: Deployment, cases: list[Case], began: float) -> None:
    """Wait until each is decided, and record its end in its case."""
    waiting = {case.name: case for case in cases}
    swept, since = deployment.sweeps(), time.monotonic()

    def look() -> bool:
        for name, version, _, _, attempt, _ in deployment.rows(OF_VERSIONS, list(waiting)):
            if version in DECIDED:
                case = waiting.pop(name)
                case.end, case.attempt = version, attempt or 0
                case.seconds = time.monotonic() - began
        lasted = time.monotonic() - since
        late = lasted > DECIDE_SECONDS and deployment.sweeps() - swept > MAX_SWEEPS
        return not waiting or late

    with suppress(AssertionError):
        deployment.wait(look, "", MAX_SECONDS, pause=0.3)
    for case in waiting.values():
        case.end = "undecided"
        case.wrong.append(f"stuck after {deployment.sweeps() - swept} sweeps\n{deployment.logs()}")
