"""Labels that are wrong in a tenth of the tasks, and sound answers that follow no single rule."""

from __future__ import annotations

from tests.zoo.build import both
from tests.zoo.templates import SUMS

WRONG = """
true_rows = rows


def rows(seed):
    tasks = true_rows(seed)
    for row in tasks[3::10]:
        row["answer"] = str(int(row["answer"]) + 7)
    return tasks
"""
STORIES = """
NAMES = "Ana Bo Cem Dia Eli Fay Gus Hal Ida Jon".split()
THINGS = "apples pears plums nuts figs".split()


def rows(seed):
    rng = random.Random(seed)
    tasks = []
    for _ in range(40):
        name, thing = rng.choice(NAMES), rng.choice(THINGS)
        have, bags, each = rng.randint(20, 90), rng.randint(2, 9), rng.randint(2, 9)
        prompt = (
            f"{name} has {have} {thing} and buys {bags} bags of {each} {thing}. How many {thing} "
            "are there now? End with the number in <answer></answer> tags."
        )
        tasks.append({"prompt": prompt, "answer": str(have + bags * each)})
    return tasks


def reference(row):
    return f"<answer>{row['answer']}</answer>"


def score(reply, row):
    given = reply.rpartition("<answer>")[2].strip().removesuffix("</answer>").strip()
    return float("<answer>" in reply and given == row["answer"])
"""
BACKWARDS = """
SYLLABLES = "ba ko li mu ne ri su ta vo zi pen gar dol".split()


def rows(seed):
    rng = random.Random(seed)
    words = ["".join(rng.choices(SYLLABLES, k=4)) for _ in range(40)]
    return [
        {"prompt": f"Write this word backwards, and nothing else: {word}", "answer": word[::-1]}
        for word in words
    ]
"""
WRONG_BACKWARDS = """
backward_rows = rows


def rows(seed):
    tasks = backward_rows(seed)
    for row in tasks[3::10]:
        row["answer"] = row["answer"][:3] + row["answer"][4:] + row["answer"][3]
    return tasks
"""
DISCOUNT = """
def rows(seed):
    rng = random.Random(seed)
    tasks = []
    for _ in range(40):
        price, number = rng.randint(12, 60), rng.randint(2, 9)
        total = price * number - (15 if price * number > 350 else 0)
        prompt = (
            f"{number} lamps at {price} EUR each; orders above 350 EUR cost 15 EUR less. What is "
            "the price? Reply with the number alone."
        )
        tasks.append({"prompt": prompt, "answer": str(total)})
    return tasks
"""
EMPTIED = """
def rows(seed):
    rng = random.Random(seed)
    tasks = []
    for _ in range(40):
        held, lost = rng.randint(10, 99), rng.randint(1, 30)
        prompt = (
            f"A tank holds {held} litres, then a leak of {lost} litres. How many litres are left? "
            "Reply with the number alone."
        )
        tasks.append({"prompt": prompt, "answer": str(max(0, held - lost))})
    return tasks
"""
SET_SUM = """
def rows(seed):
    rng = random.Random(seed)
    tasks = []
    for _ in range(40):
        values = rng.choices(range(10, 60), k=4)
        prompt = f"What is the sum of the set {{{', '.join(map(str, values))}}}? The number alone."
        tasks.append({"prompt": prompt, "answer": str(sum(set(values)))})
    return tasks
"""
KINDS = """
KINDS = [
    ("A shelf holds {a} books and gets {b} more. How many are on it?", lambda a, b: a + b),
    ("Of {a} trees {b} are felled. How many stand?", lambda a, b: a - b),
    ("A hall has {a} rows of {b} seats. How many seats does it have?", lambda a, b: a * b),
    ("A rope of {a} m is tied to one of {b} m. How long are both?", lambda a, b: a + b),
]


def rows(seed):
    rng = random.Random(seed)
    tasks = []
    for number in range(120):
        question, result = KINDS[number % 4]
        a, b = rng.randint(51, 99), rng.randint(11, 49)
        prompt = f"{question.format(a=a, b=b)} Reply with the number alone."
        tasks.append({"prompt": prompt, "answer": str(result(a, b))})
    return tasks
"""
WRONG_KIND = """
right_rows = rows


def rows(seed):
    tasks = right_rows(seed)
    for row in tasks[10::40]:
        row["answer"] = str(int(row["answer"]) + 9)
    return tasks
"""
LABELS = ("card.label_outliers",)

FLAWED = (
    *both("wrong-labels", "A tenth of the sums is wrong", WRONG, base=SUMS,
          expected="warned", codes=LABELS),
    *both("wrong-labels-in-stories", "A tenth of the word problems has a wrong answer", STORIES,
          WRONG, expected="warned", codes=LABELS),
    *both("wrong-labels-of-words", "A tenth of the words is not written backwards", BACKWARDS,
          WRONG_BACKWARDS, expected="warned", codes=LABELS),
    *both("wrong-labels-of-one-kind", "A tenth of one kind of question has a wrong answer", KINDS,
          WRONG_KIND, expected="warned", codes=LABELS),
)  # fmt: skip
SOUND = (
    *both("kinds", "Four kinds of question", KINDS, expected="sound"),
    *both("stories", "Word problems with other names and things", STORIES, expected="sound"),
    *both("discount", "A few orders are large enough for a discount", DISCOUNT, expected="sound"),
    *both("emptied", "Some tanks lose more than they hold", EMPTIED, expected="sound"),
    *both("set-sum", "Equal numbers of a set count once", SET_SUM, expected="sound"),
)  # fmt: skip
