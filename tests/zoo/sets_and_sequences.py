"""Choices of named sets of which one of several is accepted; sound neighbours."""

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
FORMS = ("card.equivalents_kept",)
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
)  # fmt: skip
SOUND = (
    *both("any-smallest-team", "Each smallest team is accepted",
          replaced(TRANSLATORS, SEVERAL="len(teams) > 1", TIE="", PAID=""), expected="sound"),
    *both("first-smallest-team", "The prompt says which of several teams it wants",
          replaced(TRANSLATORS, SEVERAL="len(teams) > 1", TIE=FIRST, PAID="[:1]"),
          expected="sound"),
    *both("any-largest-plan", "Each largest plan is accepted", replaced(COURSES, PAID=""),
          expected="sound"),
)  # fmt: skip
