"""Itineraries with the same arrival, and with a change that is too short."""

from __future__ import annotations

import pytest

from envyard_runner.mutation.journeys import read_journey
from envyard_runner.mutation.operators import mutate

SAILINGS = """S04: Arno 08:15 - Brekka 09:02
S11: Arno 08:20 - Calva 09:00
S17: Brekka 09:20 - Dunmor 10:05
S23: Calva 09:15 - Dunmor 10:05
S30: Brekka 09:08 - Dunmor 10:00
S42: Arno 07:50 - Brekka 08:40"""
ASK = (
    "A passenger is on Arno and ready to board from 08:00 on. Changing ferries takes at least\n10 "
    "minutes (no such time is needed before the first sailing). Which sailings does the passenger "
    "take to be on Dunmor as early as possible? Reply with the codes in a <route></route> tag, "
    "e.g. <route>S04 S17</route>."
)
PROMPT = f"Today's sailings:\n\n{SAILINGS}\n\n{ASK}"


def changed(operator: str, prompt: str, answer: str = "S04 S17") -> str | None:
    mutant = mutate(f"<route>{answer}</route>", operator, prompt=prompt)
    return mutant[2] if mutant else None


def test_another_itinerary_arrives_at_the_same_time() -> None:
    assert changed("other_itinerary", PROMPT) == "S11 S23"
    assert changed("other_itinerary", PROMPT, "S11, S23") == "S04, S17"
    assert changed("other_itinerary", PROMPT, '["S11", "S23"]') == '["S04", "S17"]'
    trains = PROMPT.replace("<route>S04 S17</route>", "1 2").replace("S", "Train ")
    assert changed("other_itinerary", trains, "04 17") == "11 23"
    tied = f"{PROMPT} If several arrive equally early, any of them is right."
    assert changed("other_itinerary", tied) == "S11 S23"


def test_a_change_below_the_minimum_is_wrong() -> None:
    assert changed("short_change", PROMPT) == "S04 S30"
    assert changed("short_change", PROMPT.replace("10 \nminutes", "5 minutes")) == "S04 S30"
    assert changed("short_change", PROMPT.replace("least\n10 ", "least\n6 "), "S04 S30") is None


@pytest.mark.parametrize(
    "more",
    [
        "Of several, take the one with the fewest changes.", "If several arrive then, name both.",
        "Prefer the latest departure.", "Ties are broken by the code.", "S11 is full.",
        "Boats cost 5 each.", "Calva is closed.", "Do not take S11.", "The 08:20 is cancelled.",
        "The shortest trip counts.", "Ready means 30 minutes before.", "Stay at most an hour.",
        "On Sundays nothing sails.", "Sort the codes in alphabetical order.",
    ],
)  # fmt: skip
def test_where_a_prompt_wants_more_no_other_itinerary_is_right(more: str) -> None:
    assert changed("other_itinerary", f"{PROMPT}\n{more}") is None


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("as early as possible", "safely"),
        ("to be on Dunmor", "to be there"),
        ("is on Arno", "is on Arno or Calva"),
        ("from 08:00 on", "from the morning on"),
        ("from 08:00 on", "from 07:45 on"),  # another itinerary may then be better
        ("10 \nminutes", "10 to 15 minutes"),
        ("at least\n10 ", "at least\n20 "),  # the answer is no itinerary then
        ("S11: Arno 08:20", "S11: Arno 08:25"),
        ("S11: ", "S04: "),
    ],
)
def test_unclear_journeys_are_left_alone(old: str, new: str) -> None:
    prompt = PROMPT.replace("takes at least\n10 minutes", "takes at least\n10 \nminutes")
    answer = "S42 S30" if "07:45" in new else "S04 S17"
    if new.endswith("08:25"):
        prompt = prompt.replace("Calva 09:15 - Dunmor 10:05", "Calva 09:15 - Dunmor 10:06")
    assert changed("other_itinerary", prompt.replace(old, new), answer) is None


def test_what_a_prompt_leaves_open_is_used_by_no_other_itinerary() -> None:
    # A change of exactly the minimum, and a departure at the very minute, before the first leg.
    exact = PROMPT.replace("Calva 09:15", "Calva 09:10")
    assert changed("other_itinerary", exact) == "S11 S23"
    assert changed("other_itinerary", exact.replace("at least\n10", "about\n10")) is None
    ready = PROMPT.replace("ready to board from 08:00 on", "ready at 08:20")
    later = ready.replace("S04: Arno 08:15", "S04: Arno 08:21")
    assert changed("other_itinerary", later) is None
    assert changed("other_itinerary", later.replace("at 08:20", "from 08:20 on")) == "S11 S23"


def test_answers_that_are_no_itinerary_are_left_alone() -> None:
    for answer in ("S04", "S17 S04", "S04 S99", "S42 S17", "10:05", "", "S04 S17 S23", "[1, [2]]"):
        assert changed("other_itinerary", PROMPT, answer) is None
        assert changed("short_change", PROMPT, answer) is None


@pytest.mark.timeout(20)
def test_dense_and_long_timetables_are_searched_at_once() -> None:
    towns = [f"Town{letter}" for letter in "abcdefghij"]
    rows = [
        f"S{n}: {towns[n % 9]} {6 + n // 40:02}:{n % 40:02} - {towns[(n + n // 9) % 9 or 9]} "
        f"{7 + n // 40:02}:{n % 40:02}"
        for n in range(399)
        if towns[n % 9] != towns[(n + n // 9) % 9 or 9]
    ]
    ask = ASK.replace("Arno", towns[0]).replace("Dunmor", towns[9]).replace("08:00", "06:00")
    prompt = "\n".join([*rows, "S999: Townb 21:00 - Townj 23:00"]) + f"\n\n{ask}"
    assert read_journey(prompt) is not None
    for answer in ("S1 S999", "S0"):
        changed("other_itinerary", prompt, answer)
        changed("short_change", prompt, answer)
    assert read_journey(f"{prompt}\n" * 20) is None
    assert read_journey("as early as possible " * 5_000 + prompt) is None
    assert read_journey("\n".join(["as early as possible", *rows * 30])) is None
