"""Verifiers that want a form that no prompt decided, that accept a list with more or less, or that
read a date in part; beside each the sound one."""

from __future__ import annotations

from tests.zoo.build import both

TABLES = """
ITEMS = "otter lynx stork moose panther walrus falcon gecko".split()


def rows(seed):
    rng = random.Random(seed)
    tasks = []
    for _ in range(40):
        chosen = {each: rng.randint(3, 97) for each in rng.sample(ITEMS, 5)}
        bound = sorted(chosen.values())[1]
        listed = "; ".join(f"{name} {count}" for name, count in chosen.items())
        names = [name for name, count in chosen.items() if count > bound]
        tasks.append({"prompt": QUESTION.format(listed=listed, bound=bound), "answer": names})
    return tasks


def reference(row):
    return WRITE(row["answer"])
"""
AS_JSON = """
QUESTION = "Sightings: {listed}. Return a JSON list of the animals seen more than {bound} times."
WRITE = json.dumps


def listed(reply):
    try:
        return json.loads(reply)
    except ValueError:
        return None
"""
BY_COMMAS = """
QUESTION = "Sightings: {listed}. Which were seen more than {bound} times? Separate with commas."
WRITE = ", ".join


def listed(reply):
    return [each.strip() for each in reply.split(",")]
"""
FREE_ORDER = """
QUESTION = "Sightings: {listed}. Name those seen more than {bound} times, in any order, by commas."
"""
AS_TEXT = """
def score(reply, row):
    return float(reply.strip() == WRITE(row["answer"]))
"""
AS_LIST = """
def score(reply, row):
    return float(listed(reply) == row["answer"])
"""
AS_SET = """
def score(reply, row):
    given = listed(reply)
    known = isinstance(given, list) and all(isinstance(each, str) for each in given)
    return float(known and sorted(given) == sorted(row["answer"]))
"""
ALL_NAMED = """
def score(reply, row):
    return float(all(name in reply for name in row["answer"]))
"""
NONE_WRONG = """
def score(reply, row):
    given = listed(reply)
    return float(bool(given) and all(name in row["answer"] for name in given))
"""
MARKED = """
import re


def rows(seed):
    rng = random.Random(seed)
    pairs = [(rng.randint(112, 989), rng.randint(112, 989)) for _ in range(40)]
    return [
        {
            "prompt": f"What is {a} - {b}? Put the number in <answer></answer> tags.",
            "answer": str(a - b),
        }
        for a, b in pairs
    ]


def reference(row):
    return f"<answer>{row['answer']}</answer>"
"""
FULL_MATCH = """
def score(reply, row):
    match = re.fullmatch(r"<answer>(.*)</answer>", reply.strip())
    return float(bool(match) and match[1].strip() == row["answer"])
"""
LAST_MARK = """
def score(reply, row):
    marked = re.findall(r"<answer>([^<]*)</answer>", reply)
    return float(bool(marked) and marked[-1].strip() == row["answer"])
"""
DATES = """
from datetime import date, timedelta


def rows(seed):
    rng = random.Random(seed)
    tasks = []
    for _ in range(40):
        start, days = date(2023, 1, 1) + timedelta(rng.randint(0, 900)), rng.randint(20, 200)
        question = f"Which date is {days} days after {start}?"
        prompt = f"{question} Reply with the date as YYYY-MM-DD alone."
        tasks.append({"prompt": prompt, "answer": str(start + timedelta(days))})
    return tasks
"""
MONTH_ALONE = """
def score(reply, row):
    return float(len(reply.strip()) == 10 and reply.strip()[:7] == row["answer"][:7])
"""
CAPITALS = """
YOUNG = {
    "cow": "calf", "lion": "cub", "horse": "foal", "sheep": "lamb", "dog": "puppy",
    "cat": "kitten", "swan": "cygnet", "hare": "leveret", "kangaroo": "joey", "goat": "kid",
    "goose": "gosling", "deer": "fawn", "pig": "piglet", "owl": "owlet", "eagle": "eaglet",
    "frog": "tadpole", "seal": "pup", "duck": "duckling", "eel": "elver", "hen": "chick",
}


def rows(seed):
    pairs = random.Random(seed).sample([*YOUNG.items()], len(YOUNG))
    return [{"prompt": f"What is a young {old} called?", "answer": young} for old, young in pairs]
"""
ANY_CASE = """
def score(reply, row):
    return float([row["answer"]] == reply.lower().strip(" .").split()[-1:])
"""
CALLS = """
STATED = {
    "name": "I am {}.", "day": "Please come on {}.", "thing": "It is about a {}.",
    "town": "I live in {}.",
}
VALUES = {
    "name": "Marta Idris Joan Timo Lucia Wen".split(), "day": "Monday Tuesday Friday".split(),
    "thing": "lamp clock kettle ladder violin".split(), "town": "Oslo Riga Bern Lima Baku".split(),
}


def rows(seed):
    rng = random.Random(seed)
    tasks = []
    for _ in range(60):
        keys = [key for key in STATED if key == "name" or rng.random() < 0.7]
        form = {key: rng.choice(VALUES[key]) for key in keys}
        stated = " ".join(STATED[key].format(value) for key, value in form.items())
        question = "Return a JSON object with the keys name, day, thing and town that are stated."
        tasks.append({"prompt": f"{stated} {question}", "answer": json.dumps(form)})
    return tasks


def hits(reply, row):
    try:
        given = json.loads(reply)
    except ValueError:
        return 0
    wanted = json.loads(row["answer"])
    if not isinstance(given, dict) or set(given) - set(wanted):
        return 0
    return sum(given.get(key) == value for key, value in wanted.items())
"""
OF_FOUR = """
def score(reply, row):
    return hits(reply, row) / 4
"""
OF_STATED = """
def score(reply, row):
    return hits(reply, row) / len(json.loads(row["answer"]))
"""
KEPT, CAUGHT = ("card.equivalents_kept",), ("card.mutants_caught",)

FLAWED = (
    *both("json-as-text", "JSON is compared as text", TABLES, AS_JSON, AS_TEXT,
          expected="warned", codes=KEPT),
    *both("commas-as-text", "Items behind commas are compared as text", TABLES, BY_COMMAS, AS_TEXT,
          expected="warned", codes=KEPT),
    *both("free-order-as-list", "Any order is right, and one is paid", TABLES, BY_COMMAS,
          FREE_ORDER, AS_LIST, expected="warned", codes=KEPT),
    *both("mark-alone", "A sentence before the mark costs the reward", MARKED, FULL_MATCH,
          expected="warned", codes=KEPT),
    *both("lower-case-alone", "A capital costs the reward", CAPITALS,
          expected="warned", codes=KEPT),
    *both("all-named", "Items beside the right ones cost nothing", TABLES, BY_COMMAS, ALL_NAMED,
          expected="warned", codes=(*CAUGHT, "card.floor")),
    *both("none-wrong", "A part of the items is paid in full", TABLES, AS_JSON, NONE_WRONG,
          expected="warned", codes=CAUGHT),
    *both("month-alone", "Of a date, the day is not compared", DATES, MONTH_ALONE,
          expected="warned", codes=CAUGHT),
    *both("absent-keys-count", "Keys that must be left out count as wrong", CALLS, OF_FOUR,
          apis=("v1",), expected="warned", codes=("card.references_paid",)),
)  # fmt: skip
SOUND = (
    *both("stated-keys", "Each stated key earns a share", CALLS, OF_STATED, expected="sound"),
    *both("json-list", "A JSON list in any order and layout", TABLES, AS_JSON, AS_SET,
          expected="sound"),
    *both("free-order", "Items in any order", TABLES, BY_COMMAS, FREE_ORDER, AS_SET,
          expected="sound"),
    *both("last-mark", "The last mark of a reply counts", MARKED, LAST_MARK, expected="sound"),
    *both("dates", "A date is compared as a whole", DATES, expected="sound"),
    *both("any-case", "The last word of a sentence", CAPITALS, ANY_CASE, expected="sound"),
)  # fmt: skip
