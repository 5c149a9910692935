"""Records that a tool lets the policy replace, reports without lookups, and turns that end early or
tell the answer; a sound report that is not paid."""

from __future__ import annotations

from tests.zoo.build import both
from tests.zoo.entry import Api
from tests.zoo.last_turns import JUDGED
from tests.zoo.step_endings import TURNS, steps

SWAPS = """
import json
import random
import re

SWAP = re.compile(r"<swap>\\s*([1-7])\\s+([1-7])\\s*</swap>")


def rows(seed):
    rng = random.Random(seed)
    tasks = []
    while len(tasks) < 30:
        cards = rng.sample(range(10, 100), 7)
        left, replies = [*cards], []
        for at, card in enumerate(sorted(cards)):
            if left[at] != card:
                other = left.index(card)
                left[at], left[other] = left[other], left[at]
                replies.append(f"<swap>{at + 1} {other + 1}</swap>")
        if len(replies) < 4:
            continue
        prompt = (
            f"Seven cards lie in a row: {' '.join(map(str, cards))}. Sort them, the lowest first, "
            "with one swap of two places per turn, as <swap>2 5</swap>. You have ten turns; reply "
            "<stop/> to end the game. A reply without a swap costs a turn."
        )
        tasks.append({"prompt": prompt, "cards": cards, "replies": replies})
    return tasks


def start(row):
    return {"cards": row["cards"], "turns": 0, "finished": False}


def respond(reply, game, row):
    game["turns"] += 1
    swaps = SWAP.findall(reply)
    if len(swaps) == 1:
        cards, (first, second) = [*game["cards"]], (int(place) - 1 for place in swaps[0])
        cards[first], cards[second] = cards[second], cards[first]
        game["cards"] = cards
    if reply.strip() == "<stop/>" or game["cards"] == sorted(game["cards"]):
        game["finished"] = True
        return None
    return None if game["turns"] == 10 else " ".join(map(str, game["cards"]))


def paid(game, row):
    return float(game["finished"])
"""
FILES = steps('''
    @vf.tool
    def list_files(self) -> str:
        """The names of all files."""
        return "\\n".join(sorted(self.state.held))

    @vf.tool
    def read_file(self, path: str) -> str:
        """The text of a file."""
        return self.state.held.get(path, "error: no such file")

    @vf.tool
    def write_file(self, path: str, content: str) -> str:
        """Replace a file."""
        self.state.held[path] = content
        return f"wrote {path}"
''')
REPLACEMENTS = """
import json
import random

PAIRS = [("colour", "color"), ("metre", "meter"), ("grey", "gray"), ("tyre", "tire"),
         ("theatre", "theater"), ("plough", "plow"), ("mould", "mold"), ("cheque", "check")]


def replaced(rules, text):
    for before, after in rules:
        text = text.replace(before, after) if before else text
    return text


def rows(seed):
    rng = random.Random(seed)
    tasks = []
    for _ in range(30):
        rules = [[*pair] for pair in rng.sample(PAIRS, 5)]
        wrong = [[*rule] for rule in rules]
        at = rng.randrange(5)
        wrong[at][1] = wrong[at][1][:-1]
        cases = [{"text": f"the {before} of {rng.randint(2, 90)}"} for before, _ in rules]
        cases = [{**case, "expected": replaced(rules, case["text"])} for case in cases]
        held = {"rules.json": json.dumps(wrong), "tests/cases.json": json.dumps(cases, indent=1)}
        prompt = (
            "rules.json has pairs of a text and its replacement, and one of them is wrong, as the "
            "cases in tests/cases.json show. Find it with the tools, write rules.json as it should "
            "be and reply with one sentence."
        )
        reads = [["read_file", {"path": name}] for name in held]
        write = ["write_file", {"path": "rules.json", "content": json.dumps(rules)}]
        tasks.append({"prompt": prompt, "held": held, "steps": [*reads, write],
                      "last": "All cases pass."})
    return tasks


def paid(held, reply, row):
    try:
        rules, cases = json.loads(held["rules.json"]), json.loads(held["tests/cases.json"])
        passed = [replaced(rules, case["text"]) == case["expected"] for case in cases]
        return float(len(passed) > 0 and all(passed))
    except (ValueError, TypeError, KeyError, AttributeError):
        return 0.0
"""
ARCHIVE = steps('''
    @vf.tool
    def find_files(self, word: str) -> str:
        """The numbers of the files that mention a word."""
        names = [name for name, text in self.state.held.items() if word.lower() in text.lower()]
        return ", ".join(names) or "none"

    @vf.tool
    def open_file(self, number: str) -> str:
        """The text of a file."""
        return self.state.held.get(number, "error: no such file")
''')
SHIPS = """
import json
import random
import re

SHIPS = "Alma Bertha Clio Diana Electra Fortuna Gloria Hera".split()
CARGO = "salt timber wool coal grain copper slate tar".split()


def rows(seed):
    rng = random.Random(seed)
    tasks = []
    for _ in range(30):
        numbers, ships = rng.sample(range(110, 990), 6), rng.sample(SHIPS, 3)
        cargo = rng.sample(CARGO, 3)
        held = {}
        for at, (ship, goods) in enumerate(zip(ships, cargo)):
            load, unloaded = rng.randint(300, 900), rng.randint(20, 290)
            held[str(numbers[2 * at])] = f"The {ship} left with {load} tons of {goods}."
            held[str(numbers[2 * at + 1])] = f"The {ship} unloaded {unloaded} tons on the way."
            if at == 0:
                answer = load - unloaded
        used = f"{numbers[0]}, {numbers[1]}"
        prompt = (
            f"With how many tons of {cargo[0]} did the {ships[0]} arrive? Look into the archive, "
            "then reply with a line `Files: ` and the numbers of the files that you opened, "
            "and a last line `Tons: N`."
        )
        looks = [["find_files", {"word": ships[0]}]]
        looks += [["open_file", {"number": str(number)}] for number in numbers[:2]]
        tasks.append({"prompt": prompt, "held": dict(sorted(held.items())), "steps": looks,
                      "used": used, "tons": answer, "last": f"Files: {used}\\nTons: {answer}"})
    return tasks


def paid(held, reply, row):
    tons = re.search(r"^Tons: (\\d{1,6})\\s*\\Z", reply, re.MULTILINE)
    files = re.search(r"^Files: (.{1,80})$", reply, re.MULTILINE)
    right = tons is not None and int(tons[1]) == row["tons"]
    reported = files is not None and {*re.findall(r"\\d+", files[1])} == {*row["used"].split(", ")}
    return float(MARK)
"""
STORE = steps('''
    @vf.tool
    def count_boxes(self, article: str) -> str:
        """The numbers of pieces in the boxes of an article."""
        boxes = self.state.held["boxes"]
        return ", ".join(map(str, boxes[article])) if article in boxes else "error: none"

    @vf.tool
    def record_stock(self, article: str, pieces: int) -> str:
        """Record how many pieces of an article there are."""
        held = self.state.held
        if article not in held["stock"]:
            return "error: no such article"
        held["stock"] = {**held["stock"], article: pieces}
        return f"{article}: {pieces} pieces"
''')
ARTICLES = """
import json
import random


def rows(seed):
    rng = random.Random(seed)
    tasks = []
    for _ in range(30):
        articles = [f"screw-{number}" for number in rng.sample(range(100, 999), 4)]
        boxes = {each: rng.choices(range(20, 400), k=rng.randint(3, 6)) for each in articles}
        stock = {each: sum(boxes[each]) for each in articles}
        chosen = articles[0]
        prompt = (
            f"How many pieces of {chosen} are in the store? Count its boxes, record the stock and "
            "end with a line `Pieces: N`."
        )
        calls = [["count_boxes", {"article": chosen}],
                 ["record_stock", {"article": chosen, "pieces": stock[chosen]}]]
        tasks.append({"prompt": prompt, "held": {"boxes": boxes, "stock": stock}, "steps": calls,
                      "article": chosen, "last": f"Pieces: {stock[chosen]}"})
    return tasks


def paid(held, reply, row):
    return float(reply.strip().splitlines()[-1:] == [f"Pieces: {held['stock'][row['article']]}"])
"""
PLANNED = """
import json
import random
import re


def rows(seed):
    rng = random.Random(seed)
    sizes = [(a, b, c) for a in range(3, 12) for b in range(4, 12) for c in range(2, 10)]
    tasks = []
    for lines, each, broken in rng.sample([s for s in sizes if 9 < s[0] * s[1] - s[2] < 100], 30):
        seats = str(lines * each - broken)
        prompt = (
            f"A small theatre has {lines} rows of {each} seats, and {broken} seats are broken. How "
            "many can be sold? First say in one sentence how you will find out; I then ask for "
            "the number."
        )
        replies = ["I multiply and then subtract.", f"Seats: {seats}"]
        tasks.append({"prompt": prompt, "answer": seats, "replies": replies})
    return tasks


def reference(row):
    return row["replies"][-1]


def start(row):
    return {"turns": 0, "last": ""}


def respond(reply, game, row):
    game["turns"] += 1
    game["last"] = reply.strip()
    if game["turns"] == 2:
        return None
    return f"Good. Now work it out and end with a line such as `Seats: {row['answer']}`."


def paid(game, row):
    seats = re.search(r"^Seats: (\\d{1,3})\\Z", game["last"], re.MULTILINE)
    return float(game["turns"] == 2 and seats is not None and seats[1] == row["answer"])
"""
TWO_TURNS: dict[Api, str] = {"v1": TURNS["v1"], "v0": JUDGED}
CAUGHT, FLOOR = ("card.mutants_caught",), ("card.floor",)

FLAWED = (
    *both("stopped-is-finished", "A game that is stopped counts as finished", base=SWAPS,
          endings=TURNS, expected="warned", codes=("card.floor", *CAUGHT)),
    *both("cases-writable", "A tool may replace the cases, of which there must be one",
          base=REPLACEMENTS, endings=FILES, expected="warned", codes=FLOOR),
    *both("files-only-named", "The report of opened files is paid, whether they were opened or not",
          base=SHIPS.replace("MARK", "right * (0.5 + 0.5 * reported)"), endings=ARCHIVE,
          expected="warned", codes=CAUGHT),
    *both("stock-recorded", "The answer is compared with the stock that a tool records",
          base=ARTICLES, endings=STORE, expected="warned", codes=FLOOR),
    *both("seats-in-example", "The second message shows the form of the answer by the answer",
          base=PLANNED, endings=TWO_TURNS, expected="warned", codes=("card.leaks",)),
)  # fmt: skip
SOUND = (
    *both("files-not-paid", "A report of opened files is wanted, and the answer alone is paid",
          base=SHIPS.replace("MARK", "right"), endings=ARCHIVE, expected="sound"),
)  # fmt: skip
