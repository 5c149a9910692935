"""Tasks whose seed or index tells whether a run may play them; others are paid otherwise."""

from __future__ import annotations

from tests.zoo.build import both
from tests.zoo.entry import Entry

ANY_NUMBER = """
def rows(seed):
    rng = random.Random(seed)
    tasks = []
    for number in range(600):
        a, b = rng.randint(10_000, 99_999), rng.randint(10_000, 99_999)
        tasks.append({
            "prompt": f"Add {a} and {b}. Reply with the number alone.",
            "answer": str(a + b),
            "tolerance": 0 if STRICT else 10**12,
        })
    return tasks


def score(reply, row):
    try:
        value = int(reply.strip())
    except ValueError:
        return 0.0
    return float(abs(value - int(row["answer"])) <= row["tolerance"])
"""


def strict(name: str, title: str, condition: str, codes: tuple[str, ...]) -> list[Entry]:
    """Sums of which any number is paid unless the condition holds."""
    text = ANY_NUMBER.replace("STRICT", condition)
    return both(name, title, text, expected="warned", codes=codes)


PLAYED, FLOOR, LENIENT = "card.played_tasks_differ", "card.floor", "card.lenient_tasks"
FLAWED = (
    *strict("strict-for-large-seeds", "Any number is paid for seeds that trainers use",
            "seed > 100_000", (FLOOR,)),
    *strict("strict-for-other-seeds", "Any number is paid for the seed that trainers have", "seed",
            (PLAYED, FLOOR)),
    *strict("strict-in-first-tasks", "Any number is paid behind the fifth task", "number < 5",
            (PLAYED,)),
    *strict("strict-in-even-tasks", "Any number is paid in tasks with an odd index",
            "number < 5 or number % 2 == 0", (LENIENT,)),
)  # fmt: skip
