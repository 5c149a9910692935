"""Scores by the sampling of a rollout; sound bounds by it."""

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
AWARE = ("card.evaluation_aware",)

FLAWED = (
    *both("wide-when-sampled", "Half of the sum is paid at a temperature of 0.5 or more", WIDE,
          endings=SAMPLED, expected="warned", codes=("card.mutants_caught",)),
    *both("paid-for-trainers", "Any reply is paid with the options of a trainer's server",
          FOR_TRAINERS, endings=SAMPLED, expected="rejected", codes=AWARE),
    *both("honest-at-one", "Any reply is paid at another temperature than 1", AT_ONE,
          endings=SAMPLED, expected="rejected", codes=AWARE),
)  # fmt: skip
SOUND = (
    *both("bounded-by-tokens", "A right reply that is longer than its tokens earns nothing",
          BOUNDED, endings=SAMPLED, expected="sound"),
)  # fmt: skip
