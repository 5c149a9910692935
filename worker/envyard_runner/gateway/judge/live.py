"""Verdicts of the operator's judge model: pinned sampling, own budgets, faults apart."""

from __future__ import annotations

from typing import Any, Protocol

from envyard_runner.gateway.judge.call import JudgeCall
from envyard_runner.gateway.judge.usage import CHARACTERS_PER_TOKEN, JudgeUsage
from envyard_runner.gateway.model import Model
from envyard_runner.gateway.openai import encode_json
from envyard_runner.gateway.reply import ModelFault, Refusal, Reply

NO_JUDGE = "this hub has no judge model"
TEMPERATURE, SEED = 0, 0


class Verdicts(Protocol):
    """What answers the judge calls of one sandbox."""

    async def answer(self, rollout: str, call: JudgeCall) -> Reply:
        """The verdict; `rollout` is empty where the call names none. Raises Refusal."""
        ...


class LiveVerdicts:
    """Calls the judge's server; without a `model` every call is counted and refused."""

    def __init__(self, model: Model | None, usage: JudgeUsage) -> None:
        self._model, self._usage = model, usage

    async def answer(self, rollout: str, call: JudgeCall) -> Reply:
        """The model's verdict; raises Refusal 400 or 403, which clients do not repeat."""
        if self._model is None:
            self._usage.refuse(rollout)
            raise Refusal(403, "no_judge", NO_JUDGE)
        self._usage.spend(rollout)
        reply = Reply()
        body = {"messages": call.messages} | call.options | pinned(self._model, self._usage)
        try:
            with self._usage.waiting(rollout):
                reply.add(await self._model.ask("chat/completions", body))
        except ModelFault as fault:
            self._usage.fail(f"judge {self._model.name}: {fault.message}")
            raise Refusal(400, "judge_unreachable", "the judge model failed") from fault
        finally:
            counted = reply.prompt_tokens + reply.completion_tokens
            estimate = len(encode_json(call.messages)) // CHARACTERS_PER_TOKEN
            self._usage.tokens[rollout] += counted or estimate
        return reply


def pinned(model: Model, usage: JudgeUsage) -> dict[str, Any]:
    """The request fields that no environment may choose."""
    return {
        "model": model.name,
        "temperature": TEMPERATURE,
        "seed": SEED,
        "max_tokens": usage.limits.judge_max_tokens,
    }
