"""The judge's exchanges of a run, by rollout: bounded for transcripts, whole for replays."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from envyard.contract.judge import MAX_EXCHANGES, JudgeExchange, clean_exchange
from envyard_runner.gateway.openai import encode_json, parse_json
from envyard_runner.gateway.reply import Reply

SECRET_CHARACTERS = 8
RECORDED_BYTES = 64 << 20  # of all verdicts that a run keeps for its replays
Verdicts = dict[str, deque[Reply]]


class JudgeRecords:
    """One run's exchanges; `room` bytes of JSON for those of one rollout, secrets never in them."""

    def __init__(self, room: int, secrets: Sequence[str] = ()) -> None:
        self._room = room
        self._secrets = [encode_json(s)[1:-1] for s in secrets if len(s) >= SECRET_CHARACTERS]
        self._exchanges: defaultdict[str, list[JudgeExchange]] = defaultdict(list)
        self._bytes: defaultdict[str, int] = defaultdict(int)
        self._verdicts: defaultdict[str, list[tuple[str, Reply]]] = defaultdict(list)
        self._kept = 0

    def add(self, rollout: str, digest: str, reply: Reply, exchange: JudgeExchange) -> None:
        """Record one exchange of a rollout, or of the run ("")."""
        if not exchange.error:
            self._kept += sum(map(len, reply.content)) + 500
            if self._kept <= RECORDED_BYTES:
                self._verdicts[rollout].append((digest, reply))
        exchanges = self._exchanges[rollout]
        if len(exchanges) >= MAX_EXCHANGES:
            return
        clean = self._without_secrets(clean_exchange(exchange))
        size = len(encode_json(clean.to_dict()))
        if self._bytes[rollout] + size > self._room:
            clean = replace(clean, messages=[], options={}, cut=True)
            size = len(encode_json(clean.to_dict()))
        if self._bytes[rollout] + size <= self._room:
            self._bytes[rollout] += size
            exchanges.append(clean)

    def exchanges(self, rollout: str) -> list[JudgeExchange]:
        """The exchanges of a rollout so far."""
        return [*self._exchanges.get(rollout, ())]

    def take(self, rollout: str) -> list[JudgeExchange]:
        """The exchanges of a rollout that ended; later ones are not kept."""
        return self._exchanges.pop(rollout, [])

    def verdicts(self, rollout: str) -> Verdicts:
        """The verdicts of a rollout by the digest of the question, in the order of their calls."""
        verdicts: defaultdict[str, deque[Reply]] = defaultdict(deque)
        for digest, reply in self._verdicts.get(rollout, ()):
            verdicts[digest].append(reply)
        return verdicts

    def replies(self, rollout: str) -> tuple[Reply, ...]:
        """The verdicts of a rollout in the order in which they came."""
        return tuple(reply for _, reply in self._verdicts.get(rollout, ()))

    def _without_secrets(self, exchange: JudgeExchange) -> JudgeExchange:
        original = encode_json(exchange.to_dict())
        raw = original
        for secret in self._secrets:
            raw = raw.replace(secret, b"[secret]")
        if raw == original:
            return exchange
        fields: dict[str, Any] = parse_json(raw)
        return JudgeExchange.from_dict(fields)
