"""Sampling arguments as trainers give them, which environments can read (`state["sampling_args"]`).

Trainers always name a temperature: arguments without one, or a temperature of 0, would show an
environment that it is evaluated. The gateway pins what a model samples with, whatever they say.
Sources: prime-rl, trl and verifiers' own trainer.
"""

from __future__ import annotations

from typing import Any

# What trainers add for a model's server of theirs, beside the logarithms of probabilities.
SERVER_OPTIONS = {"top_k": -1, "min_p": 0.0, "return_token_ids": True}


def sampling_of(temperature: float, top_p: float, max_tokens: int) -> dict[str, Any]:
    """The arguments of a rollout, by the names that both APIs share."""
    return {"temperature": temperature, "top_p": top_p, "max_tokens": max_tokens}


def with_server_options(sampling: dict[str, Any]) -> dict[str, Any]:
    """The same with what classic trainers need of a server: where replies are recorded ones. A
    reply of a model that had them could not be repeated exactly."""
    return {**sampling, "logprobs": True, "extra_body": dict(SERVER_OPTIONS)}
