"""The tasks whose answers contradict a known rule that the other answers of their subject follow.

The subject is sure only where most answers confirm it, and more of them than labels that are
independent of the rule would by chance.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from envyard_runner.survey.known_rules.entry import KnownRule, Solved, has, pattern
from envyard_runner.survey.known_rules.registry import KNOWN_RULES
from envyard_runner.survey.templates import Sample, words_in

MAX_TASKS = 1_000
LONGEST = 2_000  # characters of a prompt, and of an answer
AGREEING, BEYOND_CHANCE = 0.6, 0.3  # share of the recognised tasks; and of what chance leaves
ENOUGH, LABELS, FEWEST = 10, 2, 3  # different prompts that agree, answers of these, contradictions
# What announces rules that differ from those of the subject.
INVENTED = has(
    r"\b(?:fictional|fictitious|imaginary|invented|made-up|pretend|alien|house rules?|variant"
    r"|non-?standard|unusual|alternat(?:e|ive) (?:rules?|world|universe|history)|instead of the"
    r"|in this (?:world|universe|land|country|realm)|new rules?|reversed? (?:rules?|order of))\b"
)

EXPLAINED = 0.6  # of the contradictions whose prompts have a word for another rule, as no other has
TWISTS = pattern(
    r"\b(?:if|but|except|however|unless|although|instead|variant|special\w*|swap\w*|revers\w*|treat\w*"
    r"|ignor\w*|assum\w*|suppos\w*|override\w*|counts? as|beats?|now|new|not|always|never|only)\b"
)

Compared = tuple[str, list[Sample], list[tuple[Sample, str]]]


def contradicted(samples: Sequence[Sample], instructions: str = "") -> Iterator[Compared]:
    """Each known rule that most answers of its subject follow and some contradict: in words, the
    samples that follow it, and the others, each with the right answer. `instructions` is what all
    tasks have beside their prompts: it may name the subject, or a part of each question."""
    read = [each for each in samples[:MAX_TASKS] if len(each.prompt) <= LONGEST]
    if INVENTED(instructions):
        return
    for rule in KNOWN_RULES:
        if rule.unless(instructions):
            continue
        compared = [*_compared(rule, [(each.prompt, each) for each in read])]
        if not compared and len(instructions) <= LONGEST and rule.clue.search(instructions):
            whole = [(f"{instructions}\n\n{each.prompt}", each) for each in read]
            compared = [*_compared(rule, whole)]
        yield from compared


def _compared(rule: KnownRule, samples: Sequence[tuple[str, Sample]]) -> Iterator[Compared]:
    """The rule where most answers follow it; each sample has the text of its question."""
    chosen = [(text, each) for text, each in samples if rule.clue.search(text)]
    foreign = any(rule.foreign(each.prompt) for _, each in chosen)
    if len(chosen) < ENOUGH + FEWEST or foreign:
        return
    agreeing, outliers, pairs = list[Sample](), list[tuple[Sample, str]](), list[tuple[str, str]]()
    recognised = [*_recognised(rule, chosen)]
    forms = {answer: sample.answer for sample, answer, _ in recognised}
    for sample, answer, solved in recognised:
        right = answer if answer in solved.right else solved.right[0]
        pairs.append((answer, right))
        if answer == right:
            agreeing.append(sample)
        elif answer and solved.contradicts(answer):
            label = forms.get(right) if solved.wrong else None  # as other tasks write it
            outliers.append((sample, label or solved.shown))
    different = len({sample.prompt for sample, _ in outliers}) >= FEWEST
    explained = _is_explained(agreeing, outliers) or _is_worded(rule, agreeing, outliers)
    if different and _is_subject(agreeing, pairs) and not explained:
        yield rule.text, agreeing, outliers


def _recognised(
    rule: KnownRule, samples: Sequence[tuple[str, Sample]]
) -> Iterator[tuple[Sample, str, Solved]]:
    """The tasks of the subject with their answers in normal form; what costs most comes last."""
    for text, sample in samples:
        solved = rule.solve(text)
        if solved and not rule.unless(sample.prompt) and not INVENTED(sample.prompt):
            yield sample, rule.normal(sample.answer[:LONGEST]), solved


def _is_explained(agreeing: Sequence[Sample], outliers: Sequence[tuple[Sample, str]]) -> bool:
    """Whether most contradictions have a word for a rule of their own."""
    usual = {word for sample in agreeing for word in _twists(sample)}
    odd = sum(bool(_twists(sample) - usual) for sample, _ in outliers)
    return odd >= EXPLAINED * len(outliers)


def _is_worded(
    rule: KnownRule, agreeing: Sequence[Sample], outliers: Sequence[tuple[Sample, str]]
) -> bool:
    """Whether most contradictions have a word that some of them share and nothing that follows the
    rule has."""
    if not rule.worded:
        return False
    usual = {word for sample in agreeing for word in words_in(sample.prompt)} | rule.names
    own = [{*words_in(sample.prompt)} - usual for sample, _ in outliers]
    counted = Counter(word for words in own for word in words)
    odd = sum(any(counted[word] >= FEWEST for word in words) for words in own)
    return odd >= EXPLAINED * len(outliers)


def _twists(sample: Sample) -> set[str]:
    return {word.casefold() for word in TWISTS.findall(sample.prompt)}


def _is_subject(agreeing: Sequence[Sample], pairs: Sequence[tuple[str, str]]) -> bool:
    """Whether the answers are those of the rule, by what the tasks have and what it gives: more of
    them than labels in other tasks would have."""
    prompts = {sample.prompt for sample in agreeing}
    answers = {answer for answer, right in pairs if answer == right}
    share = len(agreeing) / len(pairs)
    given, right = Counter(answer for answer, _ in pairs), Counter(each for _, each in pairs)
    chance = sum(given[each] * right[each] for each in given) / len(pairs) ** 2
    beyond = share - chance >= BEYOND_CHANCE * (1 - chance)
    return share >= AGREEING and beyond and len(prompts) >= ENOUGH and len(answers) >= LABELS
