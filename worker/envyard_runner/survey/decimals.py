"""Are the answers rounded to fewer decimals than the prompts ask for?

An answer such as 12.5 may be exact, and 60.90 be written as 60.9. So a calculation with the numbers
of the prompt must give most answers, and have more decimals than these.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from envyard.contract.task_texts import ShortDecimals
from envyard_runner.mutation.answers import find_answer
from envyard_runner.mutation.asked import COUNTS, DECIMALS
from envyard_runner.survey.arithmetic import Amount, Rule, fitting_rules
from envyard_runner.survey.templates import Sample, by_template, numbers_in

ENOUGH = 10  # tasks of one template that ask for as many decimals
AGREEING, MOST = 0.9, 0.5  # of them the calculation gives, and are rounded
MAX_TASKS = 500


def short_decimals(tasks: Iterable[tuple[int, str, str]]) -> ShortDecimals | None:
    """The answers of the first template whose answers are rounded too much; None without any.

    `tasks` are index, prompt and answer, or a reply that marks it.
    """
    samples = [
        Sample(task, prompt, find_answer(answer).answer.strip())
        for task, prompt, answer in [*tasks][:MAX_TASKS]
    ]
    known = [each for each in samples if _asked(each.prompt) and Amount.of(each.answer)]
    for group in by_template(known):
        if len(group) >= ENOUGH and (short := _rounded(group)):
            return short
    return None


def _asked(prompt: str) -> int:
    """How many decimals the prompt asks for; 0 where it asks for none, or for two numbers."""
    counts = {COUNTS[each.lower()] for each in DECIMALS.findall(prompt)}
    return counts.pop() if len(counts) == 1 else 0


def _rounded(group: Sequence[Sample]) -> ShortDecimals | None:
    asked = _asked(group[0].prompt)
    # The decimals that are asked for are a number of the prompt too.
    bare = [Sample(each.task, DECIMALS.sub("", each.prompt), each.answer) for each in group]
    amounts = [amount for each in bare if (amount := Amount.of(each.answer))]
    best = None
    for rule in fitting_rules(bare, amounts):
        given = [rule.of(numbers_in(each.prompt)) for each in bare]
        right = sum(a.is_result(value) for a, value in zip(amounts, given, strict=True))
        if right >= AGREEING * len(group):
            best = rule
            break
    if best is None:
        return None
    short = [
        sample
        for sample, amount in zip(bare, amounts, strict=True)
        if amount.decimals < asked and not _is_exact(best, sample, amount)
    ]
    if len(short) <= MOST * len(group):
        return None
    first = short[0]
    return ShortDecimals(len(short), len(group), asked, first.task, first.answer)


def _is_exact(rule: Rule, sample: Sample, amount: Amount) -> bool:
    value = rule.of(numbers_in(sample.prompt))
    return value is None or abs(value - amount.value) <= 1e-9 * max(1.0, abs(value))
