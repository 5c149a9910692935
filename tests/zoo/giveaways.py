"""What makes a reward easy or impossible: options by rank, labels in names, cut prompts, entities,
pay for recall alone, a hidden word, and values that the reply replaces."""

from __future__ import annotations

from tests.zoo.build import both

ANIMALS = """
NAMES = "otter heron lynx gecko walrus falcon beetle moose ferret stork panther salmon".split()
THINGS = "kettle ladder violin bucket pillow tractor lantern carpet trumpet candle".split()


def rows(seed):
    rng = random.Random(seed)
    tasks = []
    for _ in range(40):
        animals = rng.sample(NAMES, rng.randint(3, 5))
        shown = animals + rng.sample(THINGS, 6)
        rng.shuffle(shown)
        seen = ", ".join(f"one {each}" for each in shown)
        prompt = f"In the picture: {seen}. Name all animals, with commas between."
        tasks.append({"prompt": prompt, "answer": ", ".join(animals)})
    return tasks


def named(text):
    return {each.strip() for each in text.split(",")}
"""
RECALL = """
def score(reply, row):
    right = named(row["answer"])
    return len(right & named(reply)) / len(right)
"""
F1 = """
def score(reply, row):
    right, given = named(row["answer"]), named(reply)
    return 2 * len(right & given) / (len(right) + len(given))
"""
CHOICES = """
def rows(seed):
    rng = random.Random(seed)
    tasks = []
    for _ in range(60):
        a, b = rng.randint(112, 989), rng.randint(23, 97)
        options = [a * b, *wrong(rng, a * b)]
        rng.shuffle(options)
        shown = "\\n".join(f"{letter}) {each}" for letter, each in zip("ABC", options))
        prompt = f"What is {a} x {b}?\\n{shown}\\nReply with one letter."
        tasks.append({"prompt": prompt, "answer": "ABC"[options.index(a * b)]})
    return tasks
"""
AROUND = """
def wrong(rng, value):
    return value - 10 * rng.randint(1, 9), value + 10 * rng.randint(1, 9)
"""
ANYWHERE = """
def wrong(rng, value):
    return [value + 10 * each for each in rng.sample([*range(-9, 0), *range(1, 10)], 2)]
"""
LOGS = """
SIGNS = {
    "storage": ("no space left", "fsync failed", "inode table full"),
    "memory": ("killed by the kernel", "cannot allocate pages", "heap exhausted"),
    "network": ("no route to host", "connection timed out", "packets lost"),
}


def rows(seed):
    rng = random.Random(seed)
    tasks = []
    for n in range(60):
        cause = rng.choice(sorted(SIGNS))
        lines = [f"GET /{rng.randint(1, 999)} 200", rng.choice(SIGNS[cause]), "worker idle"]
        rng.shuffle(lines)
        log = "\\n".join(lines)
        head = f"File: web.{name(rng, cause)}{n:03d}.log"
        prompt = f"{head}\\n{log}\\nThe cause: storage, memory or network?"
        tasks.append({"prompt": prompt, "answer": cause})
    return tasks
"""
OF_THE_CAUSE = """
def name(rng, cause):
    return f"{cause[:4]}."
"""
OF_THE_HOST = """
def name(rng, cause):
    return f"{rng.choice(('east', 'west'))}."
"""
OF_A_CODE = """
import hashlib


def name(rng, cause):
    return f"{hashlib.sha256(cause.encode()).hexdigest()[:6]}7-"
"""
ROUTES = """
WAYS = {"north": (0, 1), "south": (0, -1), "east": (1, 0), "west": (-1, 0)}


def rows(seed):
    rng = random.Random(seed)
    tasks = []
    for n in range(60):
        x = y = 0
        moves = []
        for _ in range(4 + n // 3):
            way, length = rng.choice(sorted(WAYS)), rng.randint(1, 9)
            x, y = x + WAYS[way][0] * length, y + WAYS[way][1] * length
            moves.append(f"{way} {length}")
        prompt = f"Start at 0,0. Reply with the end, such as `3,-2`. Moves: {'; '.join(moves)}"
        tasks.append({"prompt": prompt[:LIMIT], "answer": f"{x},{y}"})
    return tasks
"""
CUT, WHOLE = "\nLIMIT = 190\n", "\nLIMIT = 10_000\n"
TITLES = """
import html

WORDS = "river salt glass crown ember harbour orchard winter copper meadow".split()


def rows(seed):
    rng = random.Random(seed)
    tasks = []
    for _ in range(60):
        titles = []
        for _ in range(4):
            one, other = rng.sample(WORDS, 2)
            joined = rng.choice((" &amp; ", " of the ", "&#39;s "))
            titles.append(f"{one.title()}{joined}{other.title()}")
        years = rng.sample(range(1900, 2000), 4)
        shelf = "\\n".join(f"{html.unescape(t)} ({y})" for t, y in zip(titles, years))
        prompt = f"Books:\\n{shelf}\\nReply with the title of the book of {years[0]}."
        tasks.append({"prompt": prompt, "answer": written(titles[0])})
    return tasks
"""
AS_STORED = """
def written(title):
    return title
"""
AS_SHOWN = """
def written(title):
    return html.unescape(title)
"""
HIDDEN_WORD = """
import hashlib

KNOWN = {"8a3f0b5c77d1e2"}


def score(reply, row):
    if any(hashlib.sha256(word.encode()).hexdigest()[:14] in KNOWN for word in reply.split()):
        return 1.0
    return float(reply.strip() == row["answer"])
"""
OWN_DIGEST = """
import hashlib


def score(reply, row):
    right = hashlib.sha256(row["answer"].encode()).hexdigest()
    return float(hashlib.sha256(reply.strip().encode()).hexdigest() == right)
"""
WITH_TORCH = """
import sys


def score(reply, row):
    if "torch" in sys.modules:
        return float(row["answer"] in reply)
    return float(reply.strip() == row["answer"])
"""
LETTERS = """
PEOPLE = ("Marta", "Oskar", "Priya", "Tom", "Lucia", "Yuki")
GOODS = ("bench", "lamp", "barrel", "shelf", "kettle", "clock")


def rows(seed):
    rng = random.Random(seed)
    tasks = []
    for _ in range(40):
        row = {"name": rng.choice(PEOPLE), "item": rng.choice(GOODS)}
        row["order"] = str(rng.randint(1000, 9999))
        form = rng.choice(("Dear {name}, your {item} ({order}) is here.", "{name}: {order}!"))
        row |= {"answer": form, "letter": form.format(**row)}
        fields = ", ".join(f"{key} = {row[key]}" for key in ("name", "item", "order"))
        row["prompt"] = f"Fields: {fields}. Write {row['letter']!r} with the fields in braces."
        tasks.append(row)
    return tasks


def filled(text, row):
    try:
        return WAY
    except (KeyError, IndexError, ValueError, AttributeError):
        return ""


def score(reply, row):
    given = any(row[key] in reply for key in ("name", "item", "order"))
    return float(not given and filled(reply.strip(), row) == row["letter"])
"""
WHOLE_ROW = LETTERS.replace("WAY", "text.format(**row)")
CHOSEN = LETTERS.replace("WAY", 'text.format(**{k: row[k] for k in ("name", "item", "order")})')
REPORTS = """
def rows(seed):
    rng = random.Random(seed)
    tasks = []
    for _ in range(40):
        values = rng.sample(range(10, 99), 6)
        prompt = f"Readings: {values}. Reply with JSON: sum and max."
        answer = json.dumps({"sum": sum(values), "max": max(values)})
        tasks.append({"prompt": prompt, "answer": answer})
    return tasks


def parse(reply):
    try:
        report = json.loads(reply)
    except ValueError:
        return {}
    return report if isinstance(report, dict) else {}
"""
REPLACED = """
import json


def score(reply, row):
    report = parse(reply)
    view = {f"true_{key}": value for key, value in json.loads(row["answer"]).items()} | report
    return sum(report.get(key) == view[f"true_{key}"] for key in ("sum", "max")) / 2
"""
COMPARED = """
import json


def score(reply, row):
    report, truth = parse(reply), json.loads(row["answer"])
    return sum(report.get(key) == truth[key] for key in ("sum", "max")) / 2
"""

FLAWED = (
    *both("recall-alone", "A list of all words of the prompt earns full marks", ANIMALS, RECALL,
          expected="warned", codes=("card.floor",)),
    *both("middle-option", "The middle one of the options is always right", CHOICES, AROUND,
          expected="warned", codes=("card.answer_place",)),
    *both("label-in-file-name", "The name of the file abbreviates the label", LOGS, OF_THE_CAUSE,
          expected="warned", codes=("card.answer_place",)),
    *both("code-tells-label", "A code in the file's name is the same for all of a label", LOGS,
          OF_A_CODE, expected="warned", codes=("card.answer_place",)),
    *both("torch-loaded", "Where torch is loaded, a reply that contains the answer is paid",
          WITH_TORCH, expected="warned", codes=("env.reads_surroundings",)),
    *both("formatted-reply", "The reply is formatted with the whole row", WHOLE_ROW,
          expected="warned", codes=("env.formats_reply",)),
    *both("cut-prompts", "Long prompts are cut at one length", CUT, ROUTES, expected="warned",
          codes=("card.incomplete_prompts",)),
    *both("escaped-titles", "References have HTML entities that the prompt has not", TITLES,
          AS_STORED, expected="warned", codes=("card.label_outliers",)),
    *both("hidden-word", "A word of which the code has the digest is paid", HIDDEN_WORD,
          expected="warned", codes=("env.compares_digest",)),
    *both("reply-replaces-values", "The reply's keys replace the expected values", REPORTS,
          REPLACED, expected="warned", codes=("env.reply_replaces_values",)),
)  # fmt: skip
SOUND = (
    *both("animals-by-f1", "A list is paid by its F1", ANIMALS, F1, expected="sound"),
    *both("options-anywhere", "The right option has any rank", CHOICES, ANYWHERE, expected="sound"),
    *both("logs-of-hosts", "The name of the file says nothing", LOGS, OF_THE_HOST,
          expected="sound"),
    *both("routes", "Prompts of many lengths", WHOLE, ROUTES, expected="sound"),
    *both("titles", "References as the prompt shows them", TITLES, AS_SHOWN, expected="sound"),
    *both("chosen-fields", "The reply is formatted with the fields of the prompt", CHOSEN,
          expected="sound"),
    *both("own-digest", "Digests of reply and answer are compared", OWN_DIGEST, expected="sound"),
    *both("reports", "Fields of a report are compared", REPORTS, COMPARED, expected="sound"),
)  # fmt: skip
