"""The splits of a verifiers v1 taskset: an option `split` of its configuration names one of them.

Source: verifiers 0.4.0, whose tasksets have no splits of their own.
"""

from __future__ import annotations

import typing
from typing import Any

TRAIN, EVAL = "train", "eval"
EVALUATION_NAMES = ("eval", "test", "validation", "val")


def split_name(split: Any) -> str | None:
    """`train` or `eval` as the hub calls them, None for anything else."""
    known = {TRAIN: TRAIN, **dict.fromkeys(EVALUATION_NAMES, EVAL)}
    return known.get(split.lower()) if isinstance(split, str) else None


def evaluation_taskset(taskset: Any) -> Any | None:
    """The same taskset with its split for evaluation; None where it trains on none, names no other
    or fails to load it."""
    config = taskset.config
    field = type(config).model_fields.get("split")
    if field is None or split_name(getattr(config, "split", None)) != TRAIN:
        return None
    options = typing.get_args(field.annotation) if field.annotation is not str else EVALUATION_NAMES
    for name in options:
        if split_name(name) == EVAL:
            try:
                other = type(taskset)(config.model_copy(update={"split": name}))
                if next(iter(other.take(1)), None) is not None:
                    return other
            except Exception:
                continue
    return None
