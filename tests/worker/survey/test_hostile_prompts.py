"""Prompts that make patterns try every place are read in linear time: twice as long, twice as slow.

Each would take minutes for 2,000 tasks if it were quadratic; the test's own limit is what fails.
"""

from __future__ import annotations

from dataclasses import replace

import pytest

from envyard.contract.survey import Survey
from envyard_runner.survey.absent_names import absent_names
from envyard_runner.survey.band_labels import banded
from envyard_runner.survey.carriers import carriers
from envyard_runner.survey.cut_prompts import cut_prompts
from envyard_runner.survey.cut_tables import cut_tables
from envyard_runner.survey.day_counts import day_counts
from envyard_runner.survey.examples import Examples
from envyard_runner.survey.excepted_days import excepted_days
from envyard_runner.survey.few_problems import few_problems
from envyard_runner.survey.identifier_ranks import identifier_rank
from envyard_runner.survey.known_rules.fitting import contradicted
from envyard_runner.survey.labels import label_rule
from envyard_runner.survey.listing import Listed
from envyard_runner.survey.medians import medians
from envyard_runner.survey.naming_numbers import without_numbers
from envyard_runner.survey.places import answer_place
from envyard_runner.survey.same_questions import disagreeing
from envyard_runner.survey.templates import Sample, numbers_in
from envyard_runner.survey.thresholds import thresholds
from envyard_runner.survey.undefined_symbols import undefined_symbols

LONG = 1_990  # characters, of at most 2,000
PROMPTS = {
    "spaces": "A) x" + " " * LONG + "y",
    "letters": "x" * LONG,
    "digits": "median " + "1" * LONG,
    "options": "A) 1\n" * (LONG // 5),
    "codes": "a1 " * (LONG // 3),
    "rows": "a 1 2\n" * (LONG // 6),
    "arrows": "a ->\n" * (LONG // 5),
    "commas": "median " + "1, " * (LONG // 3),
    "pairs": "same rule\n" + "abc -> 10 x\n" * (LONG // 12),
    "outputs": "find the rule: " + "out: - (10) " * (LONG // 12),
    "inline lists": "list: " + "a, b: c, " * (LONG // 10),
    "times": "is 5:05 or 5:06 " * (LONG // 17) + "?",
    "days": "days from 2024-01-01 " * (LONG // 22),
    "how many": "how many " * (LONG // 9),
    "bounds": "how many at least 3 " * (LONG // 20),
    "signs": "@ = 1, # = 2, $ = 3\n" + "@ # $ % " * (LONG // 9),
    "definitions": "@ = 1, " * (LONG // 7),
    "hyphens": "1-" * (LONG // 2),
    "blood groups": "red cells, donor A+ " * (LONG // 20),
    "cards": "poker hand: " + "Ah Kd " * (LONG // 7),
    "notes": "interval from C up to " * (LONG // 22),
    "bands": "resistance of bands: " + "red, " * (LONG // 6),
    "bases": "translate codons " + "ACG " * (LONG // 5),
    "signals": "decode morse " + ". - " * (LONG // 5),
    "sentences": "Some a are b. " * (LONG // 15) + "Therefore no a are b. Valid?",
    "schemas": "schema: " + '{"items": [' * (LONG // 12),
    "boards": "bridge: 4 spades doubled, vulnerable, " + "10 tricks over " * (LONG // 15),
    "holidays": "how many working days, holidays: " + "1 January 2024, " * (LONG // 18),
    "timetables": "as early as possible\n" + "Aa 9:05 - Bb 9:40\n" * (LONG // 19),
    "limits": "from 1 kg: 2\nfrom 2 kg: 3\nfrom 4 kg: 5\n" + "from 1" * (LONG // 8),
    "families": "x, an autosomal recessive disorder. " + "Her brother has x and " * (LONG // 24),
    "names": "Ada " * (LONG // 5) + "is autosomal recessive",
    "scores": "sort ascending\n" + "a b c - 1\n" * (LONG // 11),
}


@pytest.mark.slow
@pytest.mark.timeout(60)
@pytest.mark.parametrize("name", PROMPTS)
def test_long_prompts_are_read_at_once(name: str) -> None:
    prompts = [f"{PROMPTS[name]}{n}" for n in range(2_000)]
    answer_place([(prompt, "ABC"[n % 3]) for n, prompt in enumerate(prompts)])
    identifier_rank([(prompt.casefold(), f"{n % 50 + 10}") for n, prompt in enumerate(prompts)])
    cut_prompts(prompts)
    cut_tables(prompts)
    undefined_symbols(prompts)
    examples = Examples()
    for n, prompt in enumerate(prompts[:40]):
        examples.add(n, [("user", prompt)], f"answer {n}")
    assert examples.leaks == {}
    samples = [Sample(n, prompt, "1") for n, prompt in enumerate(prompts)]
    medians(samples)
    day_counts(samples)
    thresholds(samples)
    carriers(samples)
    banded(samples)
    excepted_days(samples)
    assert not [*contradicted(samples)]
    tasks = [Listed(n, prompt, f"{n}", "", "") for n, prompt in enumerate(prompts)]
    assert absent_names(tasks) == disagreeing(tasks) == []
    without_numbers(tasks, [], Survey())
    few_problems([replace(task, answer=f"{n % 7}") for n, task in enumerate(tasks)])


@pytest.mark.slow
@pytest.mark.timeout(60)
def test_large_numbers_are_divided_at_once() -> None:
    tasks = [(n, f"Is {99_999_989 - 2 * n} prime or composite?", "prime") for n in range(1_000)]
    tasks += [(n, f"Is {'9' * 300}{n} prime or composite?", "prime") for n in range(1_000)]
    assert label_rule(tasks) is None
    brackets = [(n, f"Is it balanced? {'(' * LONG}{n}", "no") for n in range(1_000)]
    assert label_rule(brackets) is None


@pytest.mark.timeout(5)
@pytest.mark.parametrize("text", ["1-" * 20_000, "1 " * 20_000, "-1 " * 13_000])
def test_the_numbers_of_a_long_text_are_read_at_once(text: str) -> None:
    assert len(numbers_in(text)) >= 13_000
