"""Amounts whose form tells the answer, names of a frame, chords, a sentence that nothing checks,
days on a weekend, and what a task holds emptied by each rollout; sound neighbours."""

from __future__ import annotations

from tests.zoo.build import both
from tests.zoo.step_endings import TURNS

TOTALS = """
def rows(seed):
    rng = random.Random(seed)
    tasks = []
    for number in range(60):
        prices = [rng.randint(400, 9999) for _ in range(4)]
        total, wrong = sum(prices) * 11, rng.random() < 0.5
        shown = total + 10 * rng.randint(3, 90) * wrong
        lines = "\\n".join(f"  11 x part {rng.randint(100, 999)} at {price / 100:.2f}"
                           for price in prices)
        prompt = (
            f"Order {number}\\n{lines}\\nTotal due: {shown / 100:FORM}\\n\\nDoes the total agree "
            "with the lines? Reply with one word, agrees or differs."
        )
        tasks.append({"prompt": prompt, "answer": "differs" if wrong else "agrees"})
    return tasks


def score(reply, row):
    return float(reply.strip().lower() == row["answer"])
"""
NOTES = """
WHO = "Ueno Halla Brandt Costa Ilves Mbeki Rossi Singh Tran Weiss".split()
WHERE = ["Upper Sel", "Kharu", "Tamnet", "Ost Ridge", "Pell", "Greywater"]
SUBJECTS = {"vaku": "hunter", "misi": "child", "dorel": "potter", "hemu": "goat", "suri": "smith"}
VERBS = {"tal": "saw", "ber": "followed", "nosh": "found", "gim": "fed"}
RULES = ", ".join(f"{word} = {name}" for word, name in (SUBJECTS | VERBS).items())


def rows(seed):
    rng = random.Random(seed)
    tasks, seen = [], set()
    while len(tasks) < 70:
        one, other = rng.sample(sorted(SUBJECTS), 2)
        verb = rng.choice(sorted(VERBS))
        sentence, day = f"{other}un {one} {verb}ak", rng.randint(1, 90)
        if NEW and sentence in seen:
            continue
        seen.add(sentence)
        prompt = (
            f"Field note by {rng.choice(WHO)}, {rng.choice(WHERE)}, day {day}.\\n\\n"
            f"Words: {RULES}. The object comes first and ends in -un, the verb last and in -ak."
            f"\\n\\nSentence: {sentence}\\n\\nTranslate it, as in: the goat saw the child. Reply "
            "with that alone."
        )
        answer = f"the {SUBJECTS[one]} {VERBS[verb]} the {SUBJECTS[other]}"
        tasks.append({"prompt": prompt, "answer": answer})
    return tasks


def score(reply, row):
    return float(reply.strip().rstrip(".").lower() == row["answer"])
"""
CHORDS = """
NOTES = "C C# D D# E F F# G G# A A# B".split()
FLATS = {"Db": "C#", "Eb": "D#", "Gb": "F#", "Ab": "G#", "Bb": "A#"}


def rows(seed):
    rng = random.Random(seed)
    tasks = []
    for _ in range(40):
        shift, line = rng.randint(1, 6), []
        for _ in range(4):
            root, bass = rng.randrange(12), rng.choice((None, 3, 4, 7))
            line.append((root, rng.choice(("", "m", "7", "m7")), bass))
        shown, answer = (
            " ".join(
                NOTES[(root + by) % 12] + kind
                + ("" if bass is None else "/" + NOTES[(root + bass + by) % 12])
                for root, kind, bass in line
            )
            for by in (0, shift)
        )
        prompt = (
            f"Move these chords up by {shift} semitones, with their bass notes: {shown}. Sharps "
            "and flats are equally good, so A# and Bb are the same. Reply with the chords alone, "
            "separated by spaces."
        )
        tasks.append({"prompt": prompt, "answer": answer})
    return tasks


def sharps(chord):
    parts = chord.split("/")
    named = [FLATS.get(part[:2], part[:2]) + part[2:] for part in PARTS]
    return "/".join([*named, *parts[len(named):]])


def score(reply, row):
    given, right = ([sharps(each) for each in text.split()] for text in (reply, row["answer"]))
    return float(given == right)
"""
REMINDERS = """
def rows(seed):
    rng = random.Random(seed)
    tasks = []
    for _ in range(40):
        code = "".join(rng.choices("ABCDEFGHJKMNP23456789", k=6))
        gate, minute = rng.randint(2, 60), rng.randrange(300, 1300, 5)
        hour = f"{minute // 60:02d}:{minute % 60:02d}"
        prompt = (
            f"The booking {code} leaves at {hour} from gate {gate}. Reply with one JSON object "
            'with "code", "gate" (a number) and "reminder", one sentence of at most 20 words that '
            "names the time of departure."
        )
        reminder = f"Please be at the gate well before {hour} in the morning or evening."
        answer = {"code": code, "gate": gate, "reminder": reminder}
        tasks.append({"prompt": prompt, "answer": json.dumps(answer), "hour": hour})
    return tasks


def score(reply, row):
    try:
        given, right = json.loads(reply), json.loads(row["answer"])
        same = (given["code"], given["gate"]) == (right["code"], right["gate"])
        text = given["reminder"]
    except (ValueError, KeyError, TypeError):
        return 0.0
    return float(same and isinstance(text, str) and CHECKED)
"""
DEADLINES = """
from datetime import date, timedelta


def rows(seed):
    rng = random.Random(seed)
    tasks = []
    for _ in range(80):
        served, days = date(2026, 1, 1) + timedelta(days=rng.randrange(300)), rng.randint(10, 60)
        last = served + timedelta(days=days)
        closed = last + timedelta(days=rng.choice((-2, -1, 0, 0, 1)))
        STEPS
        prompt = (
            f"A letter was served on {served:%A}, {served}. It must be answered within {days} "
            "days; the day after service is day 1. If the last day is a Saturday, a Sunday or a "
            "closure day, the deadline is the next day that is none of these. Closure day: "
            f"{closed}. Reply with the deadline alone, as YYYY-MM-DD."
        )
        tasks.append({"prompt": prompt, "answer": f"{last}"})
    return tasks


def score(reply, row):
    return float(reply.strip() == row["answer"])
"""
ONE_AFTER_THE_OTHER = """while last.weekday() > 4:
            last += timedelta(days=1)
        if last == closed:
            last += timedelta(days=1)"""
UNTIL_NEITHER = """while last.weekday() > 4 or last == closed:
            last += timedelta(days=1)"""
PATIENTS = """
import json
import random

TOPICS = ("fever", "cough", "rash", "pain")
TABLE = {name: [f"{topic}: {'yes' if at >> place & 1 else 'no'}"
                for place, topic in enumerate(TOPICS)]
         for at, name in enumerate("gripe mumps hives croup ague gout scurvy quinsy".split())}


def rows(seed):
    rng = random.Random(seed)
    tasks = []
    for number in range(40):
        name = rng.choice(sorted(TABLE))
        prompt = (
            f"Patient {number} is in room {rng.randint(1, 400)}. In each turn name one topic ("
            + ", ".join(TOPICS) + "), and at the end reply 'Diagnosis: NAME' with one of "
            + "; ".join(f"{each} ({', '.join(row)})" for each, row in TABLE.items()) + "."
        )
        facts = dict(zip(TOPICS, TABLE[name]))
        tasks.append({"prompt": prompt, "answer": name, "facts": facts,
                      "replies": [*TOPICS, f"Diagnosis: {name}"]})
    return tasks


def start(row):
    return {"facts": FACTS, "right": False, "turns": 0}


def respond(reply, game, row):
    if reply.startswith("Diagnosis:"):
        game["right"] = reply.partition(":")[2].strip().lower() == row["answer"]
        return None
    game["turns"] += 1
    if game["turns"] > 6:
        return None
    return game["facts"].pop(reply.strip().lower(), "I have nothing more to say about that.")


def paid(game, row):
    return float(game["right"])
"""


def replaced(text: str, **values: str) -> str:
    """The text with each name replaced by its value."""
    for name, value in values.items():
        text = text.replace(name, value)
    return text


PLACE, KEPT = ("card.answer_place",), ("card.equivalents_kept",)
OWN_FORM = "{shown / 100:FORM}"
BY_VERDICT = "{f'{shown / 100:.2f}' if wrong else f'{shown / 100:,.2f}'}"

FLAWED = (
    *both("total-without-separator", "Wrong totals alone lack the separator of thousands",
          TOTALS.replace(OWN_FORM, BY_VERDICT), expected="warned", codes=PLACE),
    *both("sentences-of-other-writers", "Sentences recur under other names and days",
          replaced(NOTES, NEW="False"), expected="warned", codes=("card.diversity",)),
    *both("bass-by-its-sharp", "The note behind a slash is compared as text",
          replaced(CHORDS, PARTS="parts[:1]"), expected="warned", codes=KEPT),
    *both("reminder-of-any-text", "Nothing checks the sentence of an object",
          replaced(REMINDERS, CHECKED="True"), expected="warned", codes=("card.mutants_caught",)),
    *both("closed-before-weekend", "Days that follow a closure on a Friday fall on a weekend",
          replaced(DEADLINES, STEPS=ONE_AFTER_THE_OTHER), expected="warned",
          codes=("card.label_outliers",)),
    *both("patient-without-facts", "Each rollout empties what its task holds",
          base=replaced(PATIENTS, FACTS="row['facts']"), endings=TURNS, apis=("v1",),
          expected="warned", codes=("env.rollouts_interfere",)),
)  # fmt: skip
SOUND = (
    *both("totals-alike", "Right and wrong totals are written alike",
          replaced(TOTALS, FORM=",.2f"), expected="sound"),
    *both("sentences-once", "Each sentence is in one note", replaced(NOTES, NEW="True"),
          expected="sound"),
    *both("bass-by-its-pitch", "Notes behind a slash count by their pitch",
          replaced(CHORDS, PARTS="parts"), expected="sound"),
    *both("reminder-with-the-time", "The sentence of an object must name the time",
          replaced(REMINDERS, CHECKED="row['hour'] in text and len(text.split()) <= 20"),
          expected="sound"),
    *both("closed-or-weekend", "Deadlines move until they are neither",
          replaced(DEADLINES, STEPS=UNTIL_NEITHER), expected="sound"),
    *both("patient-with-facts", "Each rollout has facts of its own",
          base=replaced(PATIENTS, FACTS="dict(row['facts'])"), endings=TURNS, apis=("v1",),
          expected="sound"),
)  # fmt: skip
