"""Ways of several steps: verifiers that look at their ends alone, know one of several or overlook a
short change, and ones that follow them."""

from __future__ import annotations

from tests.zoo.build import both

# A line of islands with ferries between neighbours; longer ferries skip none.
FERRIES = """
NAMES = "Alva Brim Cora Dorn Elva Finn Gard Hale Ivar Jorn Kolm Lund".split()


def rows(seed):
    rng, tasks = random.Random(seed), []
    for _ in range(40):
        line = rng.sample(NAMES, 9)
        ferries = [f"{a} - {b}" for a, b in zip(line, line[1:])]
        rng.shuffle(ferries)
        start = rng.randint(0, 3)
        way = line[start : start + rng.randint(4, 5)]
        prompt = (
            f"Ferries: {'; '.join(ferries)}. Give the route from {way[0]} to {way[-1]}, as island "
            "names with commas."
        )
        tasks.append({"prompt": prompt, "answer": ", ".join(way), "ferries": ferries})
    return tasks


def islands(text):
    return [each.strip() for each in text.split(",")]


def is_ferry(row, a, b):
    return f"{a} - {b}" in row["ferries"] or f"{b} - {a}" in row["ferries"]
"""
ENDS = """
def score(reply, row):
    way, right = islands(reply), islands(row["answer"])
    known = all(each in row["prompt"] and each for each in way)
    return float(known and way[0] == right[0] and way[-1] == right[-1])
"""
FOLLOWED = """
def score(reply, row):
    way, right = islands(reply), islands(row["answer"])
    legal = all(is_ferry(row, a, b) for a, b in zip(way, way[1:]))
    return float(legal and len(way) > 1 and way[0] == right[0] and way[-1] == right[-1])
"""
# Buses between villages, with two itineraries of the earliest arrival and one with a change that is
# too short. At least twelve minutes are needed for a change.
BUSES = """
PLACES = "Amble Birdham Cosford Denby Eyam Farndon".split()


def shown(minutes):
    return f"{minutes // 60:02}:{minutes % 60:02}"


def rows(seed):
    rng, tasks = random.Random(seed), []
    while len(tasks) < 40:
        start, by, other, goal, *rest = rng.sample(PLACES, 6)
        ready, ride = rng.randrange(480, 600, 15), rng.randint(25, 40)
        first, late = ready + rng.randint(3, 9), rng.randint(14, 30)
        lands = first + ride + late + 35
        buses = [(start, by, first, first + ride), (by, goal, first + ride + late, lands),
                 (start, other, first + 6, first + ride - 3),
                 (other, goal, first + ride + 12, lands),
                 (by, goal, first + ride + rng.randint(2, 11), lands - rng.randint(0, 4)),
                 (start, goal, first + 40, lands + rng.randint(5, 30))]
        for _ in range(14):
            a, b = rng.sample([start, by, other, *rest], 2)
            leaves = rng.randrange(lands - 60, lands + 200)
            buses.append((a, b, leaves, leaves + rng.randint(70, 95)))
        codes = [f"B{n}" for n in rng.sample(range(10, 99), len(buses))]
        lines = [f"{code}: {a} {shown(x)} -> {b} {shown(y)}"
                 for code, (a, b, x, y) in zip(codes, buses)]
        prompt = "\\n".join(sorted(lines)) + (
            f"\\n\\nYou are at {start} from {shown(ready)} on. A change takes at least 12 minutes; "
            f"before the first bus no time is needed. Which buses bring you to {goal} as early as "
            "possible? Reply with their codes alone, in the order of the ride and with a space "
            "between them."
        )
        tasks.append({"prompt": prompt, "answer": " ".join(codes[:2]), "start": start, "goal": goal,
                      "ready": ready, "lands": lands, "buses": dict(zip(codes, buses))})
    return tasks


def score(reply, row):
    legs = [row["buses"].get(code) for code in reply.split()]
    if not legs or None in legs or (legs[0][0], legs[-1][1]) != (row["start"], row["goal"]):
        return 0.0
    joined = all(a[1] == b[0] and b[2] - a[3] >= WAIT for a, b in zip(legs, legs[1:]))
    known = MATCHES and legs[0][2] >= row["ready"] and legs[-1][3] <= row["lands"]
    return float(joined and known)
"""

FLAWED = (
    *both("unfollowed-route", "A route is judged by its first and last stop", FERRIES, ENDS,
          expected="warned", codes=("card.mutants_caught",)),
    *both("one-itinerary-of-several", "One of two itineraries with the same arrival is accepted",
          BUSES.replace("WAIT", "12").replace("MATCHES", "reply.split() == row['answer'].split()"),
          expected="warned", codes=("card.equivalents_kept",)),
    *both("short-changes", "The time that a change takes is not compared",
          BUSES.replace("WAIT", "0").replace("MATCHES", "True"),
          expected="warned", codes=("card.mutants_caught",)),
)  # fmt: skip
SOUND = (
    *both("any-earliest-itinerary", "Every itinerary with the earliest arrival is accepted",
          BUSES.replace("WAIT", "12").replace("MATCHES", "True"), expected="sound"),
    *both("followed-route", "Each step of a route must be a ferry", FERRIES, FOLLOWED,
          expected="sound"),
)  # fmt: skip
