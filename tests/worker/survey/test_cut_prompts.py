"""Prompts that are cut at one length, and those that merely share one."""

import random

from envyard_runner.survey.cut_prompts import cut_prompts
from envyard_runner.survey.incomplete import incomplete_prompts
from envyard_runner.survey.listing import Listed

WAYS = ("north", "south", "east", "west")


def routes(limit: int, tasks: int = 60) -> list[str]:
    """Routes that grow with their index, cut at so many characters."""
    rng = random.Random(3)
    return [
        "; ".join(f"{rng.choice(WAYS)} {rng.randint(1, 9)}" for _ in range(6 + n // 2))[:limit]
        for n in range(tasks)
    ]


def test_prompts_that_are_cut_are_named_with_their_length() -> None:
    prompts = routes(200)
    tasks = [Listed(n, prompt, f"{n}", "", "") for n, prompt in enumerate(prompts)]
    incomplete = incomplete_prompts(tasks)
    assert incomplete is not None
    assert incomplete.reason == "it is cut at 200 characters, as others are"
    assert incomplete.count == sum(len(prompt) >= 190 for prompt in prompts) > 20


def test_a_text_that_is_cut_behind_its_question_is_named() -> None:
    prompts = [f"Where does {WAYS[n % 4]} {n} end?\n{text}" for n, text in enumerate(routes(200))]
    assert len(cut_prompts(prompts)) > 20


def test_whole_prompts_and_forms_of_one_length_are_sound() -> None:
    assert cut_prompts(routes(10_000)) == []
    rng = random.Random(4)
    boards = ["".join(rng.choices("XO.", k=9)) + f" {WAYS[n % 4]}" for n in range(60)]
    assert cut_prompts(boards) == []
    names = [f"{'very ' * (n % 12)}long name of {WAYS[n % 4]}" for n in range(60)]
    assert cut_prompts(names) == []


def test_a_paragraph_that_is_cut_before_its_question_is_named() -> None:
    def asked(texts: list[str]) -> list[str]:
        return [
            f"{text}\n\nWhere does walk {n} of {WAYS[n % 4]} end?" for n, text in enumerate(texts)
        ]

    assert len(cut_prompts(asked(routes(200)))) > 20
    assert cut_prompts(asked(routes(10_000))) == []


def test_paragraphs_that_are_all_cut_are_named() -> None:
    rng = random.Random(5)
    texts = [
        " ".join(f"The {rng.choice(WAYS)} walk has {rng.randint(1, 99)} trees." for _ in range(40))
        for _ in range(30)
    ]
    cut = [f"{text[:600]}\n\nWhich walk is the longest of all {n}?" for n, text in enumerate(texts)]
    assert len(cut_prompts(cut)) == 30
    whole = [f"{text}\n\nWhich walk is the longest of all {n}?" for n, text in enumerate(texts)]
    assert cut_prompts(whole) == []
    boards = ["".join(rng.choices("XO.", k=400)) + f"\n\nWhose move is it, {n}?" for n in range(30)]
    assert cut_prompts(boards) == []


def listed(words: list[list[str]], question: str = "Which one rhymes, {}?") -> list[str]:
    return [f"{' '.join(each)}\n\n{question.format(n)}" for n, each in enumerate(words)]


def test_shuffled_words_and_words_of_one_length_are_of_one_length_by_nature() -> None:
    rng = random.Random(8)
    bank = [f"{first}{last}" for first in ("ba", "cor", "d", "el", "fi") for last in
            ("st", "ne", "rk", "mp", "lt", "nd", "sh", "ght", "ve", "ck")]  # fmt: skip
    shuffled = [rng.sample(bank, len(bank)) for _ in range(30)]
    assert cut_prompts(listed(shuffled)) == []
    fours = [f"{a}{b}{c}{d}" for a in "bcdf" for b in "aeiou" for c in "lmn" for d in "kt"]
    assert cut_prompts(listed([rng.sample(fours, 60) for _ in range(30)])) == []


def test_lists_of_various_words_that_are_cut_are_named() -> None:
    rng = random.Random(9)
    bank = [f"{first}{last}" for first in ("ba", "cor", "d", "el", "fi") for last in
            ("st", "ne", "rk", "mp", "lt", "nd", "sh", "ght", "ve", "ck")]  # fmt: skip
    cut = [" ".join(rng.choices(bank, k=120))[:300].split(" ") for _ in range(30)]
    assert len(cut_prompts(listed(cut))) == 30
    whole = [rng.choices(bank, k=60) for _ in range(30)]
    assert cut_prompts(listed(whole)) == []
