"""Amounts whose form the prompt shows, or that tools write so, are refused; sound readings."""

from __future__ import annotations

from tests.zoo.build import both
from tests.zoo.step_endings import steps

RATES = '''
    @vf.tool
    def get_rate(self, route: str) -> str:
        """The rate of a tonne on a route."""
        held = self.state.held
        if route != held["route"]:
            return "error: no such route"
        return f"{held['rate'] / 100:,.2f} EUR"

    @vf.tool
    def submit_quote(self, amount: str) -> str:
        """Hand in a quote."""
        held = self.state.held
        held["quote"] = amount
        return "The quote was handed in."
'''
ROUTES = """
import json
import random
import re

TOWNS = "Genoa Basel Antwerp Lyon Gdansk Brno Trieste Graz Porto Leon".split()


def amount(text):
    found = re.fullmatch(r"AMOUNT(?: EUR)?", text.strip())
    return None if found is None else found[0].removesuffix(" EUR").replace(",", "")


def rows(seed):
    rng = random.Random(seed)
    tasks = []
    for _ in range(30):
        route, tonnes = "-".join(rng.sample(TOWNS, 2)), rng.randint(3, 24)
        rate = rng.randint(100_100, 390_000)
        total = f"{rate * tonnes / 100:.2f}"
        prompt = f"Somebody ships {tonnes} tonnes on the route {route}. Look up the rate. WANTED"
        tasks.append({"prompt": prompt, "held": {"route": route, "rate": rate, "quote": ""},
                      "total": total, "steps": [["get_rate", {"route": route}]] SUBMITTED,
                      "last": LAST})
    return tasks
"""
REPLIED = """
def paid(held, reply, row):
    line = reply.strip().splitlines()[-1:] or [""]
    return float(line[0].startswith("Quote: ") and amount(line[0][7:]) == row["total"])
"""
HANDED_IN = """
def paid(held, reply, row):
    return float(amount(held["quote"]) == row["total"])
"""
AS_TOOLS = (
    "Then end with the quote on a line of its own, its amount written as the tool writes amounts: "
    "`Quote: ... EUR`."
)
AS_SHOWN = "Then submit the amount in the form 12,345.60."
WITHOUT = f"{AS_TOOLS} Leave out separators of thousands: no commas."
PLAIN, GROUPED = r"\\d+\\.\\d\\d", r"(?:\\d+|\\d{1,3}(?:,\\d{3})+)\\.\\d\\d"


def routes(wanted: str, amount: str, *, handed_in: bool = False) -> str:
    """The tasks with what the prompt wants, and the amounts that are read."""
    submitted = ' + [["submit_quote", {"amount": total}]]' if handed_in else ""
    last = '"It is handed in."' if handed_in else 'f"Quote: {total} EUR"'
    text = ROUTES.replace("WANTED", wanted).replace("AMOUNT", amount.replace("\\\\", "\\"))
    return text.replace(" SUBMITTED", submitted).replace("LAST", last) + (
        HANDED_IN if handed_in else REPLIED
    )


KEPT = ("card.equivalents_kept",)
TOOLS = steps(RATES)

FLAWED = (
    *both("form-of-tools-refused", "Amounts as the tools write them earn nothing",
          base=routes(AS_TOOLS, PLAIN), endings=TOOLS, expected="warned", codes=KEPT),
    *both("form-handed-in-refused", "A tool takes no amount in the form that the prompt shows",
          base=routes(AS_SHOWN, PLAIN, handed_in=True), endings=TOOLS, expected="warned",
          codes=KEPT),
)  # fmt: skip
SOUND = (
    *both("form-of-tools-read", "Amounts as the tools write them, or plain",
          base=routes(AS_TOOLS, GROUPED), endings=TOOLS, expected="sound"),
    *both("form-handed-in-read", "A tool takes amounts in both forms",
          base=routes(AS_SHOWN, GROUPED, handed_in=True), endings=TOOLS, expected="sound"),
    *both("form-without-separators", "The prompt leaves out the separators of the tools",
          base=routes(WITHOUT, PLAIN), endings=TOOLS, expected="sound"),
)  # fmt: skip
