"""What a prompt leaves to the policy: the text in a mark, one of several routes, a form of numbers
or times, the order of named values and the capitals of words."""

from __future__ import annotations

from tests.zoo.build import both

TITLES = """
import re


def rows(seed):
    rng = random.Random(seed)
    tasks = []
    for _ in range(40):
        place, thing = rng.choice(["Ghent", "Brno", "Porto", "Leiden"]), rng.choice(
            ["fair", "regatta", "auction", "parade"])
        guests, rain = rng.randint(120, 990), rng.randint(2, 9)
        news = [f"After {rain} days of rain the {thing} of {place} opened on Sunday.",
                f"It was {guests} guests who came.", "The mayor was there.", "All was sold."]
        rng.shuffle(news)
        prompt = (
            f"{' '.join(news)}\\n\\nWrite a title of at most four words that names the place, the "
            "event and the number of guests. Put it between an opening <title> tag and its "
            "closing tag."
        )
        tasks.append({"prompt": prompt, "facts": [place.lower(), thing, str(guests)],
                      "answer": f"{place} {thing}: {guests}"})
    return tasks


def reference(row):
    return f"<title>{row['answer']}</title>"


def score(reply, row):
    marked = re.findall(r"<title>(.*?)</title>", reply, re.DOTALL)
    if len(marked) != 1 or len(marked[0].split()) > 4:
        return 0.0
    words = set(re.findall(r"\\w+", READ.lower()))
    return float(words.issuperset(row["facts"]))
"""
CAUGHT = ("card.mutants_caught",)
FORMS = ("card.equivalents_kept",)

FLAWED = (
    *both("facts-beside-mark", "The mark is read for its length, the reply for its facts",
          TITLES.replace("READ", "reply"), expected="warned", codes=CAUGHT),
)  # fmt: skip
SOUND = (
    *both("facts-in-mark", "Length and facts of the mark count",
          TITLES.replace("READ", "marked[0]"), expected="sound"),
)  # fmt: skip
