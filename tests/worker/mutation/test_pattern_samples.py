"""Texts for regular expressions of scoring code."""

from __future__ import annotations

import re
import time

import pytest

from envyard.contract.code_checks.scoring_patterns import ScoringPattern
from envyard_runner.mutation.pattern_samples import samples, surroundings_of_groups

MATCHED = [
    r"^[ *_`]*total[ *_`]*:[ *_`]*((?:\d{1,3}(?:,\d{3})?|\d+))[ *_`]*\.?[ *_`]*$",
    r"(?i)^verdict:\s*(pass|fail)\b",
    r"points:\s*(\d+)\s*/\s*(\d+)",
    r"<step>\s*(north|south)\s*</step>",
    r"\\boxed\{([^{}]*)\}",
    r"sensor (S\d{2}-[A-Z]+)",
    r"(?P<mark>[*_])score(?P=mark)",
    r"answer(?= is)? ([+-]?\d+\.\d{2})",
    r"level (?:\d\d){3}",
    r"mark (?>[a-c]+)-[^x]\d++(?!z)",
]


def text_of(pattern: str, branch: int = 0, number: str = "10") -> str:
    (text,) = samples([ScoringPattern(pattern)], branch=branch, number=number)
    return text


@pytest.mark.parametrize("pattern", MATCHED)
@pytest.mark.parametrize("branch", [0, -1])
def test_the_text_of_a_pattern_matches_it(pattern: str, branch: int) -> None:
    assert re.search(pattern, text_of(pattern, branch))


def test_alternatives_and_numbers_are_chosen() -> None:
    pattern = r"^verdict:\s*(pass|fail), points: (\d+)/(\d)$"
    assert text_of(pattern) == "verdict: pass, points: 10/1"
    assert text_of(pattern, -1, "7") == "verdict: fail, points: 7/7"


def test_verbose_patterns_have_no_white_space_of_their_own() -> None:
    pattern = ScoringPattern("score :   # the label\n  (\\d+)", verbose=True)
    assert list(samples([pattern], branch=0, number="10")) == ["score:10"]


NESTED = "abc" + "(?:" * 30 + "(?:x|y{0})" + "){40}" * 30
UNBUILT = [r"\d+", r"[a-z]+", "(", "a{99999}bcd", "(" * 5_000, "(?<=abc", NESTED]


@pytest.mark.parametrize("pattern", UNBUILT)
def test_patterns_without_words_or_without_a_text_have_none(pattern: str) -> None:
    assert not list(samples([ScoringPattern(pattern)], branch=0, number="10"))


def test_the_answer_stands_in_the_only_group() -> None:
    patterns = [
        ScoringPattern(r"^\W*Total:\W*(\d+)\s*(?:kg)?\W*$"),
        ScoringPattern(r"<relay>(.*?)</relay>"),
        ScoringPattern(r"(\d+)"),
        ScoringPattern(r"(TEST|DIG) (\d+)"),
    ]
    assert list(surroundings_of_groups(patterns)) == [("Total: ", ""), ("<relay>", "</relay>")]


def test_characters_that_cannot_be_sent_are_in_no_text() -> None:
    patterns = [ScoringPattern("abc\ud800(1)"), ScoringPattern("abc\x00(1)")]
    assert not list(samples(patterns, branch=0, number="10"))
    assert not list(surroundings_of_groups(patterns))


def test_large_classes_are_read_in_bounded_time() -> None:
    letters = "".join(chr(0x4E00 + place) for place in range(230))
    patterns = [
        ScoringPattern(f"abc{place}" + "(?:" * 4 + f"[{letters}x]" + "){40}" * 4)
        for place in range(20)
    ]
    began = time.process_time()
    assert not list(samples(patterns, branch=0, number="10"))
    assert time.process_time() - began < 2.0


@pytest.mark.filterwarnings("error")
def test_patterns_of_which_the_parser_warns_are_read() -> None:
    assert text_of("[[x]abc") == "[abc"
