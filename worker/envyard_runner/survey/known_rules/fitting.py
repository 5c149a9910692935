"""The tasks whose answers contradict a known rule that the other answers of their subject follow.

The subject is sure only where most answers confirm it, and more of them than labels that are
independent of the rule would by chance.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from envyard_runner.survey.known_rules.entry import KnownRule, Solved, has
from envyard_runner.survey.known_rules.registry import KNOWN_RULES
from envyard_runner.survey.templates import Sample

MAX_TASKS = 1_000
LONGEST = 2_000  # characters of a prompt, and of an answer
AGREEING, BEYOND_CHANCE = 0.6, 0.3  # share of the recognised tasks; and of what chance leaves
ENOUGH, LABELS, FEWEST = 10, 2, 3  # different prompts that agree, answers of these, contradictions
# What announces rules that differ from those of the subject.
INVENTED = has(
    r"\b(?:fictional|fictitious|imaginary|invented|made-up|pretend|alien|house rules?|variant"
    r"|non-?standard|unusual|alternat(?:e|ive) (?:rules?|world|universe|history)|instead of the"
    r"|in this (?:world|game|universe|land|country)|new rules?|reversed? (?:rules?|order of))\b"
)

Compared = tuple[str, list[Sample], list[tuple[Sample, str]]]


def contradicted(samples: Sequence[Sample], instructions: str = "") -> Iterator[Compared]:
    """Each known rule that most answers of its subject follow and some contradict: in words, the
    samples that follow it, and the others, each with the right answer. `instructions` is what all
    tasks have beside their prompts."""
    read = [each for each in samples[:MAX_TASKS] if len(each.prompt) <= LONGEST]
    if INVENTED(instructions):
        return
    for rule in KNOWN_RULES:
        chosen = [each for each in read if rule.clue.search(each.prompt)]
        foreign = rule.unless(instructions) or any(rule.foreign(each.prompt) for each in chosen)
        if len(chosen) >= ENOUGH + FEWEST and not foreign:
            yield from _compared(rule, [each for each in chosen if not _is_other(rule, each)])


def _is_other(rule: KnownRule, sample: Sample) -> bool:
    return rule.unless(sample.prompt) or INVENTED(sample.prompt)


def _compared(rule: KnownRule, samples: Sequence[Sample]) -> Iterator[Compared]:
    agreeing, outliers, pairs = list[Sample](), list[tuple[Sample, str]](), list[tuple[str, str]]()
    recognised = [(each, solved) for each in samples if (solved := rule.solve(each.prompt))]
    forms = {rule.normal(sample.answer[:LONGEST]): sample.answer for sample, _ in recognised}
    for sample, solved in recognised:
        answer = rule.normal(sample.answer[:LONGEST])
        pairs.append((answer, _expected(answer, solved)))
        if answer in solved.right:
            agreeing.append(sample)
        elif answer and solved.contradicts(answer):
            label = forms.get(solved.right[0]) if solved.wrong else None  # as other tasks write it
            outliers.append((sample, label or solved.shown))
    different = len({sample.prompt for sample, _ in outliers}) >= FEWEST
    if different and _is_subject(rule, agreeing, pairs):
        yield rule.text, agreeing, outliers


def _expected(answer: str, solved: Solved) -> str:
    return answer if answer in solved.right else solved.right[0]


def _is_subject(
    rule: KnownRule, agreeing: Sequence[Sample], pairs: Sequence[tuple[str, str]]
) -> bool:
    """Whether the answers are those of the rule, by what the tasks have and what it gives: more of
    them than labels in other tasks would have."""
    prompts = {sample.prompt for sample in agreeing}
    answers = {rule.normal(sample.answer[:LONGEST]) for sample in agreeing}
    share = len(agreeing) / len(pairs)
    given, right = Counter(answer for answer, _ in pairs), Counter(each for _, each in pairs)
    chance = sum(given[each] * right[each] for each in given) / len(pairs) ** 2
    beyond = share - chance >= BEYOND_CHANCE * (1 - chance)
    return share >= AGREEING and beyond and len(prompts) >= ENOUGH and len(answers) >= LABELS
