"""Parse vLLM's load from /metrics (docs.vllm.ai, "Metrics")."""

from __future__ import annotations

from dataclasses import dataclass

PREFIX = "vllm:"
CACHE_FULL = 0.9


@dataclass(frozen=True, slots=True)
class Load:
    """Requests being answered and queued over all engines, the fullest key-value cache (0 to 1),
    all tokens read or written since the server began, and those of them that it wrote."""

    running: float
    waiting: float
    cache: float
    tokens: float
    written: float = 0.0

    @property
    def saturated(self) -> bool:
        """More work than it takes at once: some waits, or the cache is about to evict."""
        return self.waiting > 0 or self.cache > CACHE_FULL


def read_metrics(page: bytes) -> Load | None:
    """The load on a page in Prometheus's text format; None where it is not vLLM's."""
    values: dict[str, list[float]] = {}
    for line in page.decode("utf-8", "replace").splitlines():
        if line.startswith(PREFIX):
            head, _, number = line.rpartition(" ")
            name = head.partition("{")[0].removeprefix(PREFIX)
            try:
                values.setdefault(name, []).append(float(number))
            except ValueError:
                return None
    if "num_requests_running" not in values:
        return None
    written = sum(values.get("generation_tokens_total", ()))
    return Load(
        running=sum(values["num_requests_running"]),
        waiting=sum(values.get("num_requests_waiting", ())),
        cache=max(values.get("kv_cache_usage_perc", (0.0,))),
        tokens=sum(values.get("prompt_tokens_total", ())) + written,
        written=written,
    )
