"""The findings about answers that the environment shows to policies that do no work."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from envyard.contract.findings import Finding, finding
from envyard.contract.probes import ORACLE, SNOOP
from envyard_runner.conversation_checks.answer_differences import AnswerDifference
from envyard_runner.conversation_checks.computed_fields import ComputedFields
from envyard_runner.conversation_checks.early_answers import EarlyAnswer
from envyard_runner.conversation_checks.extreme_rows import ExtremeRows
from envyard_runner.conversation_checks.listed_pages import OmittedEntries
from envyard_runner.conversation_checks.named_causes import NamedCauses
from envyard_runner.conversation_checks.needless_work import NeedlessWork
from envyard_runner.conversation_checks.revealed_tries import RevealedTry
from envyard_runner.conversation_checks.shown_answers import JunkResults
from envyard_runner.conversation_checks.telling_fields import TellingFields
from envyard_runner.execution.first_names import first_names

FEWEST_TASKS = 2
EARLY = 0.8  # of the tasks whose answer an early result must show


def tool_leak_findings(played: Mapping[str, JunkResults]) -> Iterator[Finding]:
    """A warning where tools presented different answers of two tasks or more to calls whose
    arguments name nothing, and no other task's: a search may rightly list all entries."""
    answers = {name: each.answer.casefold() for name, each in played.items()}
    shown = {name: text for name, each in played.items() if (text := each.presented(each.answer))}
    others = any(
        each.presented(other)
        for name, each in played.items()
        for other in {*answers.values()} - {answers[name]}
    )
    if others or len({answers[name] for name in shown}) < FEWEST_TASKS:
        return
    rollouts = sorted(shown)
    yield _leak(
        rollouts,
        "A tool shows the answer to calls whose arguments name nothing (an unknown key, a wrong "
        f"value, an empty text, `%`), in {len(rollouts)} rollouts: {first_names(rollouts)}. In "
        f"{rollouts[0]} it returned {shown[rollouts[0]]!r}.",
    )


def entry_findings(played: Mapping[str, JunkResults]) -> Iterator[Finding]:
    """A warning where a tool returned the entries of two tasks or more for an unknown key."""
    entries = {name: entry for name, each in played.items() if (entry := each.entry)[0]}
    if len({word for word, _ in entries.values()}) < FEWEST_TASKS:
        return
    rollouts = sorted(entries)
    yield _leak(
        rollouts,
        "A tool returns the task's own entry for a key that nothing has, in "
        f"{len(rollouts)} rollouts: {first_names(rollouts)}. In {rollouts[0]} it returned "
        f"{entries[rollouts[0]][1]!r}.",
    )


def conspicuous_findings(played: Mapping[str, JunkResults]) -> Iterator[Finding]:
    """A warning where in all of two tasks or more, with different answers, the only entry of
    another form in a tool's listing names the answer."""
    entries = {name: each.conspicuous for name, each in played.items() if each.answer}
    answers = {each.answer.casefold() for each in played.values() if each.answer}
    if len(answers) < FEWEST_TASKS or not all(entries.values()):
        return
    rollouts = sorted(entries)
    yield _leak(
        rollouts,
        "The only entry of another form in a tool's listing names the answer, in all of "
        f"{len(rollouts)} rollouts: {first_names(rollouts)}. In {rollouts[0]} it was "
        f"{entries[rollouts[0]]!r}.",
    )


def difference_findings(revealed: Mapping[str, AnswerDifference]) -> Iterator[Finding]:
    """A warning where a tool revealed the different answers of two tasks by their difference."""
    if len({each.answer for each in revealed.values()}) < FEWEST_TASKS:
        return
    rollouts = sorted(revealed)
    first = revealed[rollouts[0]]
    yield _leak(
        rollouts,
        "A tool reveals the answer to a wrong number, or by how much that misses it, in "
        f"{len(rollouts)} rollouts: "
        f"{first_names(rollouts)}. In {rollouts[0]} it returned {first.result[:200]!r} to "
        f"{first.given:g}, and the answer is {first.answer}: one guess is enough.",
    )


def tries_findings(revealed: Mapping[str, RevealedTry]) -> Iterator[Finding]:
    """A warning where a tool without arguments showed the different values that the references of
    two tasks found by trying."""
    if len({each.value for each in revealed.values()}) < FEWEST_TASKS:
        return
    rollouts = sorted(revealed)
    first = revealed[rollouts[0]]
    yield _leak(
        rollouts,
        f"The tool {first.tool!r} shows what the reference finds by trying, in {len(rollouts)} "
        f"rollouts: {first_names(rollouts)}. In {rollouts[0]} it returned {first.shown!r}, and "
        f"the reference succeeds with {first.value!r}.",
    )


def field_findings(fields: TellingFields) -> Iterator[Finding]:
    """A warning where a field of records that tools return marks that of the answer, in all
    rollouts with records, of two tasks or more."""
    marked = fields.marked
    names = {each.name for each in marked.values()}
    answers = {each.answer.casefold() for each in marked.values()}
    if len(names) != 1 or len(answers) < FEWEST_TASKS or len(marked) < EARLY * fields.read:
        return
    rollouts = sorted(marked)
    first = marked[rollouts[0]]
    yield _leak(
        rollouts,
        f"The field {first.name!r} of the records that a tool returns has a value in that of the "
        f"answer alone, in {len(rollouts)} rollouts: {first_names(rollouts)}. In {rollouts[0]} it "
        f"is {first.value[:80]!r} for {first.answer[:80]!r}.",
    )


def extreme_findings(rows: ExtremeRows) -> Iterator[Finding]:
    """A warning where a column of a listing is extreme in the row of the answer, in all rollouts
    that read its rows."""
    column = rows.telling
    if column is None:
        return
    name, direction = column
    marked = rows.marked[column]
    rollouts = sorted(marked)
    first = marked[rollouts[0]]
    yield _leak(
        rollouts,
        f"In the list that a tool returns, {name!r} is {direction} in the answer's row alone, in "
        f"all {len(rollouts)} rollouts: {first_names(rollouts)}. In {rollouts[0]} this is "
        f"{first.text[:120]!r} of {first.rows}, so nothing else needs to be read.",
    )


def computed_findings(fields: ComputedFields) -> Iterator[Finding]:
    """A warning where records for what the prompt names hold the different answers of two tasks or
    more, which are to be worked out."""
    shown = fields.shown
    answers = {each.answer.casefold() for each in shown.values()}
    if len(answers) < FEWEST_TASKS or len(shown) < EARLY * fields.read:
        return
    rollouts = sorted(shown)
    first = shown[rollouts[0]]
    yield _leak(
        rollouts,
        f"The field {first.name!r} of the record that the tool {first.tool!r} returns for what "
        f"the prompt names is the answer that is to be worked out, in {len(rollouts)} rollouts: "
        f"{first_names(rollouts)}. In {rollouts[0]} it is {first.answer[:80]!r}.",
    )


def early_findings(played: Mapping[str, EarlyAnswer]) -> Iterator[Finding]:
    """A warning where in most of two tasks or more the answer is a value of a result that came
    before the reference called its last tool, and the value is no other task's answer."""
    answers = {each.answer.casefold() for each in played.values()}
    shown = {
        name: each
        for name, each in played.items()
        if each.shown and not any(map(each.lists, answers - {each.answer.casefold()}))
    }
    shown_answers = {each.answer.casefold() for each in shown.values()}
    if len(shown_answers) < FEWEST_TASKS or len(shown) < EARLY * len(played):
        return
    first = min(shown)
    yield finding(
        "card.leaks",
        "The answer is a value in the result of an earlier call than the last one that the "
        f"reference makes, in {len(shown)} of {len(played)} rollouts: later calls are not needed. "
        f"In {first} the tool {shown[first].tool!r} returned {shown[first].shown!r}.",
        where=first,
        n=len(shown),
    )


def cause_findings(causes: NamedCauses) -> Iterator[Finding]:
    """A warning where in most of two tasks or more the first result of a search names the answer
    behind words such as `caused by`."""
    for policy in (ORACLE, SNOOP):
        named, read = causes.named(policy)
        answers = {each.answer.casefold() for each in named.values()}
        is_search = sum(each.is_search for each in named.values()) * 2 > len(named)
        if len(answers) < FEWEST_TASKS or len(named) < EARLY * read or not is_search:
            continue
        rollouts = sorted(named)
        first = named[rollouts[0]]
        yield _leak(
            rollouts,
            "The first result of a search names what is searched, in "
            f"{len(rollouts)} of {read} rollouts: {first_names(rollouts)}. In "
            f"{rollouts[0]} the tool {first.tool!r} returned {first.shown[-200:]!r}: no further "
            "call is needed.",
        )
        return


def needless_findings(needless: Mapping[str, NeedlessWork]) -> Iterator[Finding]:
    """A warning where files that the reference did not read hold the different answers of two
    tasks."""
    if len({each.answer.casefold() for each in needless.values()}) < FEWEST_TASKS:
        return
    rollouts = sorted(needless)
    first = needless[rollouts[0]]
    yield _leak(
        rollouts,
        "A file that a tool returns holds the answer, which the reference computes from others, in "
        f"{len(rollouts)} rollouts: {first_names(rollouts)}. In {rollouts[0]} the file "
        f"{first.file!r} had {first.shown!r}: the work is not needed.",
    )


def omission_findings(omitting: Mapping[str, OmittedEntries]) -> Iterator[Finding]:
    """A warning where in two tasks or more the pages of a list omit entries that the reference
    looks up."""
    if len(omitting) < FEWEST_TASKS:
        return
    rollouts = sorted(omitting)
    first = omitting[rollouts[0]]
    yield finding(
        "card.incomplete_prompts",
        "The pages of a list omit entries that the reference looks up by their codes, in "
        f"{len(rollouts)} rollouts: {first_names(rollouts)}. In {rollouts[0]} the pages of "
        f"{first.tool!r} contain {', '.join(first.listed[:5])} and not "
        f"{', '.join(first.omitted[:5])}: no policy can know of these.",
        where=rollouts[0],
        n=len(rollouts),
    )


def leak_findings(shown: Mapping[str, str]) -> Iterator[Finding]:
    """A warning where two tasks or more showed their answers: `shown` has an excerpt for each
    rollout by `policy/task/attempt`."""
    if len({rollout.split("/")[1] for rollout in shown}) < FEWEST_TASKS:
        return
    rollouts = sorted(shown)
    yield _leak(
        rollouts,
        f"The environment shows the answer to replies that earn nothing, in {len(rollouts)} "
        f"rollouts: {first_names(rollouts)}. In {rollouts[0]} it sent: {shown[rollouts[0]]!r}.",
    )


def _leak(rollouts: Sequence[str], sentence: str) -> Finding:
    """The warning about these rollouts, of which the first is shown."""
    return finding("card.leaks", sentence, where=rollouts[0], n=len(rollouts))
