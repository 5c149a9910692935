"""Flaws that only the texts of many tasks show together, and sound texts that resemble them."""

from __future__ import annotations

from tests.zoo.build import both
from tests.zoo.conduct import EVAL_IS_TRAIN
from tests.zoo.entry import Api
from tests.zoo.listings import WITH_SPLITS

QUIZ = """
ENDS = "mar ton wick dal ford".split()
CITIES = [f"{first}{last}" for first in ("Bel", "Nor", "Tar", "Ves") for last in ENDS]
LANDS = {f"Land{n}ia": city for n, city in enumerate(CITIES)}


def rows(seed):
    rng, tasks = random.Random(seed), []
    for tier in range(2):
        for at, (land, capital) in enumerate(LANDS.items()):
            options = rng.sample([city for city in CITIES if city != capital], 3)
            options.insert(rng.randrange(4), capital)
            chosen = options.index(capital)
            if tier:
                options.insert(rng.randrange(5), f"Port {at}")
            lines = "\\n".join(f"{mark}) {text}" for mark, text in zip("ABCDE", options))
            prompt = f"Which city is the capital of {land}?\\n\\n{lines}\\n\\nGive its letter."
            tasks.append({"prompt": prompt, "answer": "ABCDE"[PLACE]})
    return tasks
"""
TICKETS = """
def rows(seed):
    rng, tasks = random.Random(seed), []
    orders = [(n, n % 9 + 3) for n in range(20, 60)]
    for boxes, each in rng.sample(orders, len(orders)) + AGAIN:
        prompt = (
            f"Ticket {rng.randint(10_000, 99_999)}: {boxes} boxes of {each} screws arrive. How "
            "many screws are that? Give the number alone."
        )
        tasks.append({"prompt": prompt, "answer": str(boxes * each)})
    return tasks
"""
TABLES = """
NAMES = [f"{first}{last}" for first in ("bol", "wash", "hin", "clam") for last in
         ("ton", "erly", "gewick", "pard", "rick", "sted")]


def rows(seed):
    rng, tasks = random.Random(seed), []
    for _ in range(60):
        stock = [(name, rng.randint(10, 900)) for name in rng.sample(NAMES, rng.randint(8, 20))]
        name, units = rng.choice(stock)
        table = "\\n".join(f"{each}  {number}" for each, number in stock[:LIMIT])
        question = f"How many '{name}' are in stock? Give the number alone."
        prompt = f"The list:\\n\\n{table}\\n\\n{question}"
        tasks.append({"prompt": prompt, "answer": str(units)})
    return tasks
"""
RANKING = """
TOWNS = "Arlen Bexley Corvo Dunmore Estwick Farrow Galen Harth".split()


def rows(seed):
    rng, tasks = random.Random(seed), []
    for _ in range(40):
        towns = sorted(zip(rng.sample(range(20, 900), 5), rng.sample(TOWNS, 5)))
        shown = SHOWN
        lines = "\\n".join(f"- {town}: {3 * height} m over {3} steps" for height, town in shown)
        prompt = (
            f"Towns and climbs:\\n\\n{lines}\\n\\nRank them by climb, lowest first. Reply with the "
            "names, with commas."
        )
        tasks.append({"prompt": prompt, "answer": ", ".join(town for _, town in towns)})
    return tasks
"""
BADGES = """
WHO = "Ada Ben Chloé Dario Eva Finn Greta Hugo Irene Jan Kim Luca".split()
BIRDS = ("tern heron avocet curlew plover gannet fulmar petrel merlin osprey bittern lapwing "
         "dunlin wigeon garganey pochard mallard sparrow warbler swallow starling magpie "
         "jackdaw kestrel buzzard harrier goshawk "
         "nuthatch wryneck redwing").split()


def tasks(pairs):
    return [
        {"prompt": f"{who} paints the word {bird} on a door of glass and reads it from within, "
                   "letter by letter from left to right. Which letters are that? Give them as one "
                   "word in small letters.", "answer": ANSWER}
        for who, bird in pairs
    ]


def pairs(seed):
    rng = random.Random(seed)
    every = [(who, bird) for who in WHO for bird in BIRDS]
    return rng.sample(every, 90)


def rows(seed):
    return tasks([pair for pair in pairs(seed)[:60] if TRAINED])


def evaluation_rows(seed):
    return tasks([pair for pair in pairs(seed)[60:] if HELD_OUT])
"""
SPLITS: dict[Api, str] = {
    "v1": EVAL_IS_TRAIN["v1"].replace(
        "in rows(self.config.seed)",
        'in (evaluation_rows if self.config.split == "eval" else rows)(self.config.seed)',
    ),
    "v0": WITH_SPLITS,
}
DISPATCHES = """
HANDS = "Alvarez Bruun Cohen Duarte Eriksen Fofana".split()
GOODS = "the anchor chain,the spare sail,the brass lamp,the chart box,the long boat".split(",")


def entry(rng, goods, holders):
    what, who = rng.choice(goods), rng.choice(HANDS)
    if rng.random() < 0.4:
        return f"{who} asks whether {what} was seen, and nobody answers."
    holders[what] = who
    return f"{what.capitalize()} goes to {who}{rng.choice(('', ' until further notice'))}."


def rows(seed):
    rng, tasks = random.Random(seed), []
    for _ in range(120):
        holders = {}
        count = min(rng.randint(8, 20), MOST)
        goods = rng.sample(GOODS, 4)
        lines = [f"{at}. {entry(rng, goods, holders)}" for at in range(1, count + 1)]
        if not holders:
            continue
        what = rng.choice(sorted(holders))
        while len("\\n".join(lines)) > LIMIT:
            lines.pop()
        prompt = "From the log:\\n\\n" + "\\n".join(lines)
        prompt += f"\\n\\nWho has {what} in the end? Give the name alone."
        tasks.append({"prompt": prompt, "answer": holders[what]})
    return tasks
"""


def replaced(text: str, **values: str) -> str:
    """The text with each name replaced by its value."""
    for name, value in values.items():
        text = text.replace(name, value)
    return text


MIRRORED, INITIAL = "bird[::-1]", "(who[0] + bird).lower()[::-1]"
LACKING = ("card.incomplete_prompts",)
CONTRADICTS, COPIES = ("card.contradictions",), ("card.diversity",)

FLAWED = (
    *both("same-words-of-others", "Both splits have the same words under other names",
          replaced(BADGES, ANSWER=MIRRORED, TRAINED="True", HELD_OUT="True"), endings=SPLITS,
          expected="warned", codes=("card.splits_overlap",)),
    *both("log-without-its-end", "A log loses the entries beyond a number of characters",
          replaced(DISPATCHES, MOST="20", LIMIT="600"), expected="warned", codes=LACKING),
    *both("moved-letters", "A further option is added after the letters were chosen",
          QUIZ.replace("PLACE", "chosen"), expected="warned", codes=CONTRADICTS),
    *both("numbered-copies", "A quarter of the orders comes twice, with another ticket",
          TICKETS.replace("AGAIN", "orders[:15]"), expected="warned", codes=COPIES),
    *both("cut-rows", "Long tables lose their last rows, which some questions ask about",
          TABLES.replace("LIMIT", "12"), expected="warned", codes=("card.incomplete_prompts",)),
    *both("already-ranked", "The list is shown in the order that is asked for",
          RANKING.replace("SHOWN", "towns"), expected="warned", codes=("card.answer_place",)),
)  # fmt: skip
SOUND = (
    *both("other-words-of-others", "Each split has words of its own, under the same names",
          replaced(BADGES, ANSWER=MIRRORED, TRAINED="pair[1] in BIRDS[:20]",
                   HELD_OUT="pair[1] in BIRDS[20:]"), endings=SPLITS, expected="sound"),
    *both("words-with-an-initial", "The same words are in both splits, and the names decide",
          replaced(BADGES, ANSWER=INITIAL, TRAINED="True", HELD_OUT="True",
                   **{"reads it": "reads it, behind the first letter of that name,"}),
          endings=SPLITS, expected="sound"),
    *both("log-to-its-end", "Logs have all entries", replaced(DISPATCHES, MOST="20",
          LIMIT="9_999"), expected="sound"),
    *both("log-of-twelve", "Logs have up to twelve entries, and all count",
          replaced(DISPATCHES, MOST="12", LIMIT="9_999"), expected="sound"),
    *both("further-options", "Some questions have a further option",
          QUIZ.replace("PLACE", "options.index(capital)"),
          expected="sound"),
    *both("numbered-orders", "Orders differ, and each has a ticket", TICKETS.replace("AGAIN", "[]"),
          expected="sound"),
    *both("uncut-tables", "Tables have all rows", TABLES.replace("LIMIT", "20"), expected="sound"),
    *both("to-rank", "The list is shuffled", RANKING.replace("SHOWN", "rng.sample(towns, 5)"),
          expected="sound"),
)  # fmt: skip
