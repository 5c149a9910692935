"""When a known rule is sure of its subject, and that hostile prompts are read in linear time."""

from __future__ import annotations

import random
import string

import pytest

from envyard_runner.survey.known_rules.entry import KnownRule
from envyard_runner.survey.known_rules.fitting import contradicted
from envyard_runner.survey.known_rules.registry import KNOWN_RULES
from envyard_runner.survey.templates import Sample
from tests.worker.survey.test_hostile_prompts import LONG, PROMPTS

ORDER = "Red cells of donor {donor} are to go to recipient {patient} in ward {ward}. Compatible?"
PIECES = [
    *string.punctuation, *"AJQKTabcdefgh ?\n♠♭·–+", "donor A+ ", "recipient O- ", "poker ", "10h ",
    "interval from C to G", "codon ", "ACGU" * 5, "bands: red, ", "ISBN 9780", "Luhn ", "XIV ",
    "morse ", "... --- ", "atomic number 7", "quartz ", "knight b1 ", "empty ", "All a are b. ",
    "Therefore ", "Schema: {", '{"type": ["', "sort ascending\n", "a: 10\n", "1e999", "\0", "İ",
    "Arden 9:05 -> Bruck 9:40\n", "as early as possible ", "at least 5 minutes ",
    "4 spades, ", "doubled ", "vulnerable ", "10 tricks ",
]  # fmt: skip


def orders(n: int, wrong: int) -> list[Sample]:
    groups = ("O+", "A+", "B+", "AB+")
    samples = []
    for task in range(n):
        donor, patient = groups[task % 4], groups[task // 4 % 4]
        right = donor in ("O+", patient) or patient == "AB+"
        label = "yes" if right != (task < wrong) else "no"
        samples.append(Sample(task, ORDER.format(donor=donor, patient=patient, ward=task), label))
    return samples


@pytest.mark.parametrize(("n", "wrong", "named"), [(40, 3, 3), (40, 8, 8), (40, 2, 0), (12, 3, 0)])
def test_a_rule_needs_enough_that_agree_and_enough_that_contradict(
    n: int, wrong: int, named: int
) -> None:
    assert sum(len(outliers) for _, _, outliers in contradicted(orders(n, wrong))) == named


def test_a_rule_that_half_of_the_answers_contradict_is_another_rule() -> None:
    assert not [*contradicted(orders(40, 20))]
    assert not [*contradicted(orders(40, 17))]


def test_labels_that_agree_by_chance_confirm_nothing() -> None:
    constant = [Sample(each.task, each.prompt, "yes") for each in orders(64, 0)]
    mostly = [
        Sample(each.task, each.prompt, "no") for each in orders(64, 0) if "AB+" in each.prompt
    ]
    assert not [*contradicted(constant)]
    assert not [*contradicted(mostly)]


def test_copies_of_one_task_are_one_task() -> None:
    copies = [
        Sample(each.task, each.prompt.split(" in ")[0], each.answer) for each in orders(64, 0)
    ]
    wrong = [Sample(each.task, copies[0].prompt, "no") for each in copies[:5]]
    assert not [*contradicted(copies + wrong)]


def test_answers_of_another_form_are_no_contradiction() -> None:
    samples = [
        Sample(each.task, each.prompt, "ask the doctor" if each.task < 8 else each.answer)
        for each in orders(64, 0)
    ]
    assert not [*contradicted(samples)]


def test_a_word_that_only_contradictions_have_explains_them() -> None:
    samples = orders(64, 8)
    twisted = [
        Sample(each.task, f"{each.prompt} Today A+ counts as B+." * (each.task < 8) or each.prompt,
               each.answer)
        for each in samples
    ]  # fmt: skip
    assert [*contradicted(samples)]
    assert not [*contradicted(twisted)]


def test_labels_are_shown_as_other_tasks_write_them() -> None:
    words = {"yes": "Compatible", "no": "Incompatible"}
    samples = [Sample(each.task, each.prompt, words[each.answer]) for each in orders(64, 8)]
    ((_, _, outliers),) = contradicted(samples)
    assert {expected for _, expected in outliers} == {*words.values()}


def test_instructions_may_name_the_subject_or_a_part_of_each_question() -> None:
    subject = "You check red cell transfusions. Is the donor compatible with the recipient?"
    bare = [
        Sample(each.task, each.prompt.replace("Red cells of d", "D").split(" in ")[0], each.answer)
        for each in orders(64, 8)
    ]
    wards = [Sample(each.task, f"{each.prompt}, bed {each.task}", each.answer) for each in bare]
    assert not [*contradicted(wards)]
    ((_, agreeing, outliers),) = contradicted(wards, subject)
    assert (len(agreeing), len(outliers)) == (56, 8)
    assert not agreeing[0].prompt.startswith("You")
    assert not [*contradicted(wards, subject + " Answer for plasma.")]
    assert not [*contradicted(wards, subject + " In this world new rules apply.")]


@pytest.mark.parametrize("rule", KNOWN_RULES, ids=lambda rule: rule.text)
@pytest.mark.timeout(30)
def test_random_pieces_are_read_without_an_error(rule: KnownRule) -> None:
    dice = random.Random(5)
    for _ in range(400):
        text = "".join(dice.choices(PIECES, k=dice.randint(1, 60)))
        rule.solve(text)
        assert isinstance(rule.normal(text), str)
        rule.unless(text)


@pytest.mark.slow
@pytest.mark.timeout(10)
@pytest.mark.parametrize("piece", [*PIECES, *PROMPTS.values()], ids=lambda piece: piece[:12])
def test_texts_ten_times_as_long_as_a_prompt_are_solved_at_once(piece: str) -> None:
    text = (piece * (10 * LONG // len(piece) + 1))[: 10 * LONG]
    for rule in KNOWN_RULES:
        rule.clue.search(text)
        rule.solve(text)
        rule.normal(text)
        rule.unless(text)
        rule.foreign(text)
