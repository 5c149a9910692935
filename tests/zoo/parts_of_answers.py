"""Answers of which a part alone is compared: the first lines or states, all but one letter, the
first and the last line; sound ones with lines in a fence and with a typo that the prompt allows."""

from __future__ import annotations

from tests.zoo.build import both

STACKS = """
import re


def run(program):
    stack, states = [], []
    for line in program:
        name, *given = line.split()
        if name == "push":
            stack.append(int(given[0]))
        elif name == "dup":
            stack.append(stack[-1])
        else:
            second, first = stack.pop(), stack.pop()
            stack.append(first + second if name == "add" else first - second)
        states.append(" ".join(map(str, stack)))
    return states


def rows(seed):
    rng = random.Random(seed)
    tasks = []
    for _ in range(40):
        program, height = [], 0
        for _ in range(7):
            name = rng.choice(("add", "sub", "dup")) if height > 1 else "push"
            height += {"push": 1, "dup": 1}.get(name, -1)
            program.append(f"push {rng.randint(2, 60)}" if name == "push" else name)
        prompt = (
            "A stack machine runs this program:\\n\\n" + "\\n".join(program) + "\\n\\nWrite the "
            "stack after each instruction, its top last, one line for each. FORM"
        )
        tasks.append({"prompt": prompt, "answer": "\\n".join(run(program))})
    return tasks
"""
BY_ZIP = (
    STACKS.replace("FORM", "Reply with these lines alone.")
    + """

def score(reply, row):
    given = [line.split() for line in reply.strip().splitlines()]
    wanted = [line.split() for line in row["answer"].splitlines()]
    return float(bool(given) and all(a == b for a, b in zip(given, wanted)))
"""
)
IN_FENCE = (
    STACKS.replace("FORM", "Reply with one block in a fence of three backticks.")
    + """

def reference(row):
    return f"```\\n{row['answer']}\\n```"


def score(reply, row):
    blocks = re.findall(r"```(?:text)?\\n(.*?)\\n```", reply, re.DOTALL)
    given = [line.split() for line in blocks[0].splitlines()] if len(blocks) == 1 else []
    return float(given == [line.split() for line in row["answer"].splitlines()])
"""
)
DOORS = """
STATES, EVENTS = "closed ajar open locked jammed".split(), "push pull kick turn".split()


def rows(seed):
    rng = random.Random(seed)
    tasks = []
    for _ in range(40):
        table = {(s, e): rng.choice([t for t in STATES if t != s]) for s in STATES for e in EVENTS}
        events, states = rng.choices(EVENTS, k=rng.randint(6, 9)), [rng.choice(STATES)]
        for event in events:
            states.append(table[states[-1], event])
        rules = "\\n".join(f"{s}, {e} -> {t}" for (s, e), t in table.items())
        prompt = (
            f"A door is {states[0]}. These rules give its next state:\\n\\n{rules}\\n\\nThe events "
            f"are: {', '.join(events)}. Reply with its states behind these events, in order and "
            "with spaces between them."
        )
        tasks.append({"prompt": prompt, "answer": " ".join(states[1:])})
    return tasks


def score(reply, row):
    given = reply.lower().split()
    if not given:
        return 0.0
    return float(all(a == b for a, b in zip(given, row["answer"].split())))
"""
SPELLED = """
WORDS = (
    "harvester lighthouse watermark snowdrift marigold tangerine quicksand copperhead windflower "
    "gatekeeper labyrinth nightfall juniperus driftwood blacksmith pomegranate goldfinch turbulence"
).split()


def rows(seed):
    rng = random.Random(seed)
    tasks = []
    for number in range(36):
        word, shift = WORDS[number % len(WORDS)], rng.randint(3, 23)
        coded = "".join(chr((ord(letter) - 97 + shift) % 26 + 65) for letter in word)
        prompt = (
            f"The code word of an operation was moved by {shift} places in the alphabet: {coded}. "
            "Move it back and reply with the code word in capitals.ALLOWED"
        )
        tasks.append({"prompt": prompt, "answer": word.upper()})
    return tasks


def distance(a, b):
    before = list(range(len(b) + 1))
    for at, one in enumerate(a, 1):
        now = [at]
        for place, other in enumerate(b, 1):
            now.append(min(before[place] + 1, now[-1] + 1, before[place - 1] + (one != other)))
        before = now
    return before[-1]


def score(reply, row):
    return float(distance(reply.strip().upper()[:60], row["answer"]) <= 1)
"""
ACCOUNTS = """
def rows(seed):
    rng = random.Random(seed)
    tasks = []
    for _ in range(40):
        balance, movements = rng.randint(1200, 4000), rng.sample(range(-450, 900), 6)
        lines = [f"opening {balance}"]
        opening = f"An account opens with {balance} euros. Its movements are "
        for each in movements:
            balance += each
            lines.append(f"{each:+} {balance}")
        lines.append(f"closing {balance}")
        prompt = (
            f"{opening}{', '.join(f'{each:+}' for each in movements)}. Write its statement: a line "
            "`opening BALANCE`, for each movement a line `MOVEMENT BALANCE`, and a line `closing "
            "BALANCE`. Reply with the statement alone."
        )
        tasks.append({"prompt": prompt, "answer": "\\n".join(lines)})
    return tasks


def score(reply, row):
    given, wanted = reply.strip().splitlines(), row["answer"].splitlines()
    if len(given) != len(wanted):
        return 0.0
    return float(given[0] == wanted[0] and given[-1] == wanted[-1])
"""
CAUGHT = ("card.mutants_caught",)
TYPO = " One typo is forgiven."

FLAWED = (
    *both("first-stacks", "The first lines of a trace are paid: zip() ends with the shorter one",
          BY_ZIP, expected="warned", codes=CAUGHT),
    *both("first-states", "The first states of a door are paid", DOORS, expected="warned",
          codes=CAUGHT),
    *both("one-letter-off", "A code word with one wrong letter is paid",
          SPELLED.replace("ALLOWED", ""), expected="warned", codes=CAUGHT),
    *both("ends-of-statement", "The first and the last line of a statement are compared",
          ACCOUNTS, expected="warned", codes=CAUGHT),
)  # fmt: skip
SOUND = (
    *both("stacks-in-fence", "All lines in a fence are compared", IN_FENCE, expected="sound"),
    *both("one-typo", "The prompt allows one typo, and it is paid",
          SPELLED.replace("ALLOWED", TYPO), expected="sound"),
)  # fmt: skip
