"""Morse code and the spelling alphabet, both ways."""

from __future__ import annotations

import pytest

from envyard_runner.survey.known_rules.morse import (
    MORSE,
    code_words,
    decoded,
    encoded,
    letters,
    signals,
    spelled,
    unspelled,
)
from envyard_runner.survey.labels import label_rule
from tests.worker.survey.known_rules.tasks import named, rows, spoiled

WORDS = [
    a + b + c for a in ("ra", "go", "mi", "qu", "xe") for b in ("ba", "fy", "zo") for c in "nt"
]


def code(word: str) -> str:
    return " ".join(MORSE[letter] for letter in word.upper())


@pytest.mark.parametrize(
    ("prompt", "right"),
    [
        ("Decode this Morse code: ... --- ...", "sos"),
        ("Decode `... --- ... / - .... .`", "sosthe"),
        ("Decode - with care - the code \u00b7\u00b7 \u2013\u2013 of Morse.", "im"),
        ("Decode:\n1: ... --- ...\n2: .- -...", "sosab"),
    ],
)
def test_signals_are_decoded(prompt: str, right: str) -> None:
    solved = decoded(prompt)
    assert solved is not None
    assert solved.right == (right,)


def test_texts_are_encoded_and_spelled() -> None:
    solved = encoded('Encode "SOS the" in Morse code.')
    assert solved is not None
    assert solved.right == ("... --- ... - .... .",)
    assert solved.form == "... --- ... / - .... ."
    solved = encoded("Write SOS in Morse code.")
    assert solved is not None
    assert solved.right == ("... --- ...",)
    solved = spelled("Spell the word 'Jax' with the NATO phonetic alphabet.")
    assert solved is not None
    assert solved.right == ("juliett alfa xray",)
    solved = unspelled("Which word is it? Juliet Alpha X-ray, in the NATO alphabet. Decode.")
    assert solved is not None
    assert solved.right == ("jax",)


@pytest.mark.parametrize(
    "prompt",
    [
        "Decode the Morse code ...---...",
        "Decode the Morse code ... ----.- ...",
        "Decode the Morse word - please.",
        'Encode "SOS" and "THE" in Morse code.',
    ],
)
def test_unclear_signals_are_left_alone(prompt: str) -> None:
    assert decoded(prompt) is None
    assert encoded(prompt) is None


def test_answers_are_read() -> None:
    assert signals("\u00b7\u00b7\u00b7 / \u2013") == signals("...   -") == "... -"
    assert signals("SOS") == code_words("Alpha and Omega") == ""
    assert letters("S.O.S") == letters("sos") == "sos"
    assert code_words("Alpha, X-Ray") == "alfa xray"


def test_wrong_texts_are_named() -> None:
    right = rows((f"Decode this Morse code: {code(word)}", word.upper()) for word in WORDS)
    assert label_rule(right) is None
    assert named(spoiled(right, lambda a: a[1:] + "Q")).text == "the text of its Morse code"
    assert label_rule(spoiled(right, lambda a: a[1:] + "Q"), "American Morse is used.") is None
    right = rows((f"Write the word in Morse code: {word}", code(word)) for word in WORDS)
    assert label_rule(right) is None
    assert named(spoiled(right, lambda a: a[::-1] + " .")).text == "the Morse code of its text"
