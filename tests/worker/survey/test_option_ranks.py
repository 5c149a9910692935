"""Right options that have the same rank in every task, and those that prompts ask to rank."""

import random

from envyard_runner.survey.places import answer_place


def choices(question: str, *, around: tuple[int, int], tasks: int = 40) -> list[tuple[str, str]]:
    """Products with two wrong options each: the right one plus a multiple of these numbers."""
    rng, rows = random.Random(1), []
    for n in range(tasks):
        value = (20 + n) * 37
        options = [value, *(value + each * rng.randint(1, 9) for each in around)]
        rng.shuffle(options)
        shown = "\n".join(
            f"{letter}) {option}" for letter, option in zip("ABC", options, strict=True)
        )
        prompt = f"{question.format(20 + n)}\n{shown}\n\nReply with one letter."
        rows.append((prompt, "ABC"[options.index(value)]))
    return rows


def test_the_middle_and_the_largest_of_the_options_are_named() -> None:
    assert answer_place(choices("What is 37 x {}?", around=(-10, 10))) == (
        40,
        "the middle one of the options",
    )
    place = answer_place(choices("What is 37 x {}?", around=(-10, -11)))
    assert place == (40, "the largest of the options")


def test_the_longest_option_is_named() -> None:
    rng, rows = random.Random(2), []
    for n in range(30):
        options = [f"because of {n}, which is explained here at some length", f"no {n}", f"yes {n}"]
        right = options[0]
        rng.shuffle(options)
        shown = "\n".join(f"{letter}. {each}" for letter, each in zip("ABC", options, strict=True))
        rows.append((f"Why {n}?\n{shown}", f"<answer>{'ABC'[options.index(right)]}</answer>"))
    assert answer_place(rows) == (30, "the longest of the options")


def prices(question: str, *, right: str = "{}", wrong: str = "{}.5") -> list[tuple[str, str]]:
    """Four prices in any order, of which the right one and the wrong ones are written so."""
    rng, rows = random.Random(3), []
    for n in range(40):
        others = rng.sample([*range(-9, 0), *range(1, 10)], 3)
        options = [right.format(100 + n), *(wrong.format(100 + n + each) for each in others)]
        first = options[0]
        rng.shuffle(options)
        listed = zip("ABCD", options, strict=True)
        shown = "\n".join(f"{letter}) {option}" for letter, option in listed)
        rows.append((f"{question.format(n)}\n{shown}", "ABCD"[options.index(first)]))
    return rows


def test_the_only_option_of_another_form_is_named() -> None:
    assert answer_place(prices("What do {} cost?")) == (40, "the only option without decimals")
    place = answer_place(prices("Why {}?", right="It is {}.", wrong="It is {}"))
    assert place == (40, "the only option with a mark at its end")


def test_a_form_that_prompts_ask_for_or_that_others_have_is_sound() -> None:
    for question in (
        "Which one of {} is a whole number?",
        "Which is a complete sentence, {}?",
        "Which one of {} is a proper noun?",
        "Which of {} is a numeral?",
        "Which of {} is valid?",
        "Which of {} is a year?",
    ):
        assert answer_place(prices(question)) == (0, ""), question
    assert answer_place(prices("What do {} cost?", wrong="{}")) == (0, "")


def lettered(places: list[int]) -> list[tuple[str, str]]:
    shown = "\n".join(f"{letter}) item {letter}" for letter in "ABCD")
    return [(f"Which one is it, {n}?\n{shown}", "ABCD"[place]) for n, place in enumerate(places)]


def test_letters_that_are_never_right_are_named() -> None:
    place = answer_place(lettered([n * 7 % 2 for n in range(40)]))
    assert place == (40, "always A or B, never another option")
    assert answer_place(lettered([n * 7 % 4 for n in range(40)])) == (0, "")
    assert answer_place(lettered([0, 1] * 10)) == (20, "always A or B, never another option")
    assert answer_place(lettered([0, 1, 2] * 7)) == (0, "")  # by chance


def test_prompts_that_ask_for_the_rank_and_options_of_any_rank_are_sound() -> None:
    assert answer_place(choices("Which is the largest ({})?", around=(-10, -11))) == (0, "")
    mixed = choices("What is 37 x {}?", around=(-10, 10), tasks=20)
    mixed += choices("What is 36 x {}?", around=(10, 11), tasks=20)
    assert answer_place(mixed) == (0, "")
    few = choices("What is 37 x {}?", around=(-10, 10), tasks=12)
    assert answer_place(few) == (0, "")


def test_some_prompts_that_speak_of_a_rank_do_not_hide_the_others() -> None:
    rows = choices("What is 37 x {}?", around=(-10, 10))
    asked = choices("What is 37 x {}, from the first to the last?", around=(-10, 10), tasks=15)
    assert answer_place([*rows, *asked]) == (40, "the middle one of the options")
    assert answer_place(asked) == (0, "")


def test_a_form_that_most_right_options_alone_have_is_named() -> None:
    """Wrong options that are rounded to tens, as a right one is by chance now and then."""
    rng, rows = random.Random(5), []
    for n in range(60):
        value = 101 + 7 * n
        options = [value, *(10 * each for each in rng.sample(range(1, 99), 3))]
        rng.shuffle(options)
        listed = "\n".join(f"{a}) {each}" for a, each in zip("ABCD", options, strict=True))
        rows.append((f"How many of {n}?\n{listed}", "ABCD"[options.index(value)]))
    count, place = answer_place(rows)
    assert (count, place) == (54, "the only option without a zero at its end")


def test_some_prompts_that_speak_of_a_form_do_not_hide_the_others() -> None:
    asked = prices("Which one of {} is rounded?")
    assert answer_place([*prices("What do {} cost?"), *asked[:10]]) == (
        40,
        "the only option without decimals",
    )
    assert answer_place([*prices("What do {} cost?")[:15], *asked]) == (0, "")
