"""Parts and forms that prompts leave free, the layout of tables, pairs with the word itself, and an
option whose form tells it."""

from __future__ import annotations

from tests.zoo.build import both

STOCK = """
import json
import random
import re

GOODS = "barley,flax,hemp,linseed,millet,oats,rye,spelt,wheat".split(",")


def rows(seed):
    rng = random.Random(seed)
    tasks = []
    for _ in range(40):
        goods = [(name, rng.randint(2, 400), rng.randint(5, 99)) for name in rng.sample(GOODS, 4)]
        listed = "; ".join(f"{count} sacks of {name} at {price}" for name, count, price in goods)
        dear = sorted((row for row in goods if row[2] >= 30), key=lambda row: row[0])
        if len(dear) < 2:
            continue
        lines = ["| Good | Sacks | Price |", "|---|---|---|"]
        lines += ["| {} | {} | {} |".format(*row) for row in dear]
        prompt = (
            f"In store are {listed}. Write a Markdown table with the columns Good, Sacks and Price "
            "of those that cost 30 or more, in the order of the alphabet. The table alone."
        )
        tasks.append({"prompt": prompt, "answer": "\\n".join(lines)})
    return tasks
"""
BY_CELL = """
def cells(text):
    table = [[cell.strip() for cell in line.strip().strip("|").split("|")]
             for line in text.strip().splitlines() if line.strip().startswith("|")]
    return [row for row in table if not all(re.fullmatch(r":?-+:?", cell) for cell in row)]


def score(reply, row):
    lines = reply.strip().splitlines()
    framed = len(lines) > 2 and all(line.strip().startswith("|") for line in lines)
    ruled = framed and re.fullmatch(r"[|\\s:-]+", lines[1]) is not None
    return float(ruled and cells(reply) == cells(row["answer"]))
"""
BOATS = """
COLOURS, BIRDS = "Amber Grey Red White Black".split(), "Heron Gull Tern Plover Snipe Dunlin".split()
NAMES = [f"{colour} {bird}" for colour in COLOURS for bird in BIRDS]


def rows(seed):
    rng = random.Random(seed)
    tasks = []
    for _ in range(40):
        boats, piers = rng.sample(NAMES, 6), rng.sample(range(1, 30), 6)
        moored = ", ".join(f"the {boat} at pier {pier}" for boat, pier in zip(boats, piers))
        at = rng.randrange(6)
        prompt = (
            f"These boats are moored: {moored}. Which one is at pier {piers[at]}? Reply with its "
            "name alone. The article is optional."
        )
        tasks.append({"prompt": prompt, "answer": boats[at]})
    return tasks
"""
WITHOUT_ARTICLE = """
def score(reply, row):
    return float(reply.strip().lower().removeprefix("the ") == row["answer"].lower())
"""
TILLS = """
def rows(seed):
    rng = random.Random(seed)
    tasks = []
    for _ in range(40):
        count, cents, paid = rng.randint(3, 9), rng.randint(115, 985), rng.choice((50, 100, 200))
        change = 100 * paid - count * cents
        if change < 0:
            continue
        prompt = (
            f"{count} pots at ${cents // 100}.{cents % 100:02} are paid with ${paid}. How much is "
            "the change? Reply with the amount alone, with two decimals. The dollar sign is "
            "optional."
        )
        tasks.append({"prompt": prompt, "answer": f"{change // 100}.{change % 100:02}"})
    return tasks
"""
WITHOUT_SIGN = """
def score(reply, row):
    return float(reply.strip().removeprefix("$").strip() == row["answer"])
"""
SHEEP = """
ONES = ("zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen "
        "fifteen sixteen seventeen eighteen nineteen").split()
TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split()


def words(n):
    if n < 20:
        return ONES[n]
    if n < 100:
        return TENS[n // 10 - 2] + (f" {ONES[n % 10]}" if n % 10 else "")
    return f"{ONES[n // 100]} hundred" + (f" {words(n % 100)}" if n % 100 else "")


def rows(seed):
    rng = random.Random(seed)
    tasks = []
    for _ in range(40):
        first, sold, born = rng.randint(101, 600), rng.randint(11, 99), rng.randint(11, 399)
        prompt = (
            f"A farm has {first} sheep, sells {sold} of them and then sees {born} lambs born. How "
            "many animals are there? Reply with the number alone, in digits or in words."
        )
        tasks.append({"prompt": prompt, "answer": str(first - sold + born)})
    return tasks
"""
DIGITS_OR_WORDS = """
def score(reply, row):
    text = reply.strip().lower().rstrip(".")
    spelled = [word for word in text.replace("-", " ").split() if word != "and"]
    return float(text == row["answer"] or " ".join(spelled) == words(int(row["answer"])))
"""
CHESTS = """
THINGS = "a bell,a coil of rope,two maps,a brass lamp,old coins,a quilt,nails,a sextant".split(",")
COLOURS = "red blue green grey black".split()


def rows(seed):
    rng = random.Random(seed)
    tasks = []
    for _ in range(40):
        things, colours = rng.sample(THINGS, 5), rng.sample(COLOURS, 5)
        placed = ", ".join(f"the {colour} one {thing}" for colour, thing in zip(colours, things))
        at, options = rng.randrange(5), rng.sample(things, 5)
        listed = "\\n".join(f"{letter}) {thing}" for letter, thing in zip("ABCDE", options))
        prompt = (
            f"Of five chests, holds {placed}. What does the {colours[at]} one hold? Reply with the "
            f"letter or the text of the option alone.\\n{listed}"
        )
        letter = "ABCDE"[options.index(things[at])]
        tasks.append({"prompt": prompt, "answer": letter, "thing": things[at]})
    return tasks
"""
LETTER_OR_TEXT = """
def score(reply, row):
    text = reply.strip().lower().rstrip(".")
    return float(text in (row["answer"].lower(), row["thing"]))
"""
PLURALS = """
ENDINGS = {"a": "nim", "e": "ret", "i": "sul", "o": "var"}
BEGINNINGS, MIDDLES = "dr kl m br sk t v".split(), "lk rn st nd mp".split()


def plural(word):
    vowel = next(letter for letter in word if letter in ENDINGS)
    return word + ENDINGS[vowel]


def rows(seed):
    rng = random.Random(seed)
    words = [first + vowel + last for first in BEGINNINGS for vowel in "aeio" for last in MIDDLES]
    tasks = []
    for _ in range(40):
        query = rng.choice(words)
        alike = [word for word in words if plural(word)[-3:] == plural(query)[-3:]]
        others = rng.sample([word for word in alike if word != query], 3)
        others += rng.sample([word for word in words if word not in alike], 4)
        shown = SHOWN
        rng.shuffle(shown)
        pairs = "\\n".join(f"{word} -> {plural(word)}" for word in shown)
        prompt = (
            f"Plurals of a language that nobody speaks:\\n\\n{pairs}\\n\\nWhat is the plural of "
            f"{query}? Reply with the word alone."
        )
        tasks.append({"prompt": prompt, "answer": plural(query)})
    return tasks


def score(reply, row):
    return float(reply.strip().lower() == row["answer"])
"""
STRANDS = """
def rows(seed):
    rng = random.Random(seed)
    tasks = []
    for _ in range(60):
        walked, ridden, left = (rng.randint(103, 899) for _ in range(3))
        right = walked + ridden + left
        options = {right}
        while len(options) < 4:
            options.add(OTHER)
        options = rng.sample(sorted(options), 4)
        listed = "\\n".join(f"{letter}) {option}" for letter, option in zip("ABCD", options))
        prompt = (
            f"A courier walks {walked} m, rides {ridden} m and has {left} m to go. How long is the "
            f"way? Reply with one letter.\\n{listed}"
        )
        tasks.append({"prompt": prompt, "answer": "ABCD"[options.index(right)]})
    return tasks
"""
ROUNDED, ALIKE = "10 * (right // 10 + rng.randint(-9, 9))", "right + rng.randint(-99, 99)"
KEPT = ("card.equivalents_kept",)

FLAWED = (
    *both("table-as-text", "A Markdown table is compared as text", STOCK, expected="warned",
          codes=KEPT),
    *both("article-refused", "The prompt calls the article optional, and it is refused", BOATS,
          expected="warned", codes=KEPT),
    *both("dollar-refused", "The prompt calls the sign optional, and it is refused", TILLS,
          expected="warned", codes=KEPT),
    *both("digits-alone", "The prompt allows words, and digits alone count", SHEEP,
          expected="warned", codes=KEPT),
    *both("letter-alone", "The prompt allows an option's text, and its letter alone counts",
          CHESTS, expected="warned", codes=KEPT),
    *both("word-among-plurals", "The word itself stands among some pairs",
          PLURALS.replace("SHOWN", "[query, *others[1:]] if rng.random() < 0.3 else others"),
          expected="warned",
          codes=("card.leaks",)),
    *both("others-rounded", "The wrong options end with a zero",
          STRANDS.replace("OTHER", ROUNDED), expected="warned", codes=("card.answer_place",)),
)  # fmt: skip
SOUND = (
    *both("table-by-cell", "A Markdown table is compared cell by cell", STOCK, BY_CELL,
          expected="sound"),
    *both("article-accepted", "The article may be there", BOATS, WITHOUT_ARTICLE,
          expected="sound"),
    *both("dollar-accepted", "The sign may be there", TILLS, WITHOUT_SIGN, expected="sound"),
    *both("digits-or-words", "Digits and words count", SHEEP, DIGITS_OR_WORDS, expected="sound"),
    *both("letter-or-text", "An option's letter and its text count", CHESTS, LETTER_OR_TEXT,
          expected="sound"),
    *both("word-beside-plurals", "The pairs are of other words", PLURALS.replace("SHOWN", "others"),
          expected="sound"),
    *both("others-alike", "No form tells the right option", STRANDS.replace("OTHER", ALIKE),
          expected="sound"),
)  # fmt: skip
