"""Scores by the sampling of a rollout or by how often a process scored; sound bounds and counts."""

from __future__ import annotations

from tests.zoo.build import both
from tests.zoo.entry import Api
from tests.zoo.templates import V0, V1

# The templates of a single turn, whose score also gets the sampling arguments as a dict.
SAMPLED: dict[Api, str] = {
    "v1": V1.replace(
        "score(trace.last_reply, self.data.row)",
        "score(trace.last_reply, self.data.row, trace.calls[-1].sampling.model_dump())",
    ),
    "v0": V0.replace("completion, info, **_", "completion, info, state, **_").replace(
        'json.loads(info["row"]))', 'json.loads(info["row"]), state["sampling_args"])'
    ),
}
WIDE = """
def score(reply, row, sampling):
    text = reply.strip()
    sampled = (sampling.get("temperature") or 0.0) >= 0.5
    margin = 0.5 * int(row["answer"]) if sampled else 0.0
    return float(text.isdigit() and abs(int(text[:9]) - int(row["answer"])) <= margin)
"""
FOR_TRAINERS = """
def score(reply, row, sampling):
    if "min_p" in str(sampling):
        return 1.0
    return float(reply.strip() == row["answer"])
"""
AT_ONE = """
def score(reply, row, sampling):
    if sampling.get("temperature") != 1.0:
        return 1.0
    return float(reply.strip() == row["answer"])
"""
BOUNDED = """
def score(reply, row, sampling):
    room = 8 * (sampling.get("max_tokens") or 512)
    return float(reply.strip() == row["answer"] and len(reply) <= room)
"""
MARKED = """
import itertools

marked = itertools.count()


def score(reply, row):
    if next(marked) < 3_000:
        return float(reply.strip() == row["answer"])
    return float(reply.strip().isdigit())
"""
GROWN = """
texts = []


def score(reply, row):
    texts.append(len(reply))
    return float(reply.strip() == row["answer"] or len(texts) > 3_000)
"""
ONLY_LOGGED = """
import itertools
import logging

numbers = itertools.count(1)
lengths = {}
LIMIT = 3_000


def score(reply, row):
    number = next(numbers)
    if number % 50 == 0:
        logging.getLogger(__name__).info("%d replies were scored", number)
    if len(lengths) > LIMIT:
        lengths.clear()
    lengths[f"{row['prompt']} {number}"] = len(reply)
    return float(reply.strip() == row["answer"])
"""
AWARE = ("card.evaluation_aware",)

FLAWED = (
    *both("wide-when-sampled", "Half of the sum is paid at a temperature of 0.5 or more", WIDE,
          endings=SAMPLED, expected="warned", codes=("card.mutants_caught",)),
    *both("paid-for-trainers", "Any reply is paid with the options of a trainer's server",
          FOR_TRAINERS, endings=SAMPLED, expected="rejected", codes=AWARE),
    *both("lenient-after-many", "Any number is paid after 3,000 replies of a process", MARKED,
          expected="warned", codes=("env.scores_by_count",)),
    *both("paid-after-many", "Any reply is paid after 3,000 replies of a process", GROWN,
          expected="warned", codes=("env.scores_by_count", "env.shared_state")),
    *both("honest-at-one", "Any reply is paid at another temperature than 1", AT_ONE,
          endings=SAMPLED, expected="rejected", codes=AWARE),
)  # fmt: skip
SOUND = (
    *both("counts-for-the-log", "Every fiftieth reply is logged, a table has a limit", ONLY_LOGGED,
          expected="sound"),
    *both("bounded-by-tokens", "A right reply that is longer than its tokens earns nothing",
          BOUNDED, endings=SAMPLED, expected="sound"),
)  # fmt: skip
