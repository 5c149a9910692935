"""Prompts that lack what they ask about: a text, an image, a number, a value for a placeholder.

A few tasks that lack what the others have are broken rows. Where most lack it, their prompts must
also fail to tell tasks with different answers apart; a form such as `{number}` is otherwise sound.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from itertools import islice

from envyard.contract.task_texts import MAX_INDICES, IncompletePrompts
from envyard_runner.survey.absent_names import absent_names
from envyard_runner.survey.clipped import clipped_prompts
from envyard_runner.survey.clipped_lists import WHY, clipped_lists
from envyard_runner.survey.cut_prompts import cut_prompts
from envyard_runner.survey.cut_tables import cut_tables
from envyard_runner.survey.listing import WHOLE, Listed
from envyard_runner.survey.templates import NUMBER
from envyard_runner.survey.undefined_symbols import undefined_symbols

ENOUGH = 5  # tasks of one template, of which a few lack something
FEW, HALF = 0.2, 0.5  # of the tasks
NAMED = 3  # tasks that mention something absent
MAX_TASKS = 2_000
COMMON = 0.3  # of the prompts that have a word of the template
USUAL = 0.7  # of the prompts that begin alike, from which on they are expected to go on alike
ANSWER = 4  # characters of an answer that a prompt does not hold by chance
# A code such as `-Z2-x`, `.profile` or `a_b` is one piece, whatever marks it has within.
PIECE = re.compile(r"(?:[-.#@$%&*+/\\|~^]{0,3}\w)+(?:'\w+)?|[^\w\s]")
MOST_PLACEHOLDERS = 50  # of a prompt: each is read with all of its sentence
ABSENT = "it names an image or a text that is not there"
SUBJECTS = (
    r"text|passage|paragraph|article|document|sentence|story|review|email|message|code|snippet|"
    r"program|table|data|list|numbers?|question|problem|word|expression|equation|input|context"
)
PLACEHOLDER = re.compile(
    r"(?<![\\\w}$`\"'{<^])\{\{?\s*[A-Za-z_][\w.]*\s*\}?\}(?![`\"'{}]|(?!(?:s|th)\b)\w)|"
    r"%\([a-z_]\w*\)[sd]|"
    r"\$\{[A-Za-z_]\w*\}|\[(?:INSERT|TODO)[^\[\]\n]{0,40}\]|<(?:INSERT|TODO)[^<>\n]{0,40}>"
)
FORM_WORDS = re.compile(
    r"\b(?:repl(?:y|ies)|answer|format|form|json|template|return|output|print|respond|write|f-?string"
    r"|placeholder|latex|code|function|python|set)\b",
    re.IGNORECASE,
)
MISSING_VALUE = re.compile(
    rf"\b(?i:{SUBJECTS})\s*:\s*(?:None|nan|NaN|null|undefined)\s*$", re.MULTILINE
)
ENDS_OPEN = re.compile(
    rf"\b(?:following|below|this|these|given)\b[^.?!\n:]{{0,60}}\b(?:{SUBJECTS})s?\b[^.?!\n:]{{0,30}}:"
    r"\s*(?:(?:\"\s*\"|'\s*'|```\w*\s*```|<(\w+)>\s*</\1>)\s*)?\Z",
    re.IGNORECASE,
)
EMPTY_LABEL = re.compile(
    rf"^(?:{SUBJECTS})[ \t]*:[ \t]*(?:\"\"|'')?[ \t]*\n\s*(?=\w+[ \t]*:)",
    re.IGNORECASE | re.MULTILINE,
)
ABSENT_IMAGE = re.compile(
    r"\b(?:attached|uploaded|enclosed) (?:file|image|picture|photo|document|pdf|chart)\b|"
    r"\b(?:shown|depicted|pictured|see|seen) in the (?:image|picture|photo|figure|diagram)\b|"
    r"\bthe (?:image|picture|photo|figure|diagram|chart|screenshot) (?:above|below|shown)\b",
    re.IGNORECASE,
)
# In the first sentence, so that nothing stands above it, and with little behind that sentence.
ABSENT_TEXT = re.compile(
    r"[^.!?]*\b(?:(?:according to|based on|in) the (?:above )?(?:passage|article|paragraph)|"
    r"the (?:passage|text|paragraph|article|table|code) above)\b[^.!?]*[.!?](?P<rest>.*)",
    re.IGNORECASE,
)
LONGEST_REST = 60  # characters, such as those that name the form of the reply
LONGEST_QUESTION = 200  # characters of a prompt that holds no passage
CONTENT = re.compile(r"[:\n\"`|]")  # what introduces or holds a text
INTRODUCES = frozenset(
    {"of", "in", "the", "a", "an", "word", "text", "number", "numbers", "for", "to", "from"}
    | {"with", "between", "and", "by", ":", '"', "'", "`", "(", "="}
)
QUOTED = re.compile(r"\"[^\"\n]*\"|'[^'\n]{2,}'|`[^`\n]*`")


def incomplete_prompts(tasks: Sequence[Listed]) -> IncompletePrompts | None:
    """The tasks whose prompts lack something, with the most common reason; None without any.

    Tasks that show a policy more than text are left out.
    """
    shown = [task for task in tasks[:MAX_TASKS] if task.prompt.strip() and not task.shown]
    lacking: defaultdict[str, list[Listed]] = defaultdict(list)
    for task in shown:
        if reason := _reason(task.prompt, task.answer or ""):
            lacking[reason].append(task)
    for reason, group in lacking.items():
        if len(group) > HALF * len(shown) and not _alike(group):
            lacking[reason] = []
    absent = [task for task in shown if _names_absent(task.prompt)]
    if len(absent) >= NAMED:
        lacking[ABSENT] = absent
    lacking["a piece is missing that the other prompts have"] = _without_piece(shown)
    if cut := cut_tables([task.prompt for task in shown]):
        reason = "its table is cut: the last row lacks numbers that all other rows have"
        lacking[reason] = [shown[at] for at in cut]
    if cut := absent_names(shown):
        reason = "the question names what the rest lacks, which other prompts have"
        lacking[reason] = [shown[at] for at in cut]
    if cut := undefined_symbols([task.prompt for task in shown]):
        lacking["a sign has no value, as all other signs have"] = [shown[at] for at in cut]
    lines = [task.line_lengths for task in shown]
    cut, limit = clipped_lists(lines)
    if cut:
        lacking[WHY.format(limit)] = [shown[at] for at in cut]
    if cut := clipped_prompts(lines):
        reason = "many prompts end just below one length, as if lines beyond it were cut"
        lacking[reason] = [shown[at] for at in cut]
    if cut := cut_prompts([task.prompt for task in shown]):
        longest = max(len(shown[at].prompt) for at in cut)
        reason = f"it is cut at {longest} characters, as others are"
        lacking[reason] = [shown[at] for at in cut]
    holding = _answer_holders(shown, {id(task) for group in lacking.values() for task in group})
    for each, group in lacking.items():
        lacking[each] = [task for task in group if id(task) not in holding]
    reason, group = max(lacking.items(), key=lambda item: len(item[1]))
    if not group:
        return None
    indices = [task.index for task in group]
    end = group[0].prompt[-200:] if len(group[0].prompt) < WHOLE else ""
    return IncompletePrompts(len(group), indices[:MAX_INDICES], reason, end)


def _reason(prompt: str, answer: str) -> str:
    """What the prompt shows to be missing; empty where nothing is. What the answer repeats is a
    text to be copied."""
    found = islice(PLACEHOLDER.finditer(prompt), MOST_PLACEHOLDERS)
    placeholders = (match for match in found if match[0] not in answer)
    if any(_is_left(match, prompt) for match in placeholders):
        return "a placeholder has no value"
    if MISSING_VALUE.search(prompt):
        return "a value is missing, and the prompt says None or nan"
    if ENDS_OPEN.search(prompt) or EMPTY_LABEL.search(prompt):
        return "nothing follows where a text is announced"
    return ""


def _is_left(match: re.Match[str], prompt: str) -> bool:
    """Whether the placeholder stands in the question, and not in the form of a reply."""
    start = max(prompt.rfind(mark, 0, match.start()) for mark in ".!?\n")
    end = re.search(r"[.!?\n]", prompt[match.end() :])
    sentence = prompt[start + 1 : match.end() + (end.start() if end else len(prompt))]
    return not FORM_WORDS.search(sentence.replace(match[0], ""))


def _alike(group: Sequence[Listed]) -> bool:
    """Whether half of the tasks share their prompt with a task that has another answer."""
    answers: defaultdict[str, set[str]] = defaultdict(set)
    for task in group:
        answers[task.prompt].add(task.answer or task.hidden)
    return sum(len(answers[task.prompt]) > 1 for task in group) >= HALF * len(group)


def _names_absent(prompt: str) -> bool:
    if ABSENT_IMAGE.search(QUOTED.sub("", prompt.partition(":")[0])) and "](" not in prompt:
        return len(prompt) <= 2 * LONGEST_QUESTION and "://" not in prompt
    if len(prompt) > LONGEST_QUESTION or CONTENT.search(prompt):
        return False
    match = ABSENT_TEXT.fullmatch(prompt.strip())
    return match is not None and len(match["rest"]) <= LONGEST_REST


def _answer_holders(tasks: Sequence[Listed], among: set[int]) -> set[int]:
    """Those `among` the tasks, each by its id(), whose prompt holds the answer, as few others do:
    they ask to copy or to find it."""
    holding = set()
    for task in tasks:
        answer = (task.answer or "").strip()
        held = id(task) in among and len(answer) >= ANSWER and answer in task.prompt
        if held and sum(answer in other.prompt for other in tasks) < COMMON * len(tasks):
            holding.add(id(task))
    return holding


def _without_piece(tasks: Sequence[Listed]) -> list[Listed]:
    """The few tasks whose prompt is the template of many others without one of its variable parts,
    behind a word or mark that introduces it."""
    templates = [*_templates([task.prompt for task in tasks])]
    counts = Counter(templates)
    usual = {each for each, count in counts.items() if count >= ENOUGH and "*" in each}
    broken = {
        each
        for each, count in counts.items()
        if any(count <= FEW * counts[other] and _lacks(each, other, counts) for other in usual)
    }
    return [
        task
        for task, template in zip(tasks, templates, strict=True)
        if template in broken and (task.answer or task.hidden)
    ]


def _templates(prompts: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """The words of each prompt that many prompts have, and `*` for what is between them: numbers,
    codes and other words."""
    pieces = [PIECE.findall(NUMBER.sub("0", prompt.casefold())) for prompt in prompts]
    counts = Counter(piece for each in pieces for piece in set(each))
    for each in pieces:
        kept: list[str] = []
        for piece in each:
            numbered = any(map(str.isdigit, piece))
            fixed = not numbered and counts[piece] >= COMMON * len(prompts)
            if fixed or kept[-1:] != ["*"]:
                kept.append(piece if fixed else "*")
        yield tuple(kept)


def _lacks(short: tuple[str, ...], full: tuple[str, ...], counts: Counter[tuple[str, ...]]) -> bool:
    """Whether one of the variable parts of `full` is all that `short` lacks, at a place that
    belongs to the template."""
    if len(short) + 1 != len(full):
        return False
    return any(
        part == "*"
        and at > 0
        and full[at - 1] in INTRODUCES
        and full[:at] + full[at + 1 :] == short
        and _is_place(full, at, counts)
        for at, part in enumerate(full)
    )


def _is_place(full: tuple[str, ...], at: int, counts: Counter[tuple[str, ...]]) -> bool:
    """Whether many prompts go on after the variable part before this one as `full` does up to here,
    and most of these as `full` does. Codes and sentences go on in many ways."""
    before = max((n + 1 for n in range(at) if full[n] == "*"), default=0)
    begun = sum(count for each, count in counts.items() if each[:before] == full[:before])
    here = sum(count for each, count in counts.items() if each[:at] == full[:at])
    return here >= COMMON * begun and counts[full] >= USUAL * here
