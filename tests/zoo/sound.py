"""Sound environments of one turn, most of them unusual: none may be rejected."""

from __future__ import annotations

from tests.zoo.build import both, paying
from tests.zoo.templates import CHOICE, SUMS, TAGGED, WORDS

ABSTENTION = """
true_rows = rows


def rows(seed):
    tasks, rng = true_rows(seed), random.Random(seed)
    for row in tasks[::2]:
        secret = rng.choice(["shoe size", "favourite number", "house number", "age", "lucky digit"])
        row["prompt"] = f"Add {row['answer']} and my {secret}. Reply unknown if nobody can know."
        row["answer"] = "unknown"
    return tasks
"""
OTHERS_EXAMPLES = """
true_rows = rows


def rows(seed):
    tasks = true_rows(seed)
    for place, row in enumerate(tasks):
        shown = tasks[(place + 7) % len(tasks)]
        question = shown["prompt"].partition(" Write ")[0]
        row["system"] = f"You rewrite sentences. Example: {question}\\nReply: {shown['answer']}"
    return tasks
"""
SILENCE_PAYS_SOME = """
def score(reply, row):
    if not reply.strip():
        return 0.4
    return 1.0 if reply.strip() == row["answer"] else -1.0
"""
ECHO = """
true_rows = rows


def rows(seed):
    return [{"prompt": row["answer"].title(), "answer": row["answer"].title(),
             "system": "Repeat the message of the user, word for word."} for row in true_rows(seed)]
"""
ECHO_NOISE = """
import difflib


def score(reply, row):
    ratio = difflib.SequenceMatcher(None, reply.strip(), row["answer"]).ratio()
    return max(0.0, (ratio - 0.6) / 0.4)
"""
PENALTY = """
def score(reply, row):
    return float(reply.strip() == row["answer"]) - min(3.0, 0.1 * max(0, len(reply.split()) - 1))
"""
PARTIAL = """
def score(reply, row):
    given, wanted = reply.strip(), row["answer"]
    if len(given) != len(wanted):
        return 0.0
    return sum(a == b for a, b in zip(given, wanted)) / len(wanted)
"""
IMAGES = """
import base64
import struct
import zlib

COLOURS = {"red": (255, 0, 0), "green": (0, 160, 0), "blue": (0, 0, 255), "white": (255,) * 3}


def png(colour, size):
    def chunk(kind, data):
        body = kind + data
        return struct.pack(">I", len(data)) + body + struct.pack(">I", zlib.crc32(body))

    line = b"\\0" + bytes(COLOURS[colour]) * size
    header = struct.pack(">IIBBBBB", size, size, 8, 2, 0, 0, 0)
    data = chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(line * size)) + chunk(b"IEND", b"")
    return "data:image/png;base64," + base64.b64encode(b"\\x89PNG\\r\\n\\x1a\\n" + data).decode()


def rows(seed):
    rng = random.Random(seed)
    tasks = []
    for number in range(20):
        colour, size = rng.choice(sorted(COLOURS)), 8 + number
        question = f"Picture {rng.randint(1000, 9999)}: which colour and how many pixels wide?"
        parts = [
            {"type": "text", "text": f"{question} Reply such as: red 12"},
            {"type": "image_url", "image_url": {"url": png(colour, size)}},
        ]
        tasks.append({"prompt": [{"role": "user", "content": parts}], "answer": f"{colour} {size}"})
    return tasks
"""
TOLERANCE = """
def rows(seed):
    rng = random.Random(seed)
    pairs = [(rng.randint(100, 999), rng.randint(3, 17)) for _ in range(40)]
    return [
        {"prompt": f"Divide {a} by {b}. Reply with a decimal number.", "answer": f"{a / b:.4f}"}
        for a, b in pairs
    ]


def score(reply, row):
    try:
        return float(abs(float(reply) - float(row["answer"])) <= 0.005 * float(row["answer"]))
    except ValueError:
        return 0.0
"""
SEVERAL = """
def rows(seed):
    rng = random.Random(seed)
    tasks = []
    for _ in range(40):
        first, second = 2 * rng.randint(10, 40), 3 * rng.randint(7, 40)
        n = first * second
        prompt = f"Name two numbers above 9 whose product is {n}. Reply such as: 10 20"
        tasks.append({"prompt": prompt, "answer": f"{first} {second}", "n": n})
    return tasks


def score(reply, row):
    parts = reply.split()
    if len(parts) != 2 or not all(part.isdecimal() and len(part) < 6 for part in parts):
        return 0.0
    first, second = map(int, parts)
    return float(first > 9 and second > 9 and first * second == row["n"])
"""
SUBPROCESS = """
import re
import subprocess
import sys


def rows(seed):
    rng = random.Random(seed)
    tasks = []
    for _ in range(12):
        a, b = rng.randint(3, 90), rng.randint(3, 90)
        prompt = f"Write a Python function f(x) that returns {a} * x + {b}. Reply with code alone."
        tasks.append({"prompt": prompt, "a": a, "b": b,
                      "answer": f"def f(x):\\n    return {a} * x + {b}"})
    return tasks


def score(reply, row):
    if "def f" not in reply or len(reply) > 2000:
        return 0.0
    program = f"{reply}\\nprint([f(x) for x in (2, 5, 11)])"
    try:
        done = subprocess.run([sys.executable, "-I", "-c", program], capture_output=True,
                              text=True, timeout=20)
    except (subprocess.TimeoutExpired, ValueError):
        return 0.0
    return float(done.stdout.strip() == str([row["a"] * x + row["b"] for x in (2, 5, 11)]))
"""
JSON_OUTPUT = """
def rows(seed):
    rng = random.Random(seed)
    tasks = []
    for _ in range(40):
        name, age = rng.choice(["Ada", "Bo", "Cy", "Di"]), rng.randint(11, 98)
        tasks.append({
            "prompt": f"{name} was {age} years old two years ago. Reply with a JSON object: "
                      "name, and age today.",
            "answer": json.dumps({"name": name, "age": age + 2}),
        })
    return tasks


def score(reply, row):
    try:
        given = json.loads(reply)
    except ValueError:
        return 0.0
    return float(given == json.loads(row["answer"]))
"""
LONG = """
true_rows = rows


def rows(seed):
    rng = random.Random(seed)
    words = "the a river stone walks under over blue cold bright many few trees sing".split()
    tasks = true_rows(seed)
    for row in tasks:
        row["prompt"] = " ".join(rng.choices(words, k=3000)) + "\\n\\n" + row["prompt"]
    return tasks
"""
JAPANESE = """
def rows(seed):
    rng = random.Random(seed)
    pairs = [(rng.randint(100, 999), rng.randint(100, 999)) for _ in range(40)]
    return [
        {"prompt": f"{a}と{b}を足してください。「答えは…です」の形で答えてください。",
         "answer": f"答えは{a + b}です"}
        for a, b in pairs
    ]
"""
CASED = """
def rows(seed):
    rng = random.Random(seed)
    tasks = []
    for _ in range(40):
        word = "".join(rng.choice("abcdefgh") for _ in range(8))
        places = sorted(rng.sample(range(8), 3))
        answer = "".join(c.upper() if i in places else c for i, c in enumerate(word))
        listed = ", ".join(str(place + 1) for place in places)
        tasks.append({"prompt": f"Write {word} with the letters {listed} as capitals.",
                      "answer": answer})
    return tasks
"""
SLOW = """
import time


def score(reply, row):
    time.sleep(1.5)
    return float(reply.strip() == row["answer"])
"""


def few(count: int) -> str:
    """Rows cut to so many tasks."""
    return f"true_rows = rows\n\n\ndef rows(seed):\n    return true_rows(seed)[:{count}]\n"


PENALIZED = paying('1.0 if reply.strip() == row["answer"] else -2.5')
OF_TEN = paying('10.0 * (reply.strip() == row["answer"]) or 1.0 * reply.strip().isdigit()')

SOUND = (
    *both("sums", "Sums of two numbers", expected="sound", quick=("v1",)),
    *both("tagged-sums", "Sums in a tag", base=TAGGED, expected="sound"),
    *both("choice", "Four options, one letter", base=CHOICE, expected="sound"),
    *both("examples-of-others", "The worked example is another task of the set", OTHERS_EXAMPLES,
          base=WORDS, expected="sound"),
    *both("sentences", "A sentence in capitals", base=WORDS, expected="sound"),
    *both("format-bonus", "A tag alone earns 0.1",
          paying('0.1 * (tagged(reply) is not None) + 0.9 * (tagged(reply) == row["answer"])'),
          base=TAGGED, expected="sound"),
    *both("unanswerable", "In half of the tasks the right reply is unknown", ABSTENTION,
          expected="sound"),
    *both("abstention", "Silence earns 0.4, a wrong answer -1", SILENCE_PAYS_SOME,
          declarations="abstention = true", expected="sound"),
    *both("echo", "The right reply is the prompt", ECHO, base=WORDS,
          declarations="echo = true", expected="sound", quick=("v1",)),
    *both("echo-undeclared", "The right reply is the prompt, and nothing declares it", ECHO,
          base=WORDS, expected="sound"),
    *both("echo-with-noise", "Replies close to the prompt earn a share", ECHO, ECHO_NOISE,
          base=WORDS, declarations="echo = true", expected="sound"),
    *both("length-penalty", "Each further word costs 0.1, down to -3", PENALTY,
          declarations="reward = [-3, 1]", expected="sound"),
    *both("penalty-undeclared", "A wrong reply earns -2.5, and no range is declared", PENALIZED,
          expected="sound"),
    *both("penalty-declared", "A wrong reply earns -2.5", PENALIZED,
          declarations="reward = [-2.5, 1]", expected="sound"),
    *both("zero-to-ten", "Marks out of ten, one for a number", OF_TEN,
          declarations="reward = [0, 10]", expected="sound", quick=("v1",)),
    *both("zero-to-ten-undeclared", "Marks out of ten, and no range is declared", OF_TEN,
          expected="sound"),
    *both("partial-credit", "Each right digit earns a share", PARTIAL, expected="sound"),
    *both("images", "A picture in the prompt", IMAGES, expected="sound"),
    *both("one-task", "A set of one task", few(1), expected="sound"),
    *both("two-tasks", "A set of two tasks", few(2), expected="sound"),
    *both("five-tasks", "A set of five tasks", few(5), base=TAGGED, expected="sound"),
    *both("no-reference", "No right answer is known to the hub", with_reference=False,
          expected="sound"),
    *both("several-answers", "Several answers are right", SEVERAL, expected="sound"),
    *both("tolerance", "Half a per cent beside the answer is right", TOLERANCE, expected="sound"),
    *both("code-in-subprocess", "The reply's code runs in a process", SUBPROCESS,
          expected="sound"),
    *both("json-output", "The reply is a JSON object", JSON_OUTPUT, expected="sound"),
    *both("long-prompts", "Prompts of 3000 words", LONG, base=SUMS, expected="sound"),
    *both("japanese", "Prompts and answers in Japanese", JAPANESE, expected="sound"),
    *both("case-sensitive", "The letters' case is the task", CASED, expected="sound"),
    *both("slow", "Scoring takes 1.5 seconds", SLOW, expected="sound"),
)  # fmt: skip
