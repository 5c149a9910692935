"""Do evaluation tasks have answers of another rule, or of another form, than training tasks of the
same template?"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from envyard.contract.task_texts import SplitDifference
from envyard_runner.mutation.answers import find_answer
from envyard_runner.survey.arithmetic import Amount, fitting_rules
from envyard_runner.survey.labels import Fit, calculated, read
from envyard_runner.survey.listing import Listed
from envyard_runner.survey.templates import Sample, by_template, cuts
from envyard_runner.survey.text_rules import rules_for

TRAINING, EVALUATION = 15, 5  # tasks of a template, from which on both splits are compared
FOLLOWS, BREAKS = 0.9, 0.5  # of the training tasks, at least, and of the evaluation tasks, at most
MAX_TASKS = 500  # of each split


def split_difference(
    train: Sequence[Listed], evaluation: Sequence[Listed]
) -> SplitDifference | None:
    """The first rule or form that the answers of training tasks have, and those of evaluation tasks
    of the same template have not; None without one."""
    own, others = _samples(train), _samples(evaluation)
    if len(own) < TRAINING or len(others) < EVALUATION:
        return None
    known = {id(sample) for sample in own}
    compared = (*_rules(own, others, known), *_forms(own, others, known))
    return next((each for each in compared if each), None)


def _samples(tasks: Sequence[Listed]) -> list[Sample]:
    return [
        Sample(task.index, task.prompt, find_answer(task.answer).answer.strip())
        for task in tasks[:MAX_TASKS]
        if task.answer and task.prompt.strip() and not task.shown
    ]


def _rules(
    own: Sequence[Sample], others: Sequence[Sample], known: set[int]
) -> Iterator[SplitDifference | None]:
    everything = [*own, *others]
    amounts = {id(each): amount for each in everything if (amount := Amount.of(each.answer))}
    for group in by_template([each for each in everything if id(each) in amounts]):
        train, rest = _parted(group, known)
        if len(train) >= TRAINING and len(rest) >= EVALUATION:
            rules = fitting_rules(train, [amounts[id(each)] for each in train])
            fits = [(calculated(r, train, amounts), calculated(r, rest, amounts)) for r in rules]
            yield _difference(fits)
    for cut in cuts(everything, fewest=TRAINING):
        first = [each for each in cut if id(each.sample) in known]
        second = [each for each in cut if id(each.sample) not in known]
        if len(first) >= TRAINING and len(second) >= EVALUATION:
            texts = rules_for(cut[0].before + cut[0].after)
            yield _difference([(read(rule, first), read(rule, second)) for rule in texts])


def _difference(fits: Sequence[tuple[Fit, Fit]]) -> SplitDifference | None:
    """Of the rule that most training tasks follow, where few evaluation tasks do; none where
    another rule holds in both."""
    follow = [
        (len(train.agreeing) / train.size, len(rest.agreeing) / rest.size, train, rest)
        for train, rest in fits
        if len(train.agreeing) >= FOLLOWS * train.size
    ]
    if not follow or max(held for _, held, _, _ in follow) > BREAKS:
        return None
    _, _, train, rest = max(follow, key=lambda each: each[0])
    sample, expected = rest.outliers[0]
    return SplitDifference(
        f"the answer is {train.text}", train.size, rest.size, len(rest.outliers), sample.task,
        sample.answer[:100], expected[:100],
    )  # fmt: skip


def _forms(
    own: Sequence[Sample], others: Sequence[Sample], known: set[int]
) -> Iterator[SplitDifference | None]:
    """Another form: all answers in capitals, with a unit or with decimals, in one split alone."""
    for group in by_template([*own, *others]):
        train, rest = _parted(group, known)
        if len(train) < TRAINING or len(rest) < EVALUATION:
            continue
        (form, usual), (other, kept) = (_common(each) for each in (train, rest))
        if form != other and usual >= FOLLOWS * len(train) and kept >= FOLLOWS * len(rest):
            sample = next(each for each in rest if _form(each.answer) == other)
            yield SplitDifference(
                f"answers look like {train[0].answer[:40]!r}", len(train), len(rest), kept,
                sample.task, sample.answer[:100], "",
            )  # fmt: skip


def _parted(group: Sequence[Sample], known: set[int]) -> tuple[list[Sample], list[Sample]]:
    train = [each for each in group if id(each) in known]
    return train, [each for each in group if id(each) not in known]


def _common(samples: Sequence[Sample]) -> tuple[str, int]:
    return Counter(_form(each.answer) for each in samples).most_common(1)[0]


def _form(answer: str) -> str:
    """The answer's marks, with one sign for all digits, small letters, capitals and words."""
    # A fraction is no other form: harder tasks have them where easy ones have whole numbers.
    text = re.sub(r"\d[\d,]*(?:\.\d*[1-9]\d*)?", "9", answer)
    text = re.sub(r"[^\W\d_]+", lambda m: "A" if m[0].isupper() else "a", text)
    return re.sub(r"(\w)(?:[ ,]+\1)+", r"\1", text).removeprefix("-")
