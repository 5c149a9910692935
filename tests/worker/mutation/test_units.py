"""Amounts in another unit, where the prompt allows several."""

from __future__ import annotations

import pytest

from envyard_runner.mutation.operators import mutate

DEGREES = "What is the temperature? Answer in °C, °F or K, as you like, to at least one decimal."
LENGTHS = "How long is it? Give the length in cm or in."


def in_other_unit(answer: str, prompt: str) -> str | None:
    changed = mutate(f"<answer>{answer}</answer>", "other_unit", prompt=prompt)
    return changed[2] if changed else None


@pytest.mark.parametrize(
    ("answer", "prompt", "after"),
    [
        ("21.5 °C", DEGREES, "70.700 °F"),
        ("-40 °F", DEGREES, "-40.00 °C"),
        ("294.65K", DEGREES, "21.50000°C"),
        ("50 C", "Reply in degrees C or degrees F.", "122.00 F"),
        ("2.5 km", "Give the distance in metres or kilometres.", "2500.000 metres"),
        ("90 min", "State the time in min or h; it has no seconds.", "1.500 h"),
        ("12.7 cm", LENGTHS, "5.0000 in"),
        ("20 m/s", "Write the speed in km/h, m/s or mph.", "72.00 km/h"),
        ("3 kg", "You may use kg, lb or oz, if you like.", "6.61 lb"),
        ("7 m", "Answer in m or km.", "0.00700 km"),
        ("12345 m", "Answer in m or km.", "12.34500 km"),
        ("0.25 mL", "End with `Volume: <number> <unit>`, in mL or \u00b5L.", "250.0000 \u00b5L"),
        ("0.25 mL", "Answer in mL or uL, with at least three significant digits.", "250.0000 uL"),
        ("7 mM", "Give it in \u03bcM or mM.", "7000.00 \u03bcM"),
        ("3.20 km", "Give km or miles, rounded to 2 decimals.", "1.9884 miles"),
    ],
)
def test_an_amount_is_given_in_another_unit_that_the_prompt_allows(
    answer: str, prompt: str, after: str
) -> None:
    assert in_other_unit(answer, prompt) == after


@pytest.mark.parametrize(
    ("answer", "prompt"),
    [
        ("21.5", DEGREES),
        ("21.5 bar", DEGREES),
        ("5 kg", DEGREES),
        ("21.5 °C", "What is the temperature? Answer in °C."),
        ("21.5 °C", "Answer in °C, not in °F or K."),
        ("21.5 °C", "It was 70 in °F or K. How warm is it? Answer in °C."),
        ("21.5 °C", "The display shows °F or K; answer in °C."),
        ("500 g", "Prices are given per kg or lb; give the mass in g."),
        ("500 g", "The label that you read may use kg or lb, so give the mass in plain grams."),
        ("50 cm", "Give the length in cm or in metres if it has a hundred of them."),
        ("50 cm", "Give it in cm or in whatever you like."),
        ("3 km", "Convert the distance, and answer in km or miles."),
        ("3 km", "Answer in km or miles, whichever the question uses."),
        ("3 km", "Answer in km or miles, as in the question."),
        ("3 km", "Answer in the appropriate unit, km or miles."),
        ("3 km", "Answer in km or miles, matching the question."),
        ("3 km", "Answer in km or miles, the unit requested above."),
        ("500 g", "Give the mass in g or kg: kg for more than 1000 g."),
        ("90 s", "Answer in s or min: s below one minute, min above."),
        ("500 g", "Answer in kg or g (kg from 1 kg on)."),
        ("3 km", "Answer in whole km or miles."),
        ("3 km", "Answer in km or miles, to the nearest integer."),
        ("1.2 km", "Give the distance in km or m, rounded to one decimal."),
        ("0.25 mL", "Answer in mL or \u00b5L, with two significant digits."),
        ("C", "Which is right? Reply with C, F or K."),
    ],
)
def test_numbers_alone_and_units_that_may_not_be_chosen_stay(answer: str, prompt: str) -> None:
    assert in_other_unit(answer, prompt) is None


def test_the_sign_of_micro_is_exchanged_with_the_letter() -> None:
    def exchanged(answer: str, prompt: str) -> str | None:
        changed = mutate(f"<answer>{answer}</answer>", "micro_sign", prompt=prompt)
        return changed[2] if changed else None

    volume = "Answer in mL or \u00b5L."
    assert exchanged("40 \u00b5L", volume) == "40 \u03bcL"
    assert exchanged("40 \u03bcg", "How heavy is it?") == "40 \u00b5g"
    assert exchanged("0.04 mL", volume) == "40.0000 \u03bcL"
    assert exchanged("0.04 mL", "Answer in mL or l.") is None
    assert exchanged("\u03bc = 0.3", volume) is None
    assert exchanged("40 \u00b5L", "Copy this amount verbatim: 40 \u00b5L") is None
