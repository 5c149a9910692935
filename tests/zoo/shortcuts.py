"""Ways around the task, and data that hold too little: the form of the right option, the line to be
completed with its answer, a cut table, an order or a name that no prompt decides."""

from __future__ import annotations

from tests.zoo.build import both

OPTIONS = """
def rows(seed):
    rng = random.Random(seed)
    tasks = []
    for _ in range(60):
        rows_, plants, lost = rng.randint(7, 39), rng.randint(13, 88), rng.randint(5, 60)
        right = rows_ * plants - lost
        options = [str(right), *(wrong(rng, right) for _ in range(3))]
        rng.shuffle(options)
        shown = "\\n".join(f"{letter}) {each}" for letter, each in zip("ABCD", options))
        question = f"{rows_} rows of {plants} plants lose {lost}. How many are left?"
        prompt = f"{question}\\n{shown}\\nReply with one letter."
        tasks.append({"prompt": prompt, "answer": "ABCD"[options.index(str(right))]})
    return tasks
"""
ROUGH = """
def wrong(rng, value):
    return f"{value * rng.uniform(0.5, 1.9):.0f}.{rng.randint(1, 9)}"
"""
WHOLE = """
def wrong(rng, value):
    return str(value + rng.choice((-1, 1)) * rng.randint(1, 400))
"""
VERBS = """
PAIRS = {
    "bend": "bent", "bind": "bound", "bleed": "bled", "breed": "bred", "bring": "brought",
    "build": "built", "burn": "burnt", "catch": "caught", "deal": "dealt", "dream": "dreamt",
    "feed": "fed", "fight": "fought", "find": "found", "grind": "ground", "hang": "hung",
    "hold": "held", "kneel": "knelt", "lead": "led", "leap": "leapt", "lend": "lent",
    "lose": "lost", "mean": "meant", "meet": "met", "seek": "sought", "sell": "sold",
    "send": "sent", "shine": "shone", "shoot": "shot", "sleep": "slept", "slide": "slid",
    "spend": "spent", "stick": "stuck", "sting": "stung", "sweep": "swept", "swing": "swung",
    "teach": "taught", "think": "thought", "weep": "wept", "win": "won", "wring": "wrung",
}


def rows(seed):
    rng = random.Random(seed)
    tasks = []
    for verb in rng.sample([*PAIRS], len(PAIRS)):
        shots = rng.sample(known(verb), 12)
        listed = "\\n".join(f"{each} -> {PAIRS[each]}" for each in shots)
        prompt = "Complete the last line with the past tense, that word only.\\n\\n"
        tasks.append({"prompt": f"{prompt}{listed}\\n{verb} ->", "answer": PAIRS[verb]})
    return tasks
"""
ALL_VERBS = """
def known(verb):
    return [*PAIRS]
"""
OTHER_VERBS = """
def known(verb):
    return [each for each in PAIRS if each != verb]
"""
TABLES = """
GROWERS = (
    "Abbey,Birkdale,Corran,Dunmore,Eastfield,Fallow,Grange,Holt,Inver,Jessop,Kirkby,Low Barn,"
    "Marsh End,Newstead,Orton,Pell,Quarry,Rook Lane"
).split(",")


def rows(seed):
    rng = random.Random(seed)
    tasks = []
    for _ in range(120):
        chosen = rng.sample(GROWERS, rng.randint(5, 16))
        crates = {each: [rng.randint(12, 980) for _ in range(4)] for each in chosen}
        lines = [f"{each:<14}" + "".join(f"{n:>6}" for n in crates[each]) for each in chosen]
        table = "\\n".join(["grower            Q1    Q2    Q3    Q4", *lines])[:LIMIT].rstrip()
        grower, quarter = rng.choice(chosen), rng.randrange(4)
        question = f"How many crates did {grower} deliver in Q{quarter + 1}? The number alone."
        answer = str(crates[grower][quarter])
        tasks.append({"prompt": f"Crates:\\n\\n{table}\\n\\n{question}", "answer": answer})
    return tasks
"""
CUT = "LIMIT = 450\n"
UNCUT = "LIMIT = 10_000\n"
QUARRIES = """
NAMES = "Bress Nidd Ouse Calder Hale Tarn Wharf Esk".split()


def rows(seed):
    rng = random.Random(seed)
    tasks = []
    for _ in range(40):
        names = rng.sample(NAMES, 8)
        depths = dict(zip(names, rng.sample(range(10, 90), 8)))
        far = {name: rng.random() for name in names}
        shown = "; ".join(f"{name} {depth} m" for name, depth in depths.items())
        deep = sorted((name for name in names if depths[name] > 30), key=far.get)
        question = "Which quarries are more than 30 m deep? Write the names with commas between."
        prompt = f"{shown}. {question}"
        tasks.append({"prompt": prompt, "answer": ", ".join(deep)})
    return tasks


def named(text):
    return [each.strip() for each in text.split(",")]
"""
ONE_ORDER = """
def score(reply, row):
    return float(named(reply) == named(row["answer"]))
"""
EACH_ORDER = """
def score(reply, row):
    return float(sorted(named(reply)) == sorted(named(row["answer"])))
"""
NOTES = """
SCALE = "C C# D D# E F F# G G# A A# B".split()
FLATS = {"Db": "C#", "Eb": "D#", "Gb": "F#", "Ab": "G#", "Bb": "A#"}


def rows(seed):
    rng = random.Random(seed)
    whole = [each for each in SCALE if len(each) == 1]
    pairs = [(start, steps) for start in whole for steps in range(1, 12)]
    tasks = []
    for start, steps in rng.sample(pairs, 60):
        note = SCALE[(SCALE.index(start) + steps) % 12]
        prompt = f"Which note is {steps} semitones above {start} on the piano? Its name alone."
        tasks.append({"prompt": prompt, "answer": note})
    return tasks
"""
BOTH_NAMES = """
def score(reply, row):
    name = reply.strip()
    return float(FLATS.get(name, name) == row["answer"])
"""
KEPT = ("card.equivalents_kept",)

FLAWED = (
    *both("only-whole-option", "Only the right option is a whole number", OPTIONS, ROUGH,
          expected="warned", codes=("card.answer_place",)),
    *both("line-above", "The line to be completed may stand above with its answer", VERBS,
          ALL_VERBS, expected="warned", codes=("card.leaks",)),
    *both("cut-table", "Tables are cut, so that rows are missing", TABLES, CUT,
          expected="warned", codes=("card.incomplete_prompts",)),
    *both("hidden-order", "One order of names is paid, by what no prompt shows", QUARRIES,
          ONE_ORDER, expected="warned", codes=KEPT),
    *both("one-name-of-a-note", "C# is paid and Db is not", NOTES, expected="warned", codes=KEPT),
)  # fmt: skip
SOUND = (
    *both("whole-options", "All options are whole numbers", OPTIONS, WHOLE, expected="sound"),
    *both("other-lines", "Lines of other words stand above", VERBS, OTHER_VERBS, expected="sound"),
    *both("whole-tables", "Tables of other lengths", TABLES, UNCUT, expected="sound"),
    *both("each-order", "Names in each order", QUARRIES, EACH_ORDER, expected="sound"),
    *both("both-names-of-a-note", "C# and Db are paid", NOTES, BOTH_NAMES, expected="sound"),
)  # fmt: skip
