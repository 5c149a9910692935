"""Answers at one place of each prompt's list, in a pair of the examples or in an identifier, boards
without the times of some questions, and checks that a tool can overwrite."""

from __future__ import annotations

from tests.zoo.build import both
from tests.zoo.step_endings import steps

SUSPECTS = """
FIRST, LAST = "Ada Bo Cleo Dan Eva Finn".split(), "Adler Boje Cronin Dahl Ekman Falk".split()
NAMES = [f"{first} {last}" for first in FIRST for last in LAST]
TRAITS = {"coat": ("red", "grey", "green"), "bag": ("large", "small"), "gait": ("slow", "quick")}


def rows(seed):
    rng = random.Random(seed)
    tasks = []
    while len(tasks) < 40:
        names = rng.sample(NAMES, 6)
        traits = {name: [rng.choice(each) for each in TRAITS.values()] for name in names}
        right = rng.choice(names)
        if list(traits.values()).count(traits[right]) > 1:
            continue
        shown = LISTED
        lines = "\\n".join("- {}: {} coat, {} bag, {} gait".format(name, *traits[name])
                          for name in shown)
        witnesses = ["The coat was {}.", "The bag was {}.", "The gait was {}."]
        clues = [text.format(each) for text, each in zip(witnesses, traits[right])]
        rng.shuffle(clues)
        prompt = (
            f"Six people passed the gate:\\n{lines}\\n\\nWitnesses: {' '.join(clues)} Who was it? "
            "Reply with the name alone."
        )
        tasks.append({"prompt": prompt, "answer": right})
    return tasks
"""
PAIRS = """
RULES = (
    lambda word: word[::-1],
    lambda word: word[1:] + word[0],
    lambda word: word[-1] + word[1:-1] + word[0],
    lambda word: word[0] + word,
    lambda word: word + word[-2:],
    lambda word: word[::2] + word[1::2],
)
PARTS = ("bran", "clim", "dort", "fle", "gar", "hes", "mul"), ("dop", "vik", "nest", "lum", "rag")


def rows(seed):
    rng = random.Random(seed)
    words = [first + last for first in PARTS[0] for last in PARTS[1]]
    tasks = []
    for _ in range(40):
        rule, (query, *others) = rng.choice(RULES), rng.sample(words, 6)
        shown = SHOWN
        rng.shuffle(shown)
        pairs = "\\n".join(f"IN: {word}  OUT: {rule(word)}" for word in shown)
        prompt = (
            f"One hidden rule made these pairs:\\n\\n{pairs}\\n\\nFind the rule and apply it to: "
            f"{query}\\nReply with the new word alone."
        )
        tasks.append({"prompt": prompt, "answer": rule(query)})
    return tasks


def score(reply, row):
    return float(reply.strip().lower() == row["answer"])
"""
BOARDS = """
PORTS = "Arholma Blido Furusund Grinda Husaro Ljustero Moja Ornoe Sandhamn Vaxholm".split()


def rows(seed):
    rng = random.Random(seed)
    tasks = []
    for _ in range(70):
        times = sorted(rng.sample(range(72, 264), rng.randint(8, 20)))
        boats = [(f"{at // 12:02}:{at % 12 * 5:02}", rng.choice(PORTS),
                  f"{rng.randint(1, 6)}{rng.choice('ABC')}") for at in times]
        time, port, pier = rng.choice(boats)
        board = "\\n".join("{:<7}{:<12}{}".format(*boat) for boat in boats[:LIMIT])
        prompt = (
            f"Departures today\\n\\n{board}\\n\\nFrom which pier does the {time} boat to {port} "
            "leave? Reply with the pier alone."
        )
        tasks.append({"prompt": prompt, "answer": pier})
    return tasks
"""
DOSES = """
def rows(seed):
    rng = random.Random(seed)
    tasks = []
    for _ in range(40):
        weight, dose, times = rng.randint(31, 95), rng.randint(2, 9), rng.randint(2, 4)
        answer = weight * dose * times
        chart = f"{rng.randint(100, 999)}-{MIDDLE:05d}-{rng.choice('ABC')}{rng.randint(1, 9)}"
        prompt = (
            f"Chart {chart}\\n\\nA patient of {weight} kg gets {dose} mg per kg and dose, {times} "
            "doses a day. How many mg are that in a day? Reply with the number alone."
        )
        tasks.append({"prompt": prompt, "answer": str(answer)})
    return tasks
"""
WORKSPACE = steps('''
    @vf.tool
    def list_files(self) -> str:
        """The names of all files."""
        return "\\\\n".join(sorted(self.state.held))

    @vf.tool
    def read_file(self, path: str) -> str:
        """The text of a file."""
        return self.state.held.get(path, "error: no such file")

    @vf.tool
    def write_file(self, path: str, text: str) -> str:
        """Replace the text of a file."""
        if path not in self.state.held:
            return "error: no such file"
        self.state.held[path] = text
        return "written"
''')
REPAIRS = """
import json
import random

FIELDS = ("port", "workers", "timeout", "retries", "queue", "burst")


def rows(seed):
    rng = random.Random(seed)
    tasks = []
    for _ in range(30):
        right = {name: rng.randint(2, 900) for name in FIELDS}
        checks = [{"field": name, "least": value - 1, "most": value + 1}
                  for name, value in right.items()]
        broken = {**right, **{name: right[name] + 50 for name in rng.sample(FIELDS, 2)}}
        held = {"service.json": json.dumps(broken), "checks.json": json.dumps(checks)}
        prompt = (
            "service.json no longer meets checks.json. Read both files with the tools and write "
            "service.json again so that it does; then reply with one sentence."
        )
        write = ["write_file", {"path": "service.json", "text": json.dumps(right)}]
        tasks.append({"prompt": prompt, "held": held, "steps": [write], "last": "It is done."})
    return tasks


def paid(held, reply, row):
    try:
        service, checks = json.loads(held["service.json"]), json.loads(CHECKS["checks.json"])
        kept = all(each["least"] <= service[each["field"]] <= each["most"] for each in checks)
    except (ValueError, TypeError, KeyError):
        return 0.0
    return float(kept)
"""
PLACE = ("card.answer_place",)

FLAWED = (
    *both("first-of-list", "The right name is always the first of the list",
          SUSPECTS.replace("LISTED", "[right, *(name for name in names if name != right)]"),
          expected="warned", codes=PLACE),
    *both("query-among-pairs", "What the rule is to be applied to is one of its examples",
          PAIRS.replace("SHOWN", "[query, *others[1:]]"), expected="warned",
          codes=("card.leaks",)),
    *both("board-cut-at-12", "Boards lose their last rows, whose times some questions name",
          BOARDS.replace("LIMIT", "12"), expected="warned", codes=("card.incomplete_prompts",)),
    *both("answer-in-chart", "The chart's number holds the answer",
          DOSES.replace("MIDDLE", "answer"), expected="warned", codes=PLACE),
    *both("checks-writable", "A tool can overwrite the checks that decide",
          base=REPAIRS.replace("CHECKS", "held"), endings=WORKSPACE, expected="warned",
          codes=("card.floor",)),
)  # fmt: skip
SOUND = (
    *both("shuffled-list", "The right name may be any of the list",
          SUSPECTS.replace("LISTED", "names"), expected="sound"),
    *both("query-beside-pairs", "The examples have other words", PAIRS.replace("SHOWN", "others"),
          expected="sound"),
    *both("whole-boards", "Boards have all rows", BOARDS.replace("LIMIT", "20"),
          expected="sound"),
    *both("numbered-charts", "The chart's number says nothing",
          DOSES.replace("MIDDLE", "rng.randint(100, 3000)"), expected="sound"),
    *both("checks-restored", "The checks are those of the task, whatever a tool wrote",
          base=REPAIRS.replace("CHECKS", "row['held']"), endings=WORKSPACE,
          expected="sound"),
)  # fmt: skip
