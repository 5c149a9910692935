"""What one run may take."""

from __future__ import annotations

from dataclasses import dataclass, replace

from envyard.contract.job import RunLimits

OPEN_FILES = 65536  # of one process; below it libraries for many sandboxes refuse to load


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds of one run: seconds, bytes and counts, over all its processes together.

    `judge_calls` and `judge_tokens` bound the use of the runner's judge by one run.
    `files` are open descriptors, `file_bytes` the size of the largest file. `tmp_bytes` bounds
    /tmp and /dev/shm each; they live in memory, so the machine needs memory_bytes + 2 tmp_bytes.
    `reserve_bytes` is what the machine keeps: where less is left, the run ends and is tried again.
    """

    wall_seconds: float = 3600.0
    cpu_seconds: int = 3600
    memory_bytes: int = 4 << 30
    pids: int = 512
    files: int = 4096  # a socket's buffers are memory too
    file_bytes: int = 256 << 20
    tmp_bytes: int = 256 << 20
    log_bytes: int = 4 << 20
    events_bytes: int = 256 << 20
    reserve_bytes: int = 256 << 20
    judge_calls: int = 20_000
    judge_tokens: int = 50_000_000

    @property
    def process_files(self) -> int:
        """What RLIMIT_NOFILE of each process is, where the machine allows it; the run ends at
        `files` before."""
        return max(OPEN_FILES, self.files)

    @property
    def inodes(self) -> int:
        """Files on /tmp and on /dev/shm each: an empty one takes a KiB of the kernel's memory."""
        return self.tmp_bytes >> 10

    def lowered(self, requested: RunLimits) -> Limits:
        """The job's requested limits, never above this maximum."""
        return Limits(
            wall_seconds=min(self.wall_seconds, requested.wall_seconds),
            cpu_seconds=min(self.cpu_seconds, requested.cpu_seconds),
            memory_bytes=min(self.memory_bytes, requested.memory_bytes),
            pids=min(self.pids, requested.pids),
            files=self.files,
            file_bytes=min(self.file_bytes, requested.tmp_bytes),
            tmp_bytes=min(self.tmp_bytes, requested.tmp_bytes),
            log_bytes=min(self.log_bytes, requested.log_bytes),
            events_bytes=self.events_bytes,
            reserve_bytes=self.reserve_bytes,
            judge_calls=min(self.judge_calls, requested.judge_calls),
            judge_tokens=min(self.judge_tokens, requested.judge_tokens),
        )

    def judge_budgets(self, requested: RunLimits) -> RunLimits:
        """The job's limits with budgets of judge calls that are within this maximum."""
        lowered = self.lowered(requested)
        return replace(
            requested,
            judge_calls=lowered.judge_calls,
            judge_tokens=lowered.judge_tokens,
            judge_max_tokens=min(self.judge_tokens, requested.judge_max_tokens),
        )
