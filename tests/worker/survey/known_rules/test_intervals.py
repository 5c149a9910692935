"""Intervals: names and semitones, spelled or enharmonic, and German names of notes."""

from __future__ import annotations

import pytest

from envyard_runner.survey.known_rules.intervals import (
    LETTERS,
    USUAL,
    interval_name,
    name_of,
    normal_name,
    normal_semitones,
    semitones_of,
    spans,
)
from envyard_runner.survey.labels import label_rule

NOTES = [letter + sign for letter in LETTERS for sign in ("", "#", "b")]
UP = "Name the interval from {} up to {}."


@pytest.mark.parametrize(
    ("prompt", "right"),
    [
        ("What is the interval from C up to Eb?", "minor third"),
        ("What interval lies between F and B, ascending?", "augmented fourth"),
        ("Name the interval: C4 to A4", "major sixth"),
        ("Name the interval from A down to F#.", "minor third"),
        ("Name the interval from B\u266d up to the nearest A above it.", "major seventh"),
        ("Name the interval from C4 to C5.", "perfect octave"),
        ("Lower note: Bb3. Upper note: F4. Name the interval.", "perfect fifth"),
        ("Name the interval: lower note E, upper note C#.", "major sixth"),
        ("Name the interval between G sharp and D sharp, going up.", "perfect fifth"),
    ],
)
def test_intervals_have_the_name_of_their_letters(prompt: str, right: str) -> None:
    solved = name_of(prompt)
    assert solved is not None
    assert solved.right[0] == right


@pytest.mark.parametrize(
    "prompt",
    [
        "What is the interval from C up to E to G?",
        "Name the interval from C4 to E.",
        "Name the interval from C5 up to E4.",
        "Name the interval from C up to E and down again.",
        "Name the time interval from noon to two.",
        "Name the interval from C## up to Ebb.",
    ],
)
def test_unclear_notes_are_left_alone(prompt: str) -> None:
    assert name_of(prompt) is None


def test_two_notes_without_a_direction_are_either_way_round() -> None:
    assert spans("the interval between C and G") == [(4, 7), (3, 5)]
    assert spans("the interval C - G") == [(4, 7)]


def test_names_are_read_from_answers() -> None:
    assert (
        normal_name("m7")
        == normal_name("Minor 7th")
        == normal_name("min. seventh")
        == "minor seventh"
    )
    assert normal_name("M3") == normal_name("major third") == "major third"
    assert normal_name("Octave") == normal_name("P8") == "perfect octave"
    assert normal_name("third") == normal_name("doubly diminished fifth") == ""
    assert normal_semitones("7 semitones") == normal_semitones("07") == "7"
    assert normal_semitones("7 tones") == ""


def named(prompt: str, notes: list[str] = NOTES) -> list[tuple[int, str, int, int]]:
    """Prompts of all pairs of notes with a simple interval, with its letters and semitones."""
    rows = []
    for one in notes:
        for other in notes:
            text = prompt.format(one, other)
            ((steps, semitones),) = spans(text)
            if one[0] != other[0] and interval_name(steps, semitones):
                rows.append((len(rows), text, steps, semitones))
    return rows


def test_sevenths_that_are_a_semitone_short_are_named() -> None:
    rows = named(UP)
    right = [(task, text, interval_name(*span)) for task, text, *span in rows]
    assert label_rule(right) is None
    wrong = [
        (task, text, interval_name(steps, semitones + (steps == 6)) or "augmented seventh")
        for task, text, steps, semitones in rows
    ]
    rule = label_rule(wrong)
    assert rule is not None
    assert rule.text == "the interval between its notes"
    assert all("seventh" in each.expected for each in rule.outliers)


def test_names_by_semitones_are_not_named_wrong() -> None:
    sharps = [note for note in NOTES if "b" not in note]
    rows = named("Which interval is it from {} up to {}?", sharps)
    assert label_rule([(task, text, USUAL[span[1]]) for task, text, *span in rows]) is None


def test_german_notes_are_left_alone() -> None:
    rows = [
        (task, text.replace("B ", "H "), "minor second" if task % 9 == 4 else interval_name(*span))
        for task, text, *span in named(UP)
    ]
    assert label_rule(rows) is None


def test_wrong_numbers_of_semitones_are_named() -> None:
    rows = named("How many semitones is it from {} up to {}?")
    assert label_rule([(task, text, str(span[1])) for task, text, *span in rows]) is None
    rule = label_rule([(task, text, str(span[1] - (span[0] == 2))) for task, text, *span in rows])
    assert rule is not None
    assert rule.broken == sum(steps == 2 for _, _, steps, _ in rows)


def test_several_notes_have_no_semitones() -> None:
    assert semitones_of("How many semitones is it from C to E to G?") is None
