"""Answers that are submitted by a tool or stand in files, and last replies that count nothing."""

from __future__ import annotations

from tests.zoo.build import both
from tests.zoo.courses import V1, steps

SUBMIT = """
    @vf.tool
    def submit_total(self, cents: int) -> str:
        \"\"\"Submit the total in cents.\"\"\"
        self.state.held["submitted"] = cents
        wrong = cents - self.state.held["total"]
        return ANSWERED
"""
OFF_BY = steps(SUBMIT.replace("ANSWERED", 'f"off by {wrong}" if wrong else "closed"'))
RECEIVED = steps(SUBMIT.replace("ANSWERED", 'f"{cents} cents received"'))
BILLS = """
import json
import random


def rows(seed):
    rng = random.Random(seed)
    tasks = []
    for _ in range(30):
        prices = [rng.randint(120, 9000) for _ in range(9)]
        total = sum(prices) - max(prices)
        prompt = (
            f"A bill lists {', '.join(map(str, prices))} cents; the dearest item is free. Submit "
            "its total with the tool, then reply with one sentence."
        )
        calls = [["submit_total", {"cents": total}]]
        tasks.append(
            {"prompt": prompt, "held": {"total": total}, "steps": calls, "last": "It is done."}
        )
    return tasks


def paid(held, reply, row):
    return float(held.get("submitted") == held["total"])
"""
DEPOT = """
    @vf.tool
    def list_files(self) -> str:
        \"\"\"The names of all files.\"\"\"
        return "\\n".join(sorted(self.state.held))

    @vf.tool
    def read_file(self, path: str) -> str:
        \"\"\"The text of a file.\"\"\"
        return self.state.held.get(path, "error: no such file")
"""
FILES = steps(DEPOT)
SALES = """
import json
import random


def rows(seed):
    rng = random.Random(seed)
    tasks = []
    for _ in range(30):
        sales = [rng.randint(120, 9000) for _ in range(20)]
        answer = sum(sales) - max(sales)
        lines = [f"{number},{cents}" for number, cents in enumerate(sales)]
        held = {"sales.csv": "\\n".join(["sale,cents", *lines]), "about.json": about(sales, answer)}
        prompt = (
            "What is the sum of all sales in cents, without the dearest one? Read the files with "
            "the tools, then end with a line `Sum: N`."
        )
        calls = [["read_file", {"path": "sales.csv"}]]
        tasks.append({"prompt": prompt, "held": held, "steps": calls, "last": f"Sum: {answer}"})
    return tasks


def paid(held, reply, row):
    return float(reply.strip().splitlines()[-1:] == [row["last"]])
"""
WITH_SUM = """
def about(sales, answer):
    return json.dumps({"sales": len(sales), "expected": answer}, indent=1)
"""
WITH_MEAN = """
def about(sales, answer):
    return json.dumps({"sales": len(sales), "mean": sum(sales) // len(sales)}, indent=1)
"""

FLAWED = (
    *both("sum-in-file", "A file besides the sales has their sum", WITH_SUM, base=SALES,
          endings=FILES, apis=V1, expected="warned", codes=("card.leaks",)),
    *both("submission-off-by", "The tool that gets the answer says by how much it misses", "",
          base=BILLS, endings=OFF_BY, apis=V1, expected="warned", codes=("card.leaks",)),
)  # fmt: skip
SOUND = (
    *both("mean-in-file", "A file besides the sales has their mean", WITH_MEAN, base=SALES,
          endings=FILES, apis=V1, expected="sound"),
    *both("submission-received", "The tool that gets the answer repeats it", "", base=BILLS,
          endings=RECEIVED, apis=V1, expected="sound"),
)  # fmt: skip
