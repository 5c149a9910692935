"""Answers that break the rule by which the other answers of a template follow from the prompts.

Most tasks that ask for a sum have the sum as their answer; the few that have another number are
labelled wrong, or show something that the rule does not know. So nothing is named where the prompts
speak of a condition, or where another rule or a word explains the exceptions.
docs/decisions/0093 gives the reasons.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from envyard.contract.task_texts import MAX_LABEL_OUTLIERS, LabelOutlier, LabelRule
from envyard_runner.mutation.answers import find_answer
from envyard_runner.survey.arithmetic import Amount, Rule, fitting_rules, simple_rules
from envyard_runner.survey.band_labels import banded
from envyard_runner.survey.carriers import carriers
from envyard_runner.survey.day_counts import day_counts
from envyard_runner.survey.excepted_days import excepted_days
from envyard_runner.survey.known_rules.fitting import contradicted
from envyard_runner.survey.medians import medians
from envyard_runner.survey.templates import Cut, Sample, by_template, cuts, numbers_in, words_in
from envyard_runner.survey.text_rules import DAY_RULES, TextRule, plain, rules_for
from envyard_runner.survey.thresholds import thresholds
from envyard_runner.survey.working_days import working_days

ENOUGH, VARIED = 15, 5  # tasks of one template, and different answers among them
AGREEING = 0.8  # of the tasks that follow the rule, from which on the others are exceptions
EXPLAINED = 0.6  # of the exceptions that another rule gives, from which on it is a rule of its own
MAX_TASKS = 1_000
MAX_GROUPS = 20
CONDITIONAL = re.compile(
    r"\b(?:if|unless|otherwise|except|when(?:ever)?|above|below|exceed\w*|at least|at most|"
    r"(?:no )?(?:more|less|fewer) than|capped?|cap|minimum|maximum|limit\w*|discount\w*|bonus|free|"
    r"inclusive|leap|ignor\w*|skip\w*|distinct|unique|different|exclud\w*|without|but not|"
    r"modulo|overflow\w*|saturat\w*|clamp\w*|negative|wraps?|carry|rule)\b",
    re.IGNORECASE,
)
# Which ends of a span count is what the rules of days differ in.
ENDS = re.compile(r"\b(?:inclusive|exclud\w*|without|but not)\b", re.IGNORECASE)
ENTITIES = re.compile(r"\b(?:escap|html|xml|entit|markup|encod|sanit)", re.IGNORECASE)
# Conditions of the reply, and questions: they say nothing of the answer.
FORM = re.compile(
    r"\b(?:if|when) (?:you|unsure|nobody|there is no|none)\b"
    r"|\bwhen (?:is|are|was|were|will|does|do|did)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Fit:
    """A rule, the tasks that follow it and those that do not, each with what the rule gives; of all
    a `share` must follow it. With `worded`, other words explain exceptions; with `labels`, the
    answers are a few labels, of which most exceptions may rightly have one."""

    text: str
    agreeing: list[Sample]
    outliers: list[tuple[Sample, str]]
    arithmetic: bool = True
    share: float = AGREEING
    worded: bool = True
    labels: bool = False

    @property
    def size(self) -> int:
        """The number of tasks that the rule is about."""
        return len(self.agreeing) + len(self.outliers)


def label_rule(tasks: Iterable[tuple[int, str, str]], instructions: str = "") -> LabelRule | None:
    """The rule that most answers follow, with the tasks that break it; None where there is none.

    `tasks` are index, prompt and answer (or a reply that marks it), `instructions` is what all
    tasks say beside their prompts.
    """
    samples = [
        Sample(task, prompt, find_answer(answer).answer.strip())
        for task, prompt, answer in [*tasks][:MAX_TASKS]
        if prompt.strip() and answer.strip()
    ]
    fits = [fit for fit in (*_calculations(samples), *_texts(samples)) if fit.outliers]
    named = [fit for fit in fits if not _is_explained(fit, instructions)]
    both_ends = Fit("the days between its dates, both ends included", *day_counts(samples))
    counted = Fit("the count with its bound as the question says", *thresholds(samples))
    moved = Fit("a day from Monday to Friday", *working_days(samples))
    related = Fit(
        "the risk with two in three healthy siblings of affected persons carriers",
        *carriers(samples),
    )
    looked_up = Fit("what its table gives with a limit in the band that it names", *banded(samples))
    excepted = Fit(
        "what follows from the days that count, each holiday on such a weekday taken off once",
        *excepted_days(samples),
    )
    median = Fit("the median", *medians(samples))
    others = (escaped(samples), median, both_ends, counted, moved, related, looked_up, excepted)
    known = [Fit(*each) for each in contradicted(samples, instructions)]
    named += [fit for fit in (*others, *known) if fit.outliers]
    if not named:
        return None
    best = max(named, key=lambda fit: len(fit.agreeing))
    outliers = [
        LabelOutlier(sample.task, sample.prompt[:200], sample.answer[:100], expected[:100])
        for sample, expected in sorted(best.outliers, key=lambda each: each[0].task)
    ]
    shown = outliers[:MAX_LABEL_OUTLIERS]
    return LabelRule(best.text, best.size, len(outliers), shown)


def escaped(samples: Sequence[Sample]) -> Fit:
    """The answers that are pieces of their prompts, and those that would be one if they were not
    written with HTML entities, as `&amp;`; at least two of these, where no prompt asks for them."""
    agreeing, outliers = [], []
    for sample in samples:
        if ENTITIES.search(sample.prompt):
            return Fit("", [], [])
        plain_text = html.unescape(sample.answer)
        if sample.answer in sample.prompt:
            agreeing.append(sample)
        elif plain_text != sample.answer and plain_text in sample.prompt:
            outliers.append((sample, plain_text))
    return Fit("a piece of the prompt", agreeing, outliers if len(outliers) > 1 else [])


def _calculations(samples: Sequence[Sample]) -> Iterable[Fit]:
    known = [(each, amount) for each in samples if (amount := Amount.of(each.answer))]
    amounts = {id(sample): amount for sample, amount in known}
    groups = by_template([sample for sample, _ in known])[:MAX_GROUPS]
    for group in (group for group in groups if len(group) >= ENOUGH):
        rules = [*fitting_rules(group, [amounts[id(each)] for each in group])]
        fits = [calculated(rule, group, amounts) for rule in rules]
        yield from _best(fits, group)


def calculated(rule: Rule, group: Sequence[Sample], amounts: dict[int, Amount]) -> Fit:
    """How the calculation fits samples of one template; `amounts` are their answers by id()."""
    agreeing, outliers = [], []
    decimals = max(amounts[id(sample)].decimals for sample in group)
    for sample in group:
        value = rule.of(numbers_in(sample.prompt))
        if amounts[id(sample)].is_result(value):
            agreeing.append(sample)
        else:
            outliers.append((sample, "" if value is None else f"{value:.{decimals}f}"))
    return Fit(rule.text, agreeing, outliers)


def _texts(samples: Sequence[Sample]) -> Iterable[Fit]:
    for group in cuts(samples, fewest=ENOUGH):
        rules = {rule.text: rule for cut in group[:1] for rule in rules_for(cut.before + cut.after)}
        fits = [read(rule, group) for rule in rules.values()]
        yield from _best(fits, [cut.sample for cut in group])


def read(rule: TextRule, group: Sequence[Cut]) -> Fit:
    """How the rule fits what the prompts of one template hold between their common ends."""
    agreeing, others = [], []
    for cut in group:
        answers = [*rule.answers(cut.text.strip("\"'`. \n"))]
        if plain(cut.sample.answer) in {plain(each) for each in answers}:
            agreeing.append(cut.sample)
        else:
            others.append((cut.sample, answers))
    usual = {plain(sample.answer) for sample in agreeing}
    outliers = [
        (sample, next((each for each in answers if plain(each) in usual), (*answers, "")[0]))
        for sample, answers in others
    ]
    share = rule.share or AGREEING
    return Fit(
        rule.text,
        agreeing,
        outliers,
        arithmetic=False,
        share=share,
        worded=rule.worded,
        labels=rule.labels,
    )


def _best(fits: Sequence[Fit], group: Sequence[Sample]) -> Iterable[Fit]:
    """The rule that most tasks follow, where most do: with other answers in each."""
    best = max(fits, key=lambda fit: len(fit.agreeing), default=None)
    if best is None or len(best.agreeing) < best.share * len(group):
        return
    varied = {plain(sample.answer) for sample in best.agreeing}
    if len(varied) >= (2 if best.labels else VARIED):
        yield best


def _is_explained(fit: Fit, instructions: str) -> bool:
    """Whether something but a wrong label may make the exceptions."""
    words = FORM.sub("", f"{fit.agreeing[0].prompt}\n{instructions}")
    if CONDITIONAL.search(ENDS.sub("", words) if fit.text in DAY_RULES else words):
        return True
    if any(not expected for _, expected in fit.outliers):
        return True  # the rule cannot be applied there
    exceptions = [sample for sample, _ in fit.outliers]
    if fit.labels:  # most of few labels are one; but another label is a rule of its own
        usual = {plain(sample.answer) for sample in fit.agreeing}
        exceptions_of_own = [each for each in exceptions if plain(each.answer) not in usual]
        return _by_words(fit, exceptions) or len(exceptions_of_own) >= EXPLAINED * len(exceptions)
    return _by_words(fit, exceptions) or _by_answers(exceptions) or _by_rule(fit, exceptions)


def _by_answers(exceptions: Sequence[Sample]) -> bool:
    """Whether most exceptions have one answer, or a number of their prompt: a rule of their own."""
    answers = [plain(sample.answer) for sample in exceptions]
    shown = [
        answer in {"0", *(f"{value:.10g}" for value in numbers_in(sample.prompt))}
        for sample, answer in zip(exceptions, answers, strict=True)
    ]
    common = max(answers.count(answer) for answer in answers)
    several = len(answers) > 1 and common >= EXPLAINED * len(answers)
    return several or sum(shown) >= EXPLAINED * len(answers)


def _by_rule(fit: Fit, exceptions: Sequence[Sample]) -> bool:
    """Whether one simple calculation gives most exceptions, or all of two."""
    rows = [(numbers_in(each.prompt), Amount.of(each.answer)) for each in exceptions]
    size = min(len(row) for row, _ in rows)
    least = len(rows) if len(rows) <= 2 else EXPLAINED * len(rows)
    return fit.arithmetic and any(
        sum(amount is not None and amount.is_result(rule.of(row)) for row, amount in rows) >= least
        for rule in simple_rules(size)
    )


def _by_words(fit: Fit, exceptions: Sequence[Sample]) -> bool:
    """Whether most exceptions have a word that no task has which follows the rule."""
    if not fit.worded:
        return False  # there the words are what the rule is about
    usual = {word for sample in fit.agreeing for word in words_in(sample.prompt)}
    odd = sum(any(word not in usual for word in words_in(each.prompt)) for each in exceptions)
    return odd >= EXPLAINED * len(exceptions)
