"""Choices of named sets of which one of several is accepted, and sequences that hyphens join whose
end, order or repeats are not compared; sound neighbours."""

from __future__ import annotations

from tests.zoo.build import both

TRANSLATORS = """
from itertools import combinations

LANGUAGES = "Arabic Basque Czech Danish Estonian Finnish Greek Hindi Irish Japanese".split()
PEOPLE = "Amir Bela Cora Dana Emil Fara Goran Hilde".split()


def fewest(spoken):
    for size in range(1, 6):
        teams = [team for team in combinations(sorted(spoken), size)
                 if set().union(*(spoken[each] for each in team)) >= set().union(*spoken.values())]
        if teams:
            return teams
    return []


def rows(seed):
    rng, tasks = random.Random(seed), []
    while len(tasks) < 40:
        spoken = {name: sorted(rng.sample(LANGUAGES, rng.randint(2, 4))) for name in PEOPLE}
        teams = fewest(spoken)
        if not teams or len(teams[0]) < 3 or not SEVERAL:
            continue
        lines = "\\n".join(f"- {name}: {', '.join(known)}" for name, known in spoken.items())
        prompt = (
            f"Translators and their languages:\\n{lines}\\n\\nA team must cover every language of "
            "the list. Name as few translators as possible.TIE Reply with their names alone, "
            "parted by commas."
        )
        tasks.append({"prompt": prompt, "answer": ", ".join(teams[0]), "teams": teams})
    return tasks


def score(reply, row):
    given = sorted(each.strip() for each in reply.split(","))
    return float(given in [sorted(team) for team in row["teams"]PAID])
"""
COURSES = """
from itertools import combinations

SLOTS = [f"{day} {part}" for day in ("Monday", "Tuesday", "Thursday", "Friday")
         for part in ("morning", "noon", "evening")]
TOPICS = "Botany Chess Drama Etching Fencing Guitar Hebrew Ikebana Juggling".split()


def apart(chosen, times):
    return all(not {*times[one]} & {*times[other]} for one, other in combinations(chosen, 2))


def rows(seed):
    rng, tasks = random.Random(seed), []
    while len(tasks) < 40:
        times = {topic: rng.sample(SLOTS, rng.randint(2, 4)) for topic in TOPICS}
        best = [plan for size in range(2, 7) for plan in combinations(TOPICS, size)
                if apart(plan, times)]
        plans = [plan for plan in best if len(plan) == len(best[-1])] if best else []
        if len(plans) < 2:
            continue
        lines = "\\n".join(f"{topic}: {', '.join(at)}" for topic, at in times.items())
        prompt = (
            f"Courses and their hours:\\n{lines}\\n\\nChoose as many courses as possible, no two "
            "of which share an hour. Reply with their names alone, parted by commas."
        )
        tasks.append({"prompt": prompt, "answer": ", ".join(plans[0]), "plans": plans})
    return tasks


def score(reply, row):
    given = sorted(each.strip() for each in reply.split(","))
    return float(given in [sorted(plan) for plan in row["plans"]PAID])
"""
SPELLING = """
CODES = ("Alfa Bravo Charlie Delta Echo Foxtrot Golf Hotel India Juliett Kilo Lima Mike November "
         "Oscar Papa Quebec Romeo Sierra Tango Uniform Victor Whiskey Xray Yankee Zulu").split()
SHIPS = ("TERN HERON AVOCET CURLEW PLOVER GANNET FULMAR PETREL MERLIN OSPREY BITTERN LAPWING "
         "REDSHANK DUNLIN SANDERLING WIGEON GARGANEY POCHARD SHELDUCK MALLARD").split()


def rows(seed):
    rng = random.Random(seed)
    return [
        {"prompt": f"Spell the ship's name {ship} backwards on the radio, from its last letter to "
                   "its first: the code words of the letters, joined by hyphens, and no more.",
         "answer": "-".join(CODES[ord(letter) - 65] for letter in ship[::-1])}
        for ship in rng.sample(SHIPS, len(SHIPS))
    ]


def score(reply, row):
    given, right = reply.strip().split("-"), row["answer"].split("-")
    return float(len(given) >= len(right) and all(a == b for a, b in zip(given, right)) and ENDS)
"""
STITCHES = """
NAMES = {"k": "knit", "p": "purl", "s": "slip", "y": "yarn"}


def rows(seed):
    rng, tasks = random.Random(seed), []
    for _ in range(40):
        parts = [(rng.choice("kpsy"), rng.randint(1, 3)) for _ in range(rng.randint(4, 7))]
        pattern = " ".join(f"{sign}{count}" for sign, count in parts)
        stitches = [NAMES[sign] for sign, count in parts for _ in range(count)]
        prompt = (
            f"A row of a pattern reads {pattern} (k knit, p purl, s slip, y yarn, and how often). "
            "Write all stitches in the order in which they are worked, each as often as it is "
            "worked, joined by hyphens, such as knit-knit-purl."
        )
        tasks.append({"prompt": prompt, "answer": "-".join(stitches)})
    return tasks


def score(reply, row):
    given, right = reply.strip().split("-"), row["answer"].split("-")
    return float(COMPARED)
"""
FORMS, CAUGHT = ("card.equivalents_kept",), ("card.mutants_caught",)
FIRST = " Of several such teams, name the one that comes first by the alphabet."


def replaced(text: str, **values: str) -> str:
    """The text with each name replaced by its value."""
    for name, value in values.items():
        text = text.replace(name, value)
    return text


FLAWED = (
    *both("one-team-of-several", "One of several smallest teams is accepted",
          replaced(TRANSLATORS, SEVERAL="len(teams) > 1", TIE="", PAID="[:1]"),
          expected="warned", codes=FORMS),
    *both("one-plan-of-several", "One of several largest plans is accepted",
          replaced(COURSES, PAID="[:1]"), expected="warned", codes=FORMS),
    *both("spelled-with-more", "Code words behind the right ones are not read",
          replaced(SPELLING, ENDS="True"), expected="warned", codes=CAUGHT),
    *both("stitches-as-a-set", "Neither the order nor the number of stitches is compared",
          replaced(STITCHES, COMPARED="{*given} == {*right}"), expected="warned", codes=CAUGHT),
)  # fmt: skip
SOUND = (
    *both("any-smallest-team", "Each smallest team is accepted",
          replaced(TRANSLATORS, SEVERAL="len(teams) > 1", TIE="", PAID=""), expected="sound"),
    *both("first-smallest-team", "The prompt says which of several teams it wants",
          replaced(TRANSLATORS, SEVERAL="len(teams) > 1", TIE=FIRST, PAID="[:1]"),
          expected="sound"),
    *both("any-largest-plan", "Each largest plan is accepted", replaced(COURSES, PAID=""),
          expected="sound"),
    *both("spelled-to-the-end", "All code words are compared",
          replaced(SPELLING, ENDS="len(given) == len(right)"), expected="sound"),
    *both("stitches-in-order", "All stitches are compared in their order",
          replaced(STITCHES, COMPARED="given == right"), expected="sound"),
)  # fmt: skip
