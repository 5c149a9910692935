"""Wrong answers consist of the characters of the right ones."""

from __future__ import annotations

import re

import pytest

from envyard_runner.mutation.alphabets import ROMAN, Alphabet
from envyard_runner.mutation.answers import find_answer
from envyard_runner.mutation.operators import CHANGES, mutate
from envyard_runner.mutation.wrong_answers import among_wrong_answers, other_answer

SETS = {
    "binary": (["1011", "110", "10011", "111"], "1[01]*"),
    "binary with zeros": (["0011", "110", "0101", "1"], "[01]+"),
    "binary with its base": (["0b1011", "0b110", "0b111"], "0b1[01]+"),
    "octal": (["1734", "62501", "70241", "55310", "1000276"], "[1-7][0-7]*"),
    "hexadecimal": (["#00ff7f", "#c0ffee", "#12ab90"], "#[0-9a-f]{6}"),
    "hexadecimal in capitals": (["FF", "A0", "3C", "BD"], "[0-9A-F]{2}"),
    "bases": (["GATTACA", "CCGT", "TTAGC"], "[ACGT]+"),
    "moves": (["LLRUD", "UURD", "DLR"], "[LRUD]+"),
    "directions": (["N W N", "N E S"], "[NESW]( [NESW])*"),
    "sides of a coin": (["H", "T", "H H T", "T H T T", "H T H"], "[HT]( [HT])*"),
    "numerals": (["XIV", "MCMXC", "VII"], ROMAN.pattern),
    "small numerals": (["xiv", "mcmxc", "vii"], "[ivxlcdm]+"),
    "morse": ([".- -...", "-.-.", "..-"], "[-.]+( [-.]+)*"),
    "brackets": (["([])", "[()]()", "()"], "[][()]+"),
    "colours of a map": (["RGBRG", "GGRB", "BRGBR"], "[RGB]+"),
    "a script of its own": (["\u043c\u0438\u0440", "\u043a\u043e\u0442"], "[\u0430-\u044f]+"),
}


@pytest.mark.parametrize(("answers", "pattern"), SETS.values(), ids=SETS)
def test_wrong_answers_of_a_set_keep_to_its_alphabet(answers: list[str], pattern: str) -> None:
    alphabet = Alphabet.of(answers)
    for answer in answers:
        marked = f"<answer>{answer}</answer>"
        other = other_answer(marked, alphabet)
        assert re.fullmatch(f"<answer>({pattern})</answer>", other), other
        assert other != marked
        lines = among_wrong_answers(answer, "", alphabet).splitlines()
        assert len(lines) == 5
        assert lines[2] == answer
        assert answer not in lines[:2] + lines[3:]
        assert all(re.fullmatch(pattern, line) for line in lines), lines


@pytest.mark.parametrize(("answers", "pattern"), SETS.values(), ids=SETS)
@pytest.mark.parametrize("operator", ["digit", "last_digit", "word", "extension", "sign", "near"])
def test_mutants_of_a_set_keep_to_its_alphabet(
    answers: list[str], pattern: str, operator: str
) -> None:
    """A sound verifier that searches for `[01]+` paid -1011 and 71011 as 1011."""
    alphabet = Alphabet.of(answers)
    known = set("".join([*answers, *alphabet.narrow.values()]))
    known |= set("0123456789" if alphabet.is_of_codes and "digit" not in alphabet.narrow else "")
    for answer in answers:
        if alphabet.covers(answer) and (changed := mutate(answer, operator, alphabet)):
            assert operator in ("sign", "near") or set(changed[2]) <= known
            assert not alphabet.is_of_codes or operator not in ("sign", "near")
            assert changed[2] != answer


def test_a_renaming_of_characters_is_no_wrong_answer() -> None:
    """Where colours or sides of a cut are exchanged, the answer is as right as before."""
    for answers in (["RGBRG", "GGRBR", "BRGBR"], ["010110", "001101", "101001"]):
        alphabet = Alphabet.of(answers)
        for answer in answers:
            for step in (1, 2, 3, 4):
                other = alphabet.other(answer, step)
                pairs = set(zip(answer, other, strict=True))
                assert len(pairs) > len(set(answer))


@pytest.mark.parametrize(
    "answers",
    [
        ["42", "7", "130"],
        ["Paris", "Ann Arbor", "Rome"],
        ["12 km", "7 kg"],
        ["A", "C", "B", "A", "D"],
        ["the cat sat", "a dog barked loudly"],
        [],
        ["", " "],
    ],
)
def test_numbers_words_and_options_are_changed_as_before(answers: list[str]) -> None:
    alphabet = Alphabet.of(answers)
    for answer in answers:
        assert other_answer(answer, alphabet) == other_answer(answer)
        assert among_wrong_answers(answer, "x", alphabet) == among_wrong_answers(answer, "x")
        for operator in CHANGES:
            assert mutate(answer, operator, alphabet) == mutate(answer, operator)


def test_amounts_of_few_digits_keep_their_operators() -> None:
    dice = Alphabet.of(["12", "36", "45", "16", "23", "54", "31", "66", "42", "15", "61", "13"])
    assert dice.covers("36")
    assert mutate("36", "sign", dice) == ("-36", "36", "-36")
    assert mutate("36", "near", dice) == ("38", "36", "38")


def test_the_letter_of_a_unit_is_no_code() -> None:
    degrees = Alphabet.of(["+19.4 °C", "-3.0 °C", "-2.0 °C", "+6.4 °C", "+15.5 °C"])
    assert not degrees.is_of_codes
    changed = mutate("Change: +6.4 °C", "sign", degrees)
    assert changed is not None
    assert changed[2] == "-6.4 °C"


def test_nothing_is_added_behind_the_fence_of_a_grid() -> None:
    rows = ("##..#", "#.#.#", "..###", "#...#")
    grids = [f"```\n{row}\n{row[::-1]}\n```" for row in rows]
    alphabet = Alphabet.of(find_answer(each).answer for each in grids)
    assert mutate(grids[0], "extension", alphabet) is None
    assert mutate("##..#.##..", "extension", alphabet) is not None
