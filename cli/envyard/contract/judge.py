"""Judge calls: the record of one, the judge of a run, and the checks of what rewards make of it."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field, replace
from typing import Any, Literal

from envyard.contract.values import content_text, count, finite, plain, record, records, text

MAX_EXCHANGES = 200  # of one rollout
MAX_MESSAGES = 100
CHARACTERS = 100_000  # of one message
MAX_MODELS = 20
MAX_CHECKS = 100
# What recorded rollouts are played again with. Of the reply that each has: `own` its own verdicts,
# `given` those of another rollout, then scripted ones. Of other replies: an empty one under both
# verdicts, a reply without an answer under the judge itself, alone and with an order to the judge,
# and that order under a judge that obeys it.
CHECKS = (
    *("own", "given", "yes", "no", "mute", "negated", "broken"),
    *("empty_yes", "empty_no", "plain", "pleading", "obeying"),
)
Message = dict[str, Any]


@dataclass(frozen=True, slots=True)
class JudgeExchange:
    """One call of the environment to its judge, apart from the policy's calls.

    `shape` is the path's end (`chat/completions`, `responses`, `messages`), `host` the intercepted
    host, empty where a variable led to the gateway; `asked_model` is what the environment named and
    nobody obeyed. `options` hold the schema (`response_format`); `cut`: messages and options did
    not fit the record.
    """

    role: Literal["judge"] = "judge"
    shape: str = ""
    host: str = ""
    asked_model: str = ""
    messages: list[Message] = field(default_factory=list)
    options: dict[str, Any] = field(default_factory=dict)
    verdict: Message = field(default_factory=dict)
    finish_reason: str = ""
    prompt_tokens: int = 0
    completion_tokens: int = 0
    at: float = 0.0
    seconds: float = 0.0
    error: str = ""
    cut: bool = False

    def to_dict(self) -> dict[str, Any]:
        """The JSON form."""
        return asdict(self)

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> JudgeExchange:
        """Read an untrusted JSON form; wrong shapes become empty, long texts are cut."""
        return cls(
            shape=text(data.get("shape"), 40),
            host=text(data.get("host"), 255),
            asked_model=text(data.get("asked_model"), 200),
            messages=[_message(message) for message in records(data.get("messages"), MAX_MESSAGES)],
            options=record(plain(data.get("options"), 12)),
            verdict=_message(record(data.get("verdict"))),
            finish_reason=text(data.get("finish_reason"), 80),
            prompt_tokens=count(data.get("prompt_tokens")),
            completion_tokens=count(data.get("completion_tokens")),
            at=max(0.0, finite(data.get("at")) or 0.0),
            seconds=max(0.0, finite(data.get("seconds")) or 0.0),
            error=text(data.get("error"), 2000),
            cut=data.get("cut") is True,
        )


def clean_exchange(exchange: JudgeExchange) -> JudgeExchange:
    """The exchange as it is stored: bounded, its messages reduced to role and text."""
    cleaned = JudgeExchange.from_dict(exchange.to_dict())
    return replace(cleaned, cut=exchange.cut or len(exchange.messages) > MAX_MESSAGES)


def _message(message: Message) -> Message:
    """Role, text and calls of tools; nothing else survives."""
    clean: Message = {
        "role": text(message.get("role"), 20),
        "content": content_text(message.get("content"), CHARACTERS),
    }
    if isinstance(calls := message.get("tool_calls"), list) and calls:
        clean["tool_calls"] = plain(calls[:20], 6)
    return clean


@dataclass(frozen=True, slots=True)
class JudgeFacts:
    """The judge of a run: its model, the sampling that the gateway pinned, and what was counted.

    `unnamed` counts the calls that named no rollout; `asked_models` the models that the environment
    named instead; `over_budget` the calls that were refused for a budget.
    """

    model: str = ""
    temperature: float = 0.0
    seed: int = 0
    max_tokens: int = 0
    calls: int = 0
    unnamed: int = 0
    tokens: int = 0
    seconds: float = 0.0
    over_budget: int = 0
    asked_models: dict[str, int] = field(default_factory=dict)

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> JudgeFacts:
        """Read an untrusted JSON form."""
        asked = list(record(data.get("asked_models")).items())[:MAX_MODELS]
        return cls(
            model=text(data.get("model"), 200),
            temperature=finite(data.get("temperature")) or 0.0,
            seed=count(data.get("seed")),
            max_tokens=count(data.get("max_tokens")),
            calls=count(data.get("calls")),
            unnamed=count(data.get("unnamed")),
            tokens=count(data.get("tokens")),
            seconds=finite(data.get("seconds")) or 0.0,
            over_budget=count(data.get("over_budget")),
            asked_models={text(name, 200): count(calls) for name, calls in asked},
        )


@dataclass(frozen=True, slots=True)
class JudgeCheck:
    """One recorded rollout, played again with another verdict or another reply.

    `check` is a name of CHECKS, `reward` None where it failed, which `error` describes;
    `recorded` is the rollout's first reward, `calls` how often the judge was called. `readable`:
    the verdict follows a schema that the call has. `donor` is the rollout whose verdicts it had,
    `donor_reward` what it had earned.
    """

    rollout: str
    check: str
    reward: float | None = None
    error: str = ""
    recorded: float | None = None
    calls: int = 0
    readable: bool = False
    donor: str = ""
    donor_reward: float | None = None

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> JudgeCheck:
        """Read an untrusted JSON form."""
        return cls(
            rollout=text(data.get("rollout"), 100),
            check=text(data.get("check"), 20),
            reward=finite(data.get("reward")),
            error=text(data.get("error"), 500),
            recorded=finite(data.get("recorded")),
            calls=count(data.get("calls")),
            readable=data.get("readable") is True,
            donor=text(data.get("donor"), 100),
            donor_reward=finite(data.get("donor_reward")),
        )
