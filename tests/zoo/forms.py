"""Environments with a bare answer field, whose prompts name the form of the reply."""

from __future__ import annotations

from tests.zoo.build import both
from tests.zoo.templates import V0, V1

FIELD_V1 = (
    V1.replace("    row: dict\n", '    row: dict\n    answer: str = ""\n')
    .replace("row=row)\n", 'row=row, answer=row["answer"])\n')
    .replace("ORACLE\n", "\n\n")
)
FIELDS = {"v1": FIELD_V1, "v0": V0}
OTHER_NAMES = {
    "v1": FIELD_V1.replace("answer: str", "expected: str").replace("answer=row", "expected=row"),
    "v0": V0.replace("ANSWER", '"target": reference(row), '),
}
HEAD = """
import json
import random
import re


def reference(row):
    return row["answer"]
"""
UNITS = """
SCALES = {"cm": 100, "mm": 1000, "dm": 10}


def rows(seed):
    rng = random.Random(seed)
    tasks = []
    for _ in range(40):
        length, unit = rng.randint(2, 90), rng.choice(list(SCALES))
        prompt = f"Convert {length} m to {unit}. End with a line 'Final: [value] [unit]'."
        tasks.append({"prompt": prompt, "answer": f"{length * SCALES[unit]} {unit}"})
    return tasks


def final(reply):
    lines = re.findall(r"Final: (.+)", reply)
    return lines[-1].strip() if lines else ""
"""
UNIT_ALONE = """
def score(reply, row):
    return float(final(reply).split()[-1:] == row["answer"].split()[-1:])
"""
WHOLE_LINE = """
def score(reply, row):
    return float(final(reply) == row["answer"])
"""
LISTS = """
def rows(seed):
    rng = random.Random(seed)
    tasks = []
    for _ in range(40):
        values = rng.sample(range(10, 99), 6)
        listed = ", ".join(map(str, values))
        prompt = f"Reply in <sorted></sorted> tags. Sort in ascending order: {listed}"
        tasks.append({"prompt": prompt, "answer": ", ".join(map(str, sorted(values)))})
    return tasks


def values_of(text):
    return re.findall(r"\\d+", text)


def inside(reply):
    match = re.search(r"<sorted>(.*?)</sorted>", reply, re.DOTALL)
    return match[1] if match else ""
"""
AS_SETS = """
def score(reply, row):
    return float(set(values_of(inside(reply))) == set(values_of(row["answer"])))
"""
IN_ORDER = """
def score(reply, row):
    return float(values_of(inside(reply)) == values_of(row["answer"]))
"""
PEOPLE = """
NAMES = "Ana Bo Cem Dia Eli Fay Gus Hal Ida Jon".split()
TOWNS = "Rome Oslo Kyiv Lima Bern Riga Doha Baku".split()


def rows(seed):
    rng = random.Random(seed)
    tasks = []
    for _ in range(40):
        name, town, age = rng.choice(NAMES), rng.choice(TOWNS), rng.randint(18, 80)
        prompt = (
            f"{name} lives in {town} and turned {age} last week. Return a JSON object with the "
            'keys "name", "town" and "age".'
        )
        answer = json.dumps({"name": name, "town": town, "age": age})
        tasks.append({"prompt": prompt, "answer": answer})
    return tasks


def fields(reply):
    try:
        given = json.loads(reply)
    except ValueError:
        return {}
    return given if isinstance(given, dict) else {}
"""
KEYS_ALONE = """
def score(reply, row):
    return sum(key in fields(reply) for key in json.loads(row["answer"])) / 3
"""
VALUES = """
def score(reply, row):
    wanted, given = json.loads(row["answer"]), fields(reply)
    return sum(given.get(key) == wanted[key] for key in wanted) / 3
"""
ORDERS = """
SHOPS = "Orchard,Hexa,Quill,Kettle,Ferro,Umbra".split(",")


def rows(seed):
    rng = random.Random(seed)
    tasks = []
    for _ in range(40):
        row = {"number": f"{rng.randint(2020, 2026)}/{rng.randint(100, 999)}"}
        row |= {"shop": rng.choice(SHOPS), "total": rng.randint(5, 900), "paid": rng.random() < 0.5}
        state = "has been paid" if row["paid"] else "is open"
        prompt = (
            f"Order {row['number']} from {row['shop']} over {row['total']} EUR {state}. Return a "
            'JSON object with the keys "number", "shop", "total" and "paid".'
        )
        tasks.append({"prompt": prompt, "answer": json.dumps(row)})
    return tasks


def score(reply, row):
    wanted = json.loads(row["answer"])
    try:
        given = json.loads(reply)
    except ValueError:
        return 0.0
    if not isinstance(given, dict):
        return 0.0
    return sum(given.get(key) == wanted[key] for key in wanted) / len(set(wanted) | set(given))
"""
BINARY = """
def rows(seed):
    rng = random.Random(seed)
    tasks = []
    for _ in range(40):
        one, two = rng.randint(16, 255), rng.randint(16, 255)
        prompt = f"Add the binary numbers {one:b} and {two:b}. Reply with the binary sum alone."
        tasks.append({"prompt": prompt, "answer": f"{one + two:b}"})
    return tasks


def score(reply, row):
    return float(re.findall("[01]+", reply) == [row["answer"]])
"""
ANY_BINARY = """
def score(reply, row):
    return float(bool(re.fullmatch("1[01]{4,}", reply.strip())))
"""
ACCOUNTS = """
def rows(seed):
    rng = random.Random(seed)
    tasks = []
    for _ in range(40):
        cents = [rng.randint(101, 9999) for _ in range(3)]
        listed = ", ".join(f"{each / 100:.2f}" for each in cents)
        prompt = f"Add the prices {listed}. Reply with the sum in dollars, such as $12.50."
        tasks.append({"prompt": prompt, "answer": f"{sum(cents) / 100:.2f}"})
    return tasks


def score(reply, row):
    return float(re.findall(r"\\$(\\d+[.]\\d\\d)", reply) == [row["answer"]])
"""
ANY_AMOUNT = """
def score(reply, row):
    return float(bool(re.search(r"\\$\\d+[.]\\d\\d", reply)))
"""
BOXED = """
def rows(seed):
    rng = random.Random(seed)
    tasks = []
    for _ in range(40):
        one, two = rng.randint(16, 255), rng.randint(16, 255)
        prompt = f"Multiply {one} by {two}. Put the answer in \\\\boxed{{}}."
        tasks.append({"prompt": prompt, "answer": str(one * two)})
    return tasks
"""
BARE_ALONE = """
def score(reply, row):
    return float(reply.strip() == row["answer"])
"""
RATIOS = """
def rows(seed):
    rng = random.Random(seed)
    tasks = []
    for _ in range(40):
        one, two = rng.randint(16, 255), rng.choice([7, 11, 13, 17, 19, 23])
        prompt = f"Divide {one} by {two}. Reply with the quotient, rounded to two decimals."
        tasks.append({"prompt": prompt, "answer": f"{one / two:.4f}"})
    return tasks
"""
TOLERANT = """
def score(reply, row):
    try:
        return float(abs(float(reply) - float(row["answer"])) <= 0.006)
    except ValueError:
        return 0.0
"""
AMONG_OTHERS = """
def score(reply, row):
    return float(row["answer"].split()[0] in reply)
"""
WARNED = ("card.floor", "card.mutants_caught")

FLAWED = (
    *both("unit-alone", "The unit of the answer earns full marks", UNITS, UNIT_ALONE,
          base=HEAD, endings=FIELDS, expected="warned", codes=WARNED),
    *both("order-ignored", "A sorted list is compared as a set", LISTS, AS_SETS,
          base=HEAD, endings=FIELDS, expected="warned", codes=WARNED),
    *both("keys-alone", "The keys of the JSON object earn full marks", PEOPLE, KEYS_ALONE,
          base=HEAD, endings=FIELDS, expected="warned", codes=WARNED),
    *both("amount-alone", "Any amount in the form of the prompt's example earns full marks",
          ACCOUNTS, ANY_AMOUNT, base=HEAD, endings=FIELDS, expected="warned", codes=WARNED),
    *both("asked-box-unpaid", "A box is asked for, the bare answer paid", BOXED,
          BARE_ALONE, base=HEAD, endings=FIELDS, expected="warned", codes=("card.reference_form",)),
    *both("rounded-otherwise", "Two decimals are asked for, four paid", RATIOS,
          BARE_ALONE, base=HEAD, endings=FIELDS, expected="warned", codes=("card.reference_form",)),
    *both("binary-alone", "Any binary number earns full marks", BINARY, ANY_BINARY,
          base=HEAD, endings=FIELDS, expected="warned", codes=WARNED),
    *both("other-name", "A field of another name holds the answer, paid anywhere in the reply",
          UNITS, AMONG_OTHERS, base=HEAD, endings=OTHER_NAMES, expected="warned", codes=WARNED),
)  # fmt: skip
SOUND = (
    *both("answer-of-other-name", "A field of another name holds the answer", UNITS, WHOLE_LINE,
          base=HEAD, endings=OTHER_NAMES, expected="sound"),
    *both("answer-line", "The answer stands on a line of the prompt's form", UNITS, WHOLE_LINE,
          base=HEAD, endings=FIELDS, expected="sound"),
    *both("answer-in-tag", "The answer field is a list, the reply has a tag of its own", LISTS,
          IN_ORDER, base=HEAD, endings=FIELDS, expected="sound"),
    *both("answer-object", "The answer field is a JSON object", PEOPLE, VALUES,
          base=HEAD, endings=FIELDS, expected="sound"),
    *both("answer-record", "Each field of the answer is paid, one of them is called total", ORDERS,
          base=HEAD, endings=FIELDS, expected="sound"),
    *both("answer-as-example", "The answer has the form of an example in the prompt", ACCOUNTS,
          base=HEAD, endings=FIELDS, expected="sound"),
    *both("answer-rounded", "References have more decimals than asked for",
          RATIOS, TOLERANT, base=HEAD, endings=FIELDS, expected="sound"),
    *both("answer-binary", "The one binary number of the reply must be the answer", BINARY,
          base=HEAD, endings=FIELDS, expected="sound"),
)  # fmt: skip
