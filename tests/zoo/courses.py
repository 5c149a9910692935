"""Environments of several steps: an early end, a repeated move, a game without an end, and a tool
that judges answers, removes what is wrong or shows the answer at once."""

from __future__ import annotations

from tests.zoo.build import both
from tests.zoo.endings import GAME
from tests.zoo.step_endings import TURNS, steps

EXAM = """
import json
import random

RULES = (
    "An oral exam of five questions: answer each with a line `Answer: N`. If you want to leave the "
    "exam, write FINISHED alone on a line."
)


def rows(seed):
    rng = random.Random(seed)
    tasks = []
    for _ in range(30):
        pairs = [(rng.randint(12, 99), rng.randint(12, 99)) for _ in range(5)]
        questions = [f"What is {a} x {b}?" for a, b in pairs]
        prompt = f"{RULES}\\n\\nQuestion 1: {questions[0]}"
        replies = [f"Answer: {a * b}" for a, b in pairs]
        tasks.append({"prompt": prompt, "questions": questions, "replies": replies})
    return tasks


def start(row):
    return {"marks": []}


def respond(reply, game, row):
    if "FINISHED" in reply.split():
        return None
    at = len(game["marks"])
    game["marks"].append(reply.strip() == row["replies"][at])
    return None if at == 4 else f"Question {at + 2}: {row['questions'][at + 1]}"
"""
OF_ANSWERED = """
def paid(game, row):
    return sum(game["marks"]) / max(1, len(game["marks"]))
"""
OF_ALL = """
def paid(game, row):
    return sum(game["marks"]) / 5
"""
RIVERS = """
import json
import random

KNOWN = "Aare Cher Dommel Eider Fulda Glan Havel Inn Jagst Kocher Lahn Main Naab Oder".split()


def rows(seed):
    rng = random.Random(seed)
    tasks = []
    for _ in range(30):
        listed = rng.sample(KNOWN, 7)
        prompt = (
            f"Name four rivers of this list, one in each reply and each only once, whose names "
            f"have four letters or more: {', '.join([*listed, 'Ill', 'Lek'])}. The name alone."
        )
        long = [each for each in listed if len(each) > 3]
        tasks.append({"prompt": prompt, "listed": long, "replies": long[:4]})
    return [row for row in tasks if len(row["replies"]) == 4]


def start(row):
    return {"turns": 0, "named": []}


def respond(reply, game, row):
    game["turns"] += 1
    if reply.strip() in row["listed"]:
        game["named"].append(reply.strip())
    return None if game["turns"] == 4 else "Another one, please."
"""
REPEATABLE = """
def paid(game, row):
    return len(game["named"]) / 4
"""
ONCE = """
def paid(game, row):
    return len({*game["named"]}) / 4
"""
SHELVES = steps('''
    @vf.tool
    def move(self, box: str, shelf: int) -> str:
        """Put a box on a shelf from 1 to 9."""
        if box not in self.state.held or not 1 <= shelf <= 9:
            return "error: no such box or shelf"
        self.state.held[box] = shelf
        return f"{box}: {shelf}"

    @vf.tool
    def remove(self, box: str) -> str:
        """Take a box off its shelf."""
        return f"{box} removed" if self.state.held.pop(box, None) else "error: no such box"
''')
BOXES = """
import json
import random

def rows(seed):
    rng = random.Random(seed)
    tasks = []
    for _ in range(30):
        boxes = [f"box-{number}" for number in rng.sample(range(10, 99), 6)]
        held = {box: shelf for box, shelf in zip(boxes, rng.sample(range(1, 7), 6))}
        held[boxes[4]], held[boxes[5]] = held[boxes[0]], held[boxes[1]]
        shown = "\\n".join(f"{box}: shelf {shelf}" for box, shelf in held.items())
        free = [shelf for shelf in range(1, 10) if shelf not in held.values()]
        moves = [["move", {"box": boxes[4 + at], "shelf": free[at]}] for at in range(2)]
        prompt = (
            f"Each box needs a shelf of its own, from 1 to 9:\\n{shown}\\n\\nMove boxes until no "
            "shelf has two, and reply with one sentence."
        )
        tasks.append({"prompt": prompt, "held": held, "steps": moves, "last": "It is done."})
    return tasks


def alone(held):
    return len({*held.values()}) == len(held)
"""
ANY_NUMBER = """
def paid(held, reply, row):
    return float(alone(held))
"""
ALL_BOXES = """
def paid(held, reply, row):
    return float(alone(held) and len(held) == len(row["held"]))
"""
DESK = steps('''
    @vf.tool
    def ticket(self, number: int) -> str:
        """The record of a ticket."""
        return json.dumps(record(TICKETS[number])) if number in TICKETS else "no such ticket"

    @vf.tool
    def device_log(self, device: str) -> str:
        """The log of a device."""
        causes = [each["cause"] for each in TICKETS.values() if each["device"] == device]
        return f"{device}: seen {causes[0]}" if causes else "no such device"
''')
TICKETS = """
import json
import random

CAUSES = "overheating,loose cable,wrong mask,full disk,lost power,old firmware".split(",")
TICKETS = {
    number: {"number": number, "device": f"sw-{number % 97}-{number}",
             "cause": random.Random(number).choice(CAUSES)}
    for number in range(1000, 1200)
}


def rows(seed):
    rng = random.Random(seed)
    tasks = []
    for number in rng.sample([*TICKETS], 30):
        row = TICKETS[number]
        prompt = (
            f"Read ticket {number} and then the log of its device. What caused the fault? One of "
            f"{', '.join(CAUSES)}. Finish with a line `Cause: ...`."
        )
        looks = [["ticket", {"number": number}], ["device_log", {"device": row["device"]}]]
        last = f"Cause: {row['cause']}"
        tasks.append({"prompt": prompt, "held": {}, "steps": looks, "last": last})
    return tasks


def paid(held, reply, row):
    return float(reply.strip().splitlines()[-1:] == [row["last"]])
"""
WHOLE_RECORD = """
def record(row):
    return row
"""
NO_CAUSE = """
def record(row):
    return {name: value for name, value in row.items() if name != "cause"}
"""
JUDGING = """
    @vf.tool
    def check(self, total: int) -> str:
        \"\"\"Verify a total before you answer.\"\"\"
        return VERDICT
"""
JUDGES = steps(
    JUDGING.replace("VERDICT", '"right" if total == self.state.held["total"] else "wrong"')
)
PARITY = steps(JUDGING.replace("VERDICT", 'f"{total} is a whole number"'))
TOTALS = """
import json
import random

def rows(seed):
    rng = random.Random(seed)
    tasks = []
    for _ in range(30):
        prices = [rng.randint(3, 60) for _ in range(9)]
        total = sum(prices) - max(prices)
        prompt = (
            f"A shop sells for {', '.join(map(str, prices))} euros; the dearest item is free. What "
            "is the total? Use the tool as you like, and finish with a line `Total: N`."
        )
        calls = [["check", {"total": total}]]
        last = f"Total: {total}"
        tasks.append({"prompt": prompt, "held": {"total": total}, "steps": calls, "last": last})
    return tasks


def paid(held, reply, row):
    return float(reply.strip().splitlines()[-1:] == [row["last"]])
"""
LOCKS = """
import json
import random


def rows(seed):
    rng = random.Random(seed)
    prompt = (
        "A lock has four digits. Reply with four digits; I count those at the right place. You "
        "have six tries, and the game ends as soon as the lock is open."
    )
    return [{"prompt": prompt, "answer": str(rng.randint(1000, 9999))} for _ in range(20)]


def reference(row):
    return row["answer"]


def start(row):
    return {"tries": 0, "last": 0}


def respond(reply, game, row):
    game["tries"] += 1
    game["last"] = sum(a == b for a, b in zip(reply.strip(), row["answer"]))
    return None if game["tries"] == 6 or END else f"{game['last']} at the right place."


def paid(game, row):
    return float(game["last"] == 4)
"""
CAUGHT = ("card.mutants_caught",)

FLAWED = (
    *both("grade-of-answered", "One right answer and an early end are paid in full", OF_ANSWERED,
          base=EXAM, endings=TURNS, expected="warned", codes=CAUGHT),
    *both("one-river", "The same name counts four times", REPEATABLE, base=RIVERS, endings=TURNS,
          expected="warned", codes=CAUGHT),
    *both("no-boxes-left", "Shelves without boxes are paid", ANY_NUMBER, base=BOXES,
          endings=SHELVES, expected="warned", codes=("card.floor",)),
    *both("cause-in-record", "The ticket's record has the cause that its log should tell",
          WHOLE_RECORD, base=TICKETS, endings=DESK, expected="warned",
          codes=("card.leaks",)),
    *both("judging-tool", "A tool tells whether a total is right, without a limit", "",
          base=TOTALS, endings=JUDGES, expected="warned", codes=CAUGHT),
    *both("never-open", "The game goes on until the last try", base=LOCKS.replace("END", "False"),
          endings=GAME, expected="warned", codes=("card.goes_on",)),
)  # fmt: skip
SOUND = (
    *both("grade-of-all", "An early end leaves questions without marks", OF_ALL, base=EXAM,
          endings=TURNS, expected="sound"),
    *both("four-rivers", "Each name counts once", ONCE, base=RIVERS, endings=TURNS,
          expected="sound"),
    *both("all-boxes", "All boxes must be there", ALL_BOXES, base=BOXES, endings=SHELVES,
          expected="sound"),
    *both("cause-in-log", "Only the log tells the cause", NO_CAUSE, base=TICKETS, endings=DESK,
          expected="sound"),
    *both("idle-tool", "A tool says the same of each total", "", base=TOTALS, endings=PARITY,
          expected="sound"),
    *both("opened", "The game ends when the lock is open",
          base=LOCKS.replace("END", "game['last'] == 4"), endings=GAME, expected="sound"),
)  # fmt: skip
