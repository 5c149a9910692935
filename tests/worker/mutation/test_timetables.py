"""Timetables in several layouts, and prompts that are no clear timetable."""

from __future__ import annotations

import pytest

from envyard_runner.mutation.timetables import Leg, read_timetable

FIRST = Leg("", "Arden", "Bad Elm", 545, 580)
CODED = Leg("S04", "Arden", "Bad Elm", 545, 580)
TRAIN = Leg("Train 4", "Arden", "Bad Elm", 545, 580)
OTHERS = (("S17", "Bad Elm", "Celle", "10:05", "10:40"), ("S21", "Arden", "Celle", "9:10", "11:00"))
DAY = (("S04", "Arden", "Bad Elm", "9:05", "9:40"), *OTHERS)


def listed(row: str) -> str:
    """The three connections in the layout of a row."""
    names = ("code", "start", "end", "leaves", "arrives")
    return "\n".join(row.format(**dict(zip(names, leg, strict=True))) for leg in DAY)


@pytest.mark.parametrize(
    ("row", "leg"),
    [
        ("{start} {leaves} -> {end} {arrives}", FIRST),
        ("- {start} ({leaves}) \u2192 {end} ({arrives})", FIRST),
        ("{code}: {start} {leaves} - {end} {arrives}", CODED),
        ("* `{code}` {start} {leaves} \u2013 {end} {arrives}", CODED),
        ("{code}: {start} -> {end}, {leaves} - {arrives}", CODED),
        ("{code} from {start} to {end}, departs {leaves}, arrives {arrives}", CODED),
        ("{code} departs {start} at {leaves} and arrives in {end} at {arrives}.", CODED),
        ("1. {leaves} {start} -> {arrives} {end}", FIRST),
        ("{leaves}-{arrives}: {start} to {end}", FIRST),
    ],
)
def test_layouts(row: str, leg: Leg) -> None:
    table = read_timetable(f"Trains:\n{listed(row)}\n\nYou are at Arden from 9:00.")
    assert table is not None
    assert table.legs[0] == leg
    assert (len(table.legs), table.rest) == (3, "Trains:\nYou are at Arden from 9:00.")


def test_trains_may_have_a_number() -> None:
    row = "{code} departs {start} {leaves} arrives {end} {arrives}"
    table = read_timetable(listed(row).replace("S0", "Train ").replace("S", "Train "))
    assert table is not None
    assert table.legs[0] == TRAIN


@pytest.mark.parametrize(
    "table",
    [
        "| Train | From | To | Departs | Arrives |\n|---|---|---|---|---|\n"
        + listed("| {code} | {start} | {end} | {leaves} | {arrives} |"),
        "code,from,departure,to,arrival\n" + listed("{code},{start},{leaves},{end},{arrives}"),
    ],
)
def test_tables(table: str) -> None:
    read = read_timetable(f"Today:\n\n{table}\n\nWhen?")
    assert read is not None
    assert (read.legs[0], read.rest) == (CODED, "Today:\nWhen?")


ROW = "{code}: {start} {leaves} - {end} {arrives}"


@pytest.mark.parametrize(
    "prompt",
    [
        "",
        listed(ROW).rpartition("\n")[0],
        f"{listed(ROW)}\nS30: Arden 23:50 - Celle 0:20",
        f"{listed(ROW)}\nS04: Arden 12:50 - Celle 13:20",
        f"{listed(ROW)}\nS30: Arden 12:50 - Celle 13:20 (Sundays)",
        f"{listed(ROW)}\nArden 12:50 - Celle 13:20",
        f"{listed(ROW)}\nEvening trains:\nS30: Arden 20:50 - Celle 21:20",
        f"{listed(ROW)}\nOn Sundays the 9:05 leaves at 9:15.",
        listed("{code}: {start} {leaves} - {end} {arrives} - Celle 12:00"),
        "| Train | From | To | Departs | Arrives | Days |\n"
        + listed("| {code} | {start} | {end} | {leaves} | {arrives} | daily |"),
        "| Train | From | To | Departs | Stops |\n"
        + listed("| {code} | {start} | {end} | {leaves} | {arrives} |"),
    ],
)
def test_unclear_listings_are_left_alone(prompt: str) -> None:
    assert read_timetable(prompt) is None


@pytest.mark.timeout(10)
@pytest.mark.parametrize(
    "line",
    [
        "A" * 150 + " 9:05 9:40", "A-" * 70 + " 9:05 - 9:40", "A b " * 40 + "9:05 9:40",
        "Aa " * 50 + "9:05 -> " + "Bb " * 5 + "9:40 x", "9:05 " * 38, "| " * 80 + "9:05 9:40",
        "9:05 - 9:40 " + "Aa " * 50, "1. (((S1))) : Aa 9:05 - Bb 9:40 x",
    ],
)  # fmt: skip
def test_lines_that_match_no_layout_are_read_at_once(line: str) -> None:
    assert read_timetable("\n".join([line] * 90)) is None
    assert read_timetable("\n".join([line] * 5_000)) is None
