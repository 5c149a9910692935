"""Verdicts and points that a reply writes itself, and permissions of prompts that parsers refuse;
sound labels, parts of several lists, forms in a tag and texts to be copied."""

from __future__ import annotations

from tests.zoo.build import both

BORES = """
import re

SHEET = "Part {part}\\n\\nMeasured by the fitter:\\n{reply}\\n\\nInspector: {verdict}\\n"


def rows(seed):
    rng = random.Random(seed)
    tasks = []
    for _ in range(40):
        outer, wall = rng.randint(210, 980), rng.randint(14, 93)
        prompt = (
            f"A pipe is {outer / 10} mm wide outside, and its wall is {wall / 10} mm thick. How "
            "wide is it inside? End with a line such as `Bore: 9.5 mm`."
        )
        bore = f"{(outer - 2 * wall) / 10} mm"
        tasks.append({"prompt": prompt, "part": f"P{outer}", "answer": bore})
    return tasks


def reference(row):
    return f"Bore: {row['answer']}"


def score(reply, row):
    bores = re.findall(r"^Bore: (-?\\d{1,3}\\.\\d mm)$", reply.strip(), re.MULTILINE)
    verdict = "accept" if bores[-1:] == [row["answer"]] else "reject"
    sheet = SHEET.format(part=row["part"], reply=reply.strip(), verdict=verdict)
    return float(re.search(r"^Inspector: (accept|reject)$", sheet, re.MULTILINE)[1] == "accept")
"""
PAPERS = """
import re


def rows(seed):
    rng = random.Random(seed)
    tasks = []
    for _ in range(40):
        terms = [(rng.randint(12, 89), rng.randint(3, 9)) for _ in range(7)]
        listed = "; ".join(f"{first} x {second}" for first, second in terms)
        prompt = (
            f"An exam of seven: {listed}. Reply with the seven products in this order, separated "
            "by single spaces, on the last line."
        )
        answer = " ".join(str(first * second) for first, second in terms)
        tasks.append({"prompt": prompt, "answer": answer})
    return tasks


def score(reply, row):
    given = (reply.strip().splitlines() or [""])[-1].split()
    wanted = row["answer"].split()
    marks = sum(a == b for a, b in zip(given, wanted)) if len(given) == 7 else 0
    paper = f"Candidate's paper:\\n{reply}\\n\\nMarks awarded: {marks * (marks == 7)} of 7"
    awarded, possible = re.search(r"Marks awarded: (\\d{1,3}) of (\\d{1,3})", paper).groups()
    return min(1.0, int(awarded) / max(1, int(possible)))
"""
CITATIONS = """
FAMILIES = "Abel Brandt Castro Dumas Engel Fabri Greco Hansen".split()


def rows(seed):
    rng = random.Random(seed)
    tasks = []
    for _ in range(40):
        author, year = rng.choice(FAMILIES), rng.randint(1890, 2019)
        first = rng.randint(11, 800)
        pages = rng.randint(3, 40)
        prompt = (
            f"'{author} ({year}), Annals of Weights 12, {first}-{first + pages - 1}.' Reply with a "
            "JSON object that has the fields author, year and pages (their number)."
        )
        wanted = {"author": author, "year": year, "pages": pages}
        tasks.append({"prompt": prompt, "answer": json.dumps(wanted)})
    return tasks


def graded(reply, row):
    wanted = json.loads(row["answer"])
    record = {name: reply.get(name) for name in wanted}
    record["grade_points"] = GRADE
    return record


def score(reply, row):
    try:
        record = graded(dict(json.loads(reply)), row)
        return max(0.0, min(1.0, float(record["grade_points"])))
    except (ValueError, TypeError):
        return 0.0
"""
KEPT_GRADE = 'reply.get("grade_points", float(record == wanted))'
CARRIERS = """
import re

FREE = (
    "Reply with the number of hertz alone. You may shorten it with the prefix k or M, so `47000`, "
    "`47k` and `0.047M` are equivalent."
)


def rows(seed):
    rng = random.Random(seed)
    tasks = []
    for _ in range(40):
        first, step, channel = rng.randint(120, 900), rng.randint(5, 40), rng.randint(3, 30)
        prompt = (
            f"Channel 1 is at {first} kHz, and each further one {step} kHz above the one before. "
            f"Where is channel {channel}? {FREE}"
        )
        tasks.append({"prompt": prompt, "answer": str(1000 * (first + step * (channel - 1)))})
    return tasks


def score(reply, row):
    match = re.fullmatch(r"(\\d{1,9}(?:\\.\\d{1,6})?)([PREFIXES]?)", reply.strip())
    scale = {"": 1, "k": 1000, "M": 1000000}[match[2]] if match else 0
    return float(match is not None and round(float(match[1]) * scale) == int(row["answer"]))
"""
FLIGHTS = """
import re


def rows(seed):
    rng = random.Random(seed)
    tasks = []
    for _ in range(40):
        start, minutes = rng.randint(300, 900), rng.randint(45, 480)
        prompt = (
            f"A flight leaves at {start // 60:02}:{start % 60:02} UTC and takes {minutes} minutes. "
            "When does it land? Reply with the time alone, as in `07:35 UTC`; the suffix UTC may "
            "be left out."
        )
        end = start + minutes
        tasks.append({"prompt": prompt, "answer": f"{end // 60:02}:{end % 60:02} UTC"})
    return tasks


def score(reply, row):
    match = re.fullmatch(r"([01]\\d|2[0-3]):([0-5]\\d)SUFFIX", reply.strip())
    return float(match is not None and f"{match[1]}:{match[2]} UTC" == row["answer"])
"""
LABELS = """
import re

LABEL = re.compile(r"^(?:Answer|Result|Solution): (\\d{1,7})$", re.MULTILINE)


def rows(seed):
    rng = random.Random(seed)
    tasks = []
    for _ in range(40):
        crates, each, broken = rng.randint(12, 90), rng.randint(13, 60), rng.randint(3, 99)
        prompt = (
            f"{crates} crates hold {each} jars each, and {broken} jars break. How many are left? "
            "Your last line must be `Answer: N`, `Result: N` or `Solution: N`; the last one counts."
        )
        tasks.append({"prompt": prompt, "answer": str(crates * each - broken)})
    return tasks


def reference(row):
    return f"Result: {row['answer']}"


def score(reply, row):
    return float(LABEL.findall(reply.strip())[-1:] == [row["answer"]])
"""
BUTTONS = """
LISTS = {
    "colour": "red blue green white black".split(), "size": "tiny small wide huge".split(),
    "material": "horn brass wood glass pearl".split(), "form": "round oval square star".split(),
}


def rows(seed):
    rng = random.Random(seed)
    listed = "; ".join(f"{name}: {', '.join(words)}" for name, words in LISTS.items())
    tasks, known = [], set()
    while len(tasks) < 40:
        button = {name: rng.choice(words) for name, words in LISTS.items()}
        if tuple(button.values()) in known:
            continue
        known.add(tuple(button.values()))
        clues = []
        for name, words in LISTS.items():
            others = [word for word in words if word != button[name]]
            clues.append(f"its {name} is not {', '.join(rng.sample(others, len(others)))}")
        rng.shuffle(clues)
        prompt = (
            f"A button has one of each list. {listed}. We know that {'; '.join(clues)}. Which one "
            "is it? Reply with its four words, separated by spaces."
        )
        tasks.append({"prompt": prompt, "answer": " ".join(button.values())})
    return tasks


def score(reply, row):
    return float(sorted(reply.lower().split()) == sorted(row["answer"].split()))
"""
LETTERS = """
import re

FORM = (
    "<form>\\nSender: the family name of the person who has written the letter, without a title\\n"
    "Room: the number of the room in which the meeting takes place, in digits and nothing else\\n"
    "Guests: how many persons come to it altogether, the sender included, in digits\\n</form>"
)
NAMES = "Adler Blum Conti Dahl Evers Frank Gruber Holm".split()


def rows(seed):
    rng = random.Random(seed)
    tasks = []
    for _ in range(40):
        name, room, others = rng.choice(NAMES), rng.randint(101, 480), rng.randint(3, 28)
        prompt = (
            f"'We are glad to meet in room {room}. I bring {others} colleagues. Dr. {name}'\\n\\n"
            f"Fill in this form, with your values in place of the descriptions:\\n{FORM}"
        )
        answer = f"Sender: {name}\\nRoom: {room}\\nGuests: {others + 1}"
        tasks.append({"prompt": prompt, "answer": answer})
    return tasks


def lines(text):
    return dict(re.findall(r"^(Sender|Room|Guests): (.{1,40}?) *$", text, re.MULTILINE))


def score(reply, row):
    forms = re.findall(r"<form>(.{1,400}?)</form>", reply, re.DOTALL)
    return float(len(forms) == 1 and lines(forms[0]) == lines(row["answer"]))
"""
PARCELS = """
SIGNS = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789"


def rows(seed):
    rng = random.Random(seed)
    tasks = []
    for _ in range(40):
        label = "-".join("".join(rng.choices(SIGNS, k=rng.randint(3, 6))) for _ in range(4))
        prompt = (
            "Type the text of this label exactly as it stands and nothing else, without the word "
            f"before it.\\n\\nLabel: {label}"
        )
        tasks.append({"prompt": prompt, "answer": label})
    return tasks
"""
CAUGHT, KEPT, FLOOR = ("card.mutants_caught",), ("card.equivalents_kept",), ("card.floor",)

FLAWED = (
    *both("inspector-of-quoted-reply", "The sheet quotes the reply before the inspector's verdict",
          BORES, expected="warned", codes=CAUGHT),
    *both("marks-of-quoted-paper", "The marks are read from a paper that begins with the reply",
          PAPERS, expected="warned", codes=CAUGHT),
    *both("grade-in-record", "A record keeps the points that the reply gives to itself",
          CITATIONS.replace("GRADE", KEPT_GRADE), expected="warned", codes=CAUGHT),
    *both("prefixes-refused", "Prefixes are allowed, and numbers with them refused",
          CARRIERS.replace("[PREFIXES]?", ""), expected="warned", codes=KEPT),
    *both("suffix-needed", "A suffix is optional, and times without it are refused",
          FLIGHTS.replace("SUFFIX", " UTC"), expected="warned", codes=KEPT),
)  # fmt: skip
SOUND = (
    *both("prefixes-read", "Prefixes are allowed and read", CARRIERS.replace("PREFIXES", "kM"),
          expected="sound"),
    *both("suffix-optional", "A suffix is optional", FLIGHTS.replace("SUFFIX", "(?: UTC)?"),
          expected="sound"),
    *both("three-labels", "Three labels are read, and the last of them counts", LABELS,
          expected="sound"),
    *both("parts-of-four-lists", "Four words of four lists in any order", BUTTONS,
          expected="sound"),
    *both("described-form", "The lines of a form with long descriptions, in its tag", LETTERS,
          apis=("v0",), expected="sound"),
    *both("copied-label", "A text to be copied stands behind the word `Label:`", PARCELS,
          expected="sound"),
)  # fmt: skip
