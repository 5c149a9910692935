"""Labels that follow from dates, numbers or signs, of which a part is wrong, and signs without a
value; sound ones of the same rules."""

from __future__ import annotations

from tests.zoo.build import both

TERMS = """
MONTHS = (31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)


def leap(year):
    return LEAP


def number(year, month, day):
    days = sum(366 if leap(each) else 365 for each in range(1800, year))
    return days + sum(MONTHS[: month - 1]) + (month > 2 and leap(year)) + day


def rows(seed):
    rng = random.Random(seed)
    tasks = []
    for at in range(90):
        around = at % 9 < 4
        year = rng.randint(1884, 1897) if around else rng.choice((1921, 1940, 1958, 1975))
        later = rng.randint(1901, 1914) if around else year + rng.randint(14, 30)
        first = (year, rng.randint(1, 12), rng.randint(1, 28))
        last = (later, rng.randint(1, 12), rng.randint(1, 28))
        shown = ["{}-{:02}-{:02}".format(*each) for each in (first, last)]
        prompt = (
            f"A lease began on {shown[0]} and ended on {shown[1]}. How many days is that in the "
            "Gregorian calendar? Count the second date but not the first, and reply with the "
            "number alone."
        )
        tasks.append({"prompt": prompt, "answer": str(number(*last) - number(*first))})
    return tasks
"""
LABELLED = """
def rows(seed):
    rng, answers = random.Random(seed), {}
    while len(answers) < 80:
        prompt, right, wrong = question(rng)
        answers.setdefault(prompt, wrong if WRONG and len(answers) % 10 == 3 else right)
    return [{"prompt": prompt, "answer": answer} for prompt, answer in answers.items()]


def score(reply, row):
    return float(reply.strip().lower().rstrip(".") == row["answer"])
"""
PRIMES = """
def divides(number):
    return any(number % each == 0 for each in range(2, int(number ** 0.5) + 1))


KNOWN = [number for number in range(211, 2000, 2) if number % 5]
KINDS = [[number for number in KNOWN if divides(number) == kind] for kind in (False, True)]


def question(rng):
    kind = rng.randrange(2)
    number = rng.choice(KINDS[kind])
    right, wrong = ("prime", "composite")[:: -1 if kind else 1]
    return f"Is {number} prime or composite? Reply with this word alone.", right, wrong
"""
TRIANGLES = """
SIDES = [(a, b, c) for c in range(5, 60) for b in range(4, c) for a in range(3, b) if a + b > c]


def kind(a, b, c):
    difference = a * a + b * b - c * c
    return "right" if not difference else "acute" if difference > 0 else "obtuse"


KINDS = [[each for each in SIDES if kind(*each) == name] for name in ("acute", "right", "obtuse")]


def question(rng):
    chosen = rng.choice(rng.choice(KINDS))
    right = kind(*chosen)
    wrong = rng.choice([name for name in ("acute", "right", "obtuse") if name != right])
    shown = "{}, {} and {}".format(*chosen)
    prompt = f"A triangle has sides of {shown} cm. Is it acute, right or obtuse? One word alone."
    return prompt, right, wrong
"""
BRACKETS = """
PAIRS = ("()", "[]", "{}")


def closed(rng, depth):
    if not depth:
        return ""
    opening, closing = rng.choice(PAIRS)
    inner = rng.randint(0, depth - 1)
    return opening + closed(rng, inner) + closing + closed(rng, depth - 1 - inner)


def holds(text):
    opened = []
    for each in text:
        if each in "([{":
            opened.append(each)
        elif not opened or opened.pop() + each not in PAIRS:
            return False
    return not opened


def question(rng):
    text = [*closed(rng, rng.randint(4, 7))]
    if rng.randrange(2):
        first, second = rng.sample(range(len(text)), 2)
        text[first], text[second] = text[second], text[first]
    text = "".join(text)
    right, wrong = ("yes", "no")[:: 1 if holds(text) else -1]
    return f"Answer yes or no. Are these brackets balanced: {text}", right, wrong
"""
SIGNS = """
SIGNS = "@#%&$!?~^"


def rows(seed):
    rng = random.Random(seed)
    tasks = []
    for at in range(60):
        used = [*SIGNS[: 3 + at // 10]]
        values = {sign: rng.randint(11, 99) for sign in used}
        row = rng.choices(used, k=5) + used[-2:]
        rng.shuffle(row)
        legend = ", ".join(f"{sign} = {value}" for sign, value in [*values.items()]LISTED)
        prompt = (
            f"Each sign stands for a number: {legend}.\\n\\nWhat do the signs of this row make "
            f"together?\\n{' '.join(row)}\\n\\nReply with the number alone."
        )
        tasks.append({"prompt": prompt, "answer": str(sum(values[sign] for sign in row))})
    return tasks
"""
CONTRACTS = """
import re

SUITS = {"clubs": 20, "diamonds": 20, "hearts": 30, "spades": 30, "no trump": 30}


def points(level, suit, stake, vulnerable, tricks):
    over = tricks - level - 6
    if over < 0:
        if stake == 1:
            return over * (100 if vulnerable else 50)
        lost = (200, 300, 300) if vulnerable else (100, 200, 200)
        return -sum(lost[:-over]) * stake // 2
    bid = level * SUITS[suit] + 10 * (suit == "no trump")
    game = (500 if vulnerable else 300) if GAME >= 100 else 50
    slam = {6: 500, 7: 1000}.get(level, 0) * (3 if vulnerable else 2) // 2
    each = SUITS[suit] if stake == 1 else 50 * stake * (1 + vulnerable)
    return bid * stake + game + slam + {1: 0, 2: 50, 4: 100}[stake] + over * each


def question(rng):
    level, suit = rng.choice((1, 2, 2, 3, 3, 4, 5, 6)), rng.choice([*SUITS])
    stake, vulnerable = rng.choice((1, 1, 2, 2, 4)), rng.random() < 0.5
    tricks = min(13, level + 6 + rng.choice((-3, -2, -1, 0, 0, 1, 2)))
    doubled = {1: "", 2: " doubled", 4: " redoubled"}[stake]
    state = "vulnerable" if vulnerable else "not vulnerable"
    prompt = (
        f"A pair at a bridge club played {level} {suit}{doubled}, {state}, and took {tricks} "
        "tricks. How many points does that score? If it failed, write the number with a minus. "
        "Reply with the number alone."
    )
    value = str(points(level, suit, stake, vulnerable, tricks))
    return prompt, value, value


def score(reply, row):
    return float(re.sub(r"[\\s,+]", "", reply.replace("\u2212", "-")) == row["answer"])
"""
TRAMS = """
STOPS = "Harbour Market Museum Castle Meadow".split()


def shown(minutes):
    return f"{minutes // 60}:{minutes % 60:02}"


def arrival(trams, start, goal, ready):
    reached = {start: ready - 9}
    for a, b, leaves, lands in sorted(trams, key=lambda tram: tram[2]):
        if a in reached and reached[a] + (9 if a == start else WAIT) <= leaves:
            reached[b] = min(lands, reached.get(b, lands))
    return reached.get(goal)


def question(rng):
    start, goal = rng.sample(STOPS, 2)
    trams, ready = [], rng.randrange(560, 590, 5)
    for _ in range(20):
        leaves = rng.randrange(565, 640)
        trams.append((*rng.sample(STOPS, 2), leaves, leaves + rng.randint(9, 25)))
    lands = arrival(trams, start, goal, ready)
    if lands is None:
        return question(rng)
    listed = "\\n".join(f"| {a} | {shown(x)} | {b} | {shown(y)} |" for a, b, x, y in trams)
    prompt = (
        f"| From | Departure | To | Arrival |\\n|---|---|---|---|\\n{listed}\\n\\n"
        f"You wait at {start} from {shown(ready)} on and want to reach {goal} as early as "
        "possible. It takes at least 9 minutes to change from one tram to another, none before "
        "the first. When do you arrive? Reply with the time alone."
    )
    return prompt, shown(lands), shown(lands)
"""
WRONG, RIGHT = LABELLED.replace("WRONG", "True"), LABELLED.replace("WRONG", "False")
OUTLIERS = ("card.label_outliers",)

FLAWED = (
    *both("leap-year-in-half", "1900 counts as a leap year, which nearly half of the spans hold",
          TERMS.replace("LEAP", "year % 4 == 0"), expected="warned", codes=OUTLIERS),
    *both("primes-mislabelled", "A tenth of the numbers is called prime or composite wrongly",
          PRIMES, WRONG, expected="warned", codes=OUTLIERS),
    *both("angles-mislabelled", "A tenth of the triangles is called acute, right or obtuse wrongly",
          TRIANGLES, WRONG, expected="warned", codes=OUTLIERS),
    *both("contracts-misscored", "Doubled part scores at bridge get no bonus of a game",
          RIGHT, CONTRACTS.replace("GAME", "bid"), expected="warned", codes=OUTLIERS),
    *both("changes-in-no-time", "The labels of a timetable forget the time that a change takes",
          RIGHT, TRAMS.replace("WAIT", "0"), expected="warned", codes=OUTLIERS),
    *both("signs-without-value", "Late rows have signs that the legend lacks",
          SIGNS.replace("LISTED", "[:6]"), expected="warned", codes=("card.incomplete_prompts",)),
)  # fmt: skip
SOUND = (
    *both("leap-year-in-none", "1900 is no leap year, and nearly half of the spans hold it",
          TERMS.replace("LEAP", "year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)"),
          expected="sound"),
    *both("primes-labelled", "Numbers are called prime or composite", PRIMES, RIGHT,
          expected="sound"),
    *both("brackets-labelled", "Brackets are balanced or not", BRACKETS, RIGHT,
          expected="sound"),
    *both("contracts-scored", "Bridge contracts are scored by Law 77",
          RIGHT, CONTRACTS.replace("GAME", "bid * stake"), expected="sound"),
    *both("changes-in-time", "The labels of a timetable hold the time that a change takes",
          RIGHT, TRAMS.replace("WAIT", "9"), expected="sound"),
    *both("signs-with-values", "All signs have a value", SIGNS.replace("LISTED", ""),
          expected="sound"),
)  # fmt: skip
