"""A first lookup that names the broken service behind others; sound ones that name the next one, or
are there to return the cause."""

from __future__ import annotations

from tests.zoo.build import both
from tests.zoo.endings import TOOLS

SERVICES = """
import json
import random

KINDS = "cart search payments ledger sessions mailer shipping reviews images coupons geo".split()
FAULTS = ("disk full", "out of memory", "deadlock", "certificate expired")
CHAINS, PLACES = [], {}


def draw():
    rng = random.Random(7)
    for number in range(40):
        chain = [f"front-{100 + number}"]
        chain += [f"{kind}-{100 + number}" for kind in rng.sample(KINDS, rng.randint(3, 5))]
        CHAINS.append((chain, rng.choice(FAULTS)))
        PLACES.update({name: (number, at) for at, name in enumerate(chain)})


draw()


def rows(seed):
    order = random.Random(seed).sample(CHAINS, 30)
    return [
        {
            "prompt": f"The entry service `{chain[0]}` is slow. A service is slow if it is broken "
            "or if the service that it depends on is slow. Look at their states with the tool, "
            "find the broken one, and reply with its name alone.",
            "key": chain[0],
            "answer": chain[-1],
        }
        for chain, _ in order
    ]


def lookup(key):
    if key not in PLACES:
        return "error: no such service"
    number, at = PLACES[key]
    chain, fault = CHAINS[number]
    needs = chain[at + 1] if at + 1 < len(chain) else "-"
    return f"service: {key}\\ndepends on: {needs}\\nlast error: {last_error(chain[at:], fault)}"


def reference(row):
    return row["answer"]


def score(reply, row):
    return float(reply.strip() == row["answer"])
"""
WHOLE_CHAIN = """
def last_error(chain, fault):
    if len(chain) == 1:
        return f"{chain[0]}: {fault}"
    return f"{chain[0]}: timeout, caused by {last_error(chain[1:], fault)}"
"""
NEXT_ALONE = """
def last_error(chain, fault):
    return f"{chain[0]}: {fault if len(chain) == 1 else f'timeout, caused by {chain[1]}'}"
"""
ALARMS = """
import json
import random

PARTS = "fan valve sensor belt bearing filter relay gasket rotor piston".split()
ALARMS = {f"line-{number}": f"{random.Random(number).choice(PARTS)}-{number % 89}"
          for number in range(200, 300)}


def rows(seed):
    chosen = random.Random(seed).sample([*ALARMS], 30)
    return [{"prompt": f"Which part stopped the line `{line}`? Look it up in the journal with the "
             "tool and reply with its name alone.", "key": line, "answer": ALARMS[line]}
            for line in chosen]


def lookup(key):
    return f"stop caused by {ALARMS[key]}" if key in ALARMS else "error: no such line"


def reference(row):
    return row["answer"]


def score(reply, row):
    return float(reply.strip() == row["answer"])
"""
STATES = "Show a service's state, what it depends on and its last error."

FLAWED = (
    *both("error-names-cause", "The error of the first service names the broken one behind others",
          WHOLE_CHAIN, base=SERVICES, endings=TOOLS, description=STATES, expected="warned",
          codes=("card.leaks",)),
)  # fmt: skip
SOUND = (
    *both("error-names-next", "The error of a service names the next one", NEXT_ALONE,
          base=SERVICES, endings=TOOLS, description=STATES, expected="sound"),
    *both("cause-in-journal", "A journal is there to return the cause", base=ALARMS, endings=TOOLS,
          description="The journal's entry about a line.", expected="sound"),
)  # fmt: skip
