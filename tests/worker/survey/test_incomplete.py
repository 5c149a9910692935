"""Prompts that lack what they ask about, and sound prompts that resemble them."""

import random
import string
from collections.abc import Callable

import pytest

from envyard_runner.survey.incomplete import incomplete_prompts
from envyard_runner.survey.listing import Listed

WORDS = ("otter", "heron", "badger", "marten", "plover", "gannet", "weasel", "beaver", "falcon")


def listed(prompt: Callable[[int], str], n: int = 40, shown: str = "") -> list[Listed]:
    return [Listed(i, prompt(i), f"{i * 7}", shown, f"{i}") for i in range(n)]


def name(task: int) -> str:
    return f"{WORDS[task % 9]}{WORDS[task // 9 % 9]}"


@pytest.mark.parametrize(
    ("prompt", "tasks", "reason"),
    [
        (lambda i: "What is {first} plus {second}? The number alone.", 40, "placeholder"),
        (lambda i: f"How long is {name(i)}?" if i % 9 else "How long is {word}?", 5, "placeholder"),
        (lambda i: "Name the {n}th of the months.", 40, "placeholder"),
        (lambda i: f"Summarise the following text:\n{name(i) if i % 9 else ''}", 5, "announced"),
        (lambda i: "Count the vowels of the following word:", 40, "announced"),
        (lambda i: f"Text: {name(i) if i % 9 else ''}\nQuestion: who is named?", 5, "announced"),
        (lambda i: f"Classify it.\nReview: {name(i) if i % 9 else 'nan'}", 5, "None or nan"),
        (lambda i: f"Which colour has item {i} in the picture above?", 40, "not there"),
        (lambda i: f"According to the passage, when did {name(i)} leave?", 40, "not there"),
        (lambda i: f"Add {i} and {i * 3 if i % 9 else ''}. Give the number.", 5, "piece"),
        (lambda i: f"How many letters are in the word '{name(i) if i % 9 else ''}'?", 5, "piece"),
    ],
)
def test_prompts_that_lack_something_are_named(
    prompt: Callable[[int], str], tasks: int, reason: str
) -> None:
    lacking = incomplete_prompts(listed(prompt))
    assert lacking is not None
    assert lacking.count == tasks
    assert reason in lacking.reason


@pytest.mark.parametrize(
    "prompt",
    [
        lambda i: f"Add {i} and {i + 4}. Reply as {{number}}.",
        lambda i: f"What does this print?\nx = {i}\nprint(f'{{x}} items')",
        lambda i: f"Compute \\frac{{{i}}}{{n}} for n = {i + 1}.",
        lambda i: "Guess my number between 1 and 100.",
        lambda i: f"Summarise the following text:\n{name(i)} went home.",
        lambda i: f"Text: {name(i)}\nQuestion: who is named?\nAnswer:",
        lambda i: f"Translate to German: the picture above the {name(i)} is old.",
        lambda i: f"According to the passage, who left? Passage: {name(i)} left.",
        lambda i: f"{name(i)} left in {i}. According to the passage, who left?",
        lambda i: (
            f"According to the passage, who left? It says {name(i)} and {name(i + 1)} left, "
            "and the others stayed with the ship until it was repaired."
        ),
        lambda i: f"Translate the following text to French. I am {name(i)}.",
        lambda i: f"Describe the {'old ' if i % 9 else ''}house of {name(i)}.",
        lambda i: f"Add {i} and {i * 3}{' and 5' if i % 9 else ''}. Give the number.",
        lambda i: f"Is the set {{a}} a subset of {{{name(i)}}}?",
        lambda i: f"Write a story about {name(i)}." if i % 9 else "Write a story.",
        lambda i: f"Name of {name(i)}: None\nIs there a name?",
        lambda i: (
            f"Copy this code: {name(i)};{{mtt}}cb" if i == 7 else f"Copy this code: {name(i)}"
        ),
        lambda i: f"Expand (a + {i})^{{n}} for n = {i + 1}.",
        lambda i: f"Fill in the template 'Dear {{name}}' for {name(i)}.",
    ],
)
def test_sound_prompts_lack_nothing(prompt: Callable[[int], str]) -> None:
    assert incomplete_prompts(listed(prompt)) is None


def test_images_and_other_parts_are_left_alone() -> None:
    pictured = listed(lambda i: f"Item {i} in the picture above?", shown="abc")
    assert incomplete_prompts(pictured) is None


CODES = {
    "letters and marks": (string.ascii_letters + string.digits + "-_#", 12, 40),
    "digits and hyphens": (string.digits + "-", 3, 8),
    "all marks": (string.ascii_letters + string.punctuation, 8, 30),
    "short": ("ab-", 2, 5),
}


@pytest.mark.parametrize("kind", CODES)
@pytest.mark.parametrize("known", [True, False])
def test_random_codes_are_whole_whatever_they_begin_or_end_with(kind: str, known: bool) -> None:
    characters, shortest, longest = CODES[kind]
    for seed in range(10):
        rng = random.Random(seed)
        codes = [
            "".join(rng.choices(characters, k=rng.randint(shortest, longest))) for _ in range(200)
        ]
        tasks = [
            Listed(at, f"Copy this code exactly: {code}", code if known else None, "", f"{at}")
            for at, code in enumerate(codes)
            if any(map(str.isalnum, code))
        ]
        assert incomplete_prompts(tasks) is None, seed


@pytest.mark.parametrize(
    "code",
    [
        lambda i: f"-{name(i)}" if i % 9 == 0 else f"{name(i)}-{name(i + 1)}",
        lambda i: f".{name(i)}" if i % 9 == 0 else f"{name(i)}.py",
        lambda i: f"-{i}" if i % 9 == 0 else f"{i}-{name(i)}",
        lambda i: f"the {name(i)} sang" if i % 9 == 0 else f"{name(i)} saw the {name(i * 3)}"
        if i % 2 else f"{name(i)} slept",
    ],
    ids=["hyphens", "file names", "numbers", "sentences"],
)  # fmt: skip
def test_pieces_that_begin_in_another_way_are_there(code: Callable[[int], str]) -> None:
    assert incomplete_prompts(listed(lambda i: f"Say it in French: {code(i)}")) is None


def test_a_prompt_that_holds_its_answer_lacks_nothing() -> None:
    words = [name(i) if i % 9 else "None" for i in range(40)]
    copied = [Listed(i, f"Copy it.\nText: {word}", word, "", "") for i, word in enumerate(words)]
    assert incomplete_prompts(copied) is None
    chosen = [
        Listed(i, f"Is it good or poor?\nReview: {word}", "good", "", "")
        for i, word in enumerate(words)
    ]
    lacking = incomplete_prompts(chosen)
    assert lacking is not None
    assert lacking.count == 5


def test_one_prompt_of_hundreds_without_its_number_is_named() -> None:
    lacking = incomplete_prompts(
        listed(lambda i: f"Add {i} and {i * 3 if i != 50 else ''}. Give the number.", n=300)
    )
    assert lacking is not None
    assert lacking.tasks == [50]


def test_a_placeholder_that_the_answer_repeats_is_a_text_to_be_copied() -> None:
    texts = [f"{name(task)} {'y' if task % 9 else '{x}'} costs {task}" for task in range(40)]

    def listing(*, copied: bool) -> list[Listed]:
        return [
            Listed(
                n,
                f"Copy this line with single spaces:\n{text.replace(' ', '  ')}",
                text if copied else f"{n}",
                "",
                f"{n}",
            )
            for n, text in enumerate(texts)
        ]

    assert incomplete_prompts(listing(copied=True)) is None
    assert incomplete_prompts(listing(copied=False)) is not None


@pytest.mark.timeout(20)
@pytest.mark.parametrize(
    "text", ["{a} " * 10_000 + "answer", "the following text:" + " " * 40_000 + "x"]
)
def test_many_placeholders_and_spaces_are_read_at_once(text: str) -> None:
    assert incomplete_prompts(listed(lambda _: text, n=4)) is None


def test_the_end_of_what_a_survey_reads_of_a_long_prompt_is_no_cut() -> None:
    rng = random.Random(5)
    words = [
        "report",
        "minutes",
        "meeting",
        "accepted",
        "everyone",
        "attended",
        "yesterday",
        "agreed",
        "further",
    ]
    for most in (400, 1_200):
        texts = [
            "Read this.\n\n" + " ".join(rng.choices(words, k=rng.randint(60, most // 4)))
            for _ in range(120)
        ]
        tables = [
            "How many?\n\nvillage,wheat,rye\n"
            + "\n".join(f"x{at},{at * 7},{at * 11}" for at in range(100, rng.randint(110, most)))
            for _ in range(120)
        ]
        for prompts in (texts, tables):
            tasks = [
                Listed(at, prompt[:1_500], str(at), "", "", lines=lines(prompt))
                for at, prompt in enumerate(prompts)
            ]
            assert incomplete_prompts(tasks) is None


def lines(prompt: str) -> tuple[int, ...]:
    """The lengths of a long prompt's lines, as guests list them."""
    known = len(prompt) >= 1_500 and prompt.count("\n") < 400
    return tuple(map(len, prompt.split("\n"))) if known else ()
