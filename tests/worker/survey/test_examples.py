"""Worked examples that are the task itself, and examples that share an answer by chance."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest

from envyard_runner.survey.examples import Examples

NOUNS = ("ship", "port", "storm", "light")
ANSWERS = [
    f"{first} {second}" for first in NOUNS for second in ("fog", "wind", "reef", "tide", "sail")
]
TASKS = len(ANSWERS)
OWN = [0, 4, 8, 12, 16]
CLASSES = ("billing", "delivery", "returns", "account")


def leaks(
    system: Callable[[int], str],
    answer: Callable[[int], str] = ANSWERS.__getitem__,
    prompt: Callable[[int], str] = lambda n: f"Decode number {n}.",
    before: Callable[[int], list[tuple[str, str]]] = lambda _: [],
) -> list[int]:
    examples = Examples()
    for task in range(TASKS):
        messages = [("system", system(task)), *before(task), ("user", prompt(task))]
        examples.add(task, messages, answer(task))
    return [*examples.leaks]


def test_an_example_that_is_the_task_itself_in_a_minority_is_a_leak() -> None:
    shown = [ANSWERS[task - task % 4] for task in range(TASKS)]
    marked = [f"Be brief.\nExample: -.-. --- -.\nReply: {words}" for words in shown]
    assert leaks(marked.__getitem__) == OWN
    assert leaks(lambda task: f"e.g. .-. -> `{shown[task]}`") == OWN
    assert leaks(lambda task: f"For example: <answer>{shown[task]}</answer> to .-.") == []
    assert (
        leaks(lambda _: "Be brief.", prompt=lambda task: f"{marked[task]}\n\nText: --. .-") == OWN
    )


def test_unmarked_examples_count_in_earlier_messages_and_three_tasks() -> None:
    pairs = [f"Q: .-. --\nA: {ANSWERS[task - task % 4]}" for task in range(TASKS)]
    assert leaks(pairs.__getitem__) == OWN
    assert leaks(lambda task: pairs[task] if task < 8 else "Be brief.") == []  # of two tasks
    assert leaks(lambda _: "Be brief.", prompt=pairs.__getitem__) == []  # what the task is about
    assert (
        leaks(
            lambda _: "Be brief.",
            before=lambda task: [("user", ".-."), ("assistant", ANSWERS[task - task % 4])],
        )
        == OWN
    )


def test_a_line_that_stands_above_with_its_answer_is_a_leak() -> None:
    pairs = [f"word {task} -> {ANSWERS[task]}" for task in range(TASKS)]
    listed = [
        "\n".join([*pairs[(task + task % 3) % 17 :][:3], f"word {task} ->"])
        for task in range(TASKS)
    ]
    shown = [task for task in range(TASKS) if f"{pairs[task]}\n" in listed[task]]
    assert 2 < len(shown) < TASKS / 2
    assert leaks(lambda _: "Be brief.", prompt=lambda n: f"Continue.\n{listed[n]}") == shown
    questions = [f"Q: word {task}\nA:" for task in range(TASKS)]
    assert (
        leaks(lambda _: "", prompt=lambda n: f"{questions[0]} {ANSWERS[0]}\n{questions[n]}") == []
    )
    twice = [
        f"{questions[task // 9]} {ANSWERS[task // 9]}\n{questions[task]}" for task in range(TASKS)
    ]
    assert leaks(lambda _: "", prompt=twice.__getitem__) == []  # of one task


@pytest.mark.parametrize(
    "system",
    [
        lambda _: f"Example: .-.\nReply: {ANSWERS[3]}",  # one fixed example
        lambda _: "\n".join(f"Example: .-.\nReply: {words}" for words in ANSWERS),  # all options
        lambda task: f"Example: .-.\nReply: {ANSWERS[(task + 5) % TASKS]}",  # of other tasks
        lambda task: f"Document {task}: the {ANSWERS[task]} was seen. Example: none.",
        lambda task: f"Document:\nName: {ANSWERS[task]}\nAge: 7",
        lambda _: "",
    ],
)
def test_fixed_examples_options_and_texts_to_read_are_no_leaks(
    system: Callable[[int], str],
) -> None:
    assert leaks(system) == []


def test_classes_and_small_numbers_are_given_by_chance() -> None:
    for answer in (
        lambda task: CLASSES[task % 4],
        lambda task: str(1000 + task % 3),
        lambda task: str(task),
        lambda _: "yes",
    ):
        shown = [answer(task * 5 + 1) for task in range(TASKS)]
        assert leaks(lambda task, s=shown: f"Example: x\nLabel -> {s[task]}", answer=answer) == []


def test_a_sentence_that_needs_no_correction_is_no_leak() -> None:
    rule = "Correct the sentence. Example:\nInput: He go.\nOutput: He goes."
    prompts = [f"{rule}\n\nInput: The {words} are here.\nOutput:" for words in ANSWERS]
    corrected = [f"The {words} are here." for words in ANSWERS]
    assert leaks(lambda _: "Help.", corrected.__getitem__, prompts.__getitem__) == []


def test_an_entry_of_the_examples_that_the_task_asks_for_is_a_leak() -> None:
    codes = [str(100 + 7 * task) for task in range(TASKS)]
    names = [f"herb{task}" for task in range(TASKS)]

    def prompt(task: int, shown: int) -> str:
        entries = "\n".join(f"{names[at]}: {codes[at]}" for at in (shown, (shown + 5) % TASKS))
        return (
            f"Codes follow the rule, for example:\n{entries}\n\nWhat is the code of {names[task]}?"
        )

    def of(prompts: Callable[[int], str]) -> list[int]:
        return leaks(lambda _: "Be brief.", answer=codes.__getitem__, prompt=prompts)

    assert of(lambda task: prompt(task, task - task % 4)) == OWN
    assert of(lambda task: prompt(task, (task + 1) % TASKS)) == []
    table = lambda task: prompt(task, task).replace("for example", "in this table")  # noqa: E731
    assert of(table) == []


WORDS = [f"{first}{last}" for first in ("mar", "tol", "sen", "bri") for last in
         ("ket", "dow", "vil", "gan", "pus")]  # fmt: skip


def ruled(
    task: int,
    shown: int,
    *,
    pair: str = "IN: {}  OUT: {}",
    rule: str = "Every pair was made by the same hidden rule.",
    query: str = "Find the rule and apply it to: {}",
) -> str:
    """Pairs of other tasks and of `shown`, and then what the rule is to be applied to."""
    at = [(shown + step) % TASKS for step in (7, 0, 11)]
    pairs = "\n".join(pair.format(WORDS[each], WORDS[each][::-1]) for each in at)
    return f"{rule}\n\n{pairs}\n\n{query.format(WORDS[task])}"


def leaks_of_pairs(prompt: Callable[[int], str]) -> list[int]:
    return leaks(lambda _: "", answer=lambda task: WORDS[task][::-1], prompt=prompt)


@pytest.mark.parametrize("pair", ["IN: {}  OUT: {}", "{} -> {}", "{} | {}", "- {}: {}", "{}\t{}",
                                  "2. {} => {}", "`{}` -> `{}`"])  # fmt: skip
def test_a_pair_whose_input_the_rule_is_to_be_applied_to_is_a_leak(pair: str) -> None:
    assert leaks_of_pairs(lambda task: ruled(task, task - task % 4, pair=pair)) == OWN
    assert leaks_of_pairs(lambda task: ruled(task, task, pair=pair)) == [*range(TASKS)]


def test_other_pairs_tables_and_rules_that_are_stated_are_no_leaks() -> None:
    other = lambda task: ruled(task, (task + 1) % TASKS)  # noqa: E731
    assert leaks_of_pairs(other) == []
    table = "The table lists what each word means in Old Danish."
    means = "What does {} mean?"
    assert leaks_of_pairs(lambda task: ruled(task, task, rule=table, query=means)) == []
    plural = "Find the rule and apply it to: {}s"
    assert leaks_of_pairs(lambda task: ruled(task, task, query=plural)) == []


def test_a_lookup_that_says_how_to_use_a_table_is_no_leak() -> None:
    """A code list to read from is the task, whatever its prompt calls it."""
    for rule in (
        "Use the table to look up the code of a word.",
        "Each word has a code. Find the code of the word in the table below.",
        "Apply the discount code list below.",
        "Work out the answer in the same way: read it from the table.",
    ):
        prompt = lambda task, r=rule: ruled(task, task, rule=r, query="The word: {}")  # noqa: E731
        assert leaks_of_pairs(prompt) == [], rule


def test_pairs_with_arrows_that_are_alike_show_a_rule_without_naming_it() -> None:
    """A word and its form, in a minority of the tasks; where all have it, it may be an entry to
    look up, as that of a table of codes is."""

    def inflected(task: int, shown: int, end: str = "en") -> str:
        at = [(shown + step) % TASKS for step in (7, 0, 11)]
        pairs = "\n".join(f"{WORDS[each]} (plural) -> {WORDS[each]}{end}" for each in at)
        return f"Some words:\n\n{pairs}\n\nWhat is the plural of '{WORDS[task]}'?"

    def of(prompt: Callable[[int], str], answer: Callable[[int], str]) -> list[int]:
        return leaks(lambda _: "", answer=answer, prompt=prompt)

    plural = lambda task: f"{WORDS[task]}en"  # noqa: E731
    assert of(lambda task: inflected(task, task - task % 4), plural) == OWN
    assert of(lambda task: inflected(task, task), plural) == []
    assert of(lambda task: inflected(task, (task + 1) % TASKS), plural) == []
    code = lambda task: f"{7919 * (task + 3)}"  # noqa: E731
    table = "\n".join(f"{word} -> {code(at)}" for at, word in enumerate(WORDS))
    assert of(lambda task: f"Codes:\n\n{table}\n\nWhat is that of '{WORDS[task]}'?", code) == []


def test_long_blanks_before_pairs_are_read_in_linear_time() -> None:
    examples = Examples()
    for n in range(4):
        examples.add(n, [("user", f"gull {n}\n" + "\t" * 19_980)], f"gull {n}")
    began = time.process_time()
    assert examples.leaks == {}
    assert time.process_time() - began < 2.0


def alike(task: int, shown: int, *, form: str, query: str) -> str:
    return ruled(task, shown, pair=form, rule="These are all:", query=query)


@pytest.mark.parametrize(
    ("pair", "query"),
    [
        ("{0} -> {0}2", "To what was {} renamed?"),
        ("{0}e -> {0}a", "What is the right form of {}e?"),
    ],
)
def test_pairs_that_are_looked_up_in_each_task_are_no_leaks(pair: str, query: str) -> None:
    right = pair.split(" -> ")[1]

    def leaked(shown: Callable[[int], int]) -> list[int]:
        return leaks(
            lambda _: "",
            answer=lambda task: right.format(WORDS[task], WORDS[task][::-1]),
            prompt=lambda task: alike(task, shown(task), form=pair, query=query),
        )

    assert leaked(lambda task: task) == []
    assert leaked(lambda task: task - task % 4) == OWN


def test_names_that_all_begin_alike_show_no_rule() -> None:
    """The nodes of a graph: some tasks ask for one that the prompt lists, others for none."""
    codes = [f"node{task * 37 % 89 + 10}" for task in range(TASKS)]

    def prompt(task: int) -> str:
        at = [(task - task % 4 + step) % TASKS for step in (7, 0, 11)]
        pairs = "\n".join(f"node{WORDS[each]} -> {codes[each]}" for each in at)
        return f"Edges:\n{pairs}\n\nWhat follows node{WORDS[task]}?"

    assert leaks(lambda _: "", answer=lambda task: codes[task], prompt=prompt) == []
