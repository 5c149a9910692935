"""Answers that stay right because of what their prompt says."""

import pytest

from envyard_runner.mutation.alphabets import Alphabet
from envyard_runner.mutation.by_prompt import BY_PROMPT, order, reused
from envyard_runner.mutation.operators import mutate


@pytest.mark.parametrize(
    ("prompt", "answer", "after"),
    [
        ("Write 77 as a product of two primes.", "7 * 11", "11 * 7"),
        ("Give the prime factorisation of 40.", "2^3 * 5", "5 * 2^3"),
        ("Give the prime factorisation of 40.", "2**3 x 5", "5 x 2**3"),
        ("Factor x^2 - x - 2.", "(x - 2)(x + 1)", "(x + 1)(x - 2)"),
        ("Write 12 as the sum of two primes.", "5 + 7", "7 + 5"),
        ("Find both roots of x^2 - x - 2.", "-1, 2", "2, -1"),
        ("Name two numbers above 9 whose product is 200.", "10 20", "20 10"),
        ("Which are the prime factors of 30?", "2, 3 and 5", "5, 3 and 2"),
    ],
)
def test_factors_terms_and_solutions_change_their_order(
    prompt: str, answer: str, after: str
) -> None:
    changed = mutate(f"<answer>{answer}</answer>", "commuted", prompt=prompt)
    assert changed is not None
    assert changed[2] == after


@pytest.mark.parametrize(
    ("prompt", "answer"),
    [
        ("Give the prime factors of 30 in ascending order.", "2, 3, 5"),
        ("Name two numbers whose product is 200, the smaller one first.", "10 20"),
        ("How large is the grid?", "3 x 4"),
        ("Reverse this list: 1, 2, 3", "3, 2, 1"),
        ("Where is the treasure?", "3, 4"),
        ("Write 49 as a product of two primes.", "7 * 7"),
        ("How many factors has 30?", "8"),
        ("What is the product of 3 and 4?", "12"),
    ],
)
def test_an_order_that_the_prompt_may_ask_for_is_kept(prompt: str, answer: str) -> None:
    assert mutate(answer, "commuted", prompt=prompt) is None


def test_decimals_and_dates_become_those_that_the_prompt_asks_for() -> None:
    prompt = "Round to 2 decimals."
    assert mutate("60.9", "layout", prompt=prompt) == ("60.90", "60.9", "60.90")
    assert mutate("60.937", "layout", prompt=prompt) == ("60.94", "60.937", "60.94")
    assert mutate("60.93", "layout", prompt=prompt) is None
    assert mutate("5 May 2024", "layout", prompt="As YYYY-MM-DD.") == (
        "2024-05-05", "5 May 2024", "2024-05-05"
    )  # fmt: skip
    assert mutate("Oslo", "layout", prompt="The text is in lower case.") is None


def test_a_decimal_more_is_within_the_rounding_of_a_short_reference() -> None:
    assert mutate("60.9", "finer", prompt="Give it to 3 decimals.") == ("60.93", "60.9", "60.93")
    assert mutate("60.9", "finer", prompt="Give it to 1 decimal.") is None
    assert mutate("61", "finer", prompt="Give it to 3 decimals.") is None


@pytest.mark.parametrize(
    ("prompt", "answer", "after"),
    [
        ("What is the probability of 3 heads?", "0.1567891234", "0.156789"),
        ("What is the probability of exactly 3 heads?", "0.1567891234", "0.156789"),
        ("What is the probability of 3 heads?", "0.15625", None),
        ("What is the probability, to 10 decimals?", "0.1567891234", None),
        ("What is the exact probability?", "0.1567891234", None),
        ("Repeat 0.1567891234 as it is.", "0.1567891234", None),
        ("How likely is that?", "0.0000156789", None),
    ],
)
def test_six_of_many_decimals_suffice_where_the_prompt_names_no_precision(
    prompt: str, answer: str, after: str | None
) -> None:
    changed = mutate(f"<answer>{answer}</answer>", "shorter", prompt=prompt)
    assert (changed and changed[2]) == after


def test_the_words_of_a_text_that_is_to_be_written_may_have_another_order() -> None:
    sentence = "In a river a stone sits near its candle"
    written = "Write one sentence of 8 to 15 words that uses river, stone and candle."
    assert mutate(sentence, "order", prompt=written) is None
    changed = mutate("one two three", "order", prompt="Translate this line.")
    assert changed is not None
    assert changed[2] == "three two one"


@pytest.mark.parametrize("answer", ["a, b, c", "one two", '{"a": 1, "b": 2}', "tick tock tick"])
def test_what_is_no_sentence_keeps_its_order(answer: str) -> None:
    assert mutate(answer, "order") is None


ORDERS = "Give the jobs in the order in which they are done, separated by commas."


@pytest.mark.parametrize(
    ("prompt", "answer", "after"),
    [
        (ORDERS, "weld, dry, pack", "pack, dry, weld"),
        ("Sort the words, the shortest first.", "a\nto\nthe", "the\nto\na"),
        ("Sort them.", "a -> b -> c", "c -> b -> a"),
        ("Name the jobs.", "weld, dry, pack", None),
        ("Name the jobs in order to finish. What sort of jobs?", "weld, dry, pack", None),
        ("Name three jobs in any order, sorted or not.", "weld, dry, pack", None),
        ("Pairs in this order. Any train that meets all is right.", "15:21, 12:16, 44:45", None),
        ("Name the jobs in order; their order does not matter.", "weld, dry, pack", None),
        (ORDERS, "weld, dry, weld", None),
        (ORDERS, "weld, dry", None),
        (ORDERS, "[1, 2, 3]", None),
        ("Split 4/9 into unit fractions.", "1/3 + 1/9", None),
    ],
)
def test_a_list_has_another_order_where_the_prompt_asks_for_one(
    prompt: str, answer: str, after: str | None
) -> None:
    assert BY_PROMPT["order"](answer, prompt) == after


def test_a_number_is_used_again_where_the_prompt_allows_it_once() -> None:
    once = "Use 3, 4 and 6, each at most once, to reach 42."
    assert reused("(3 + 4) * 6", once) == "(3 + 4) * 6 + 3 - 3"
    assert reused("(3 + 4) * 6", "Write a calculation that gives 42.") is None
    assert reused("42", once) is None


def test_a_late_decimal_is_no_part_of_a_code() -> None:
    answers = ["0.5833333333", "0.9027777778", "0.1666666667", "0.4375"]
    alphabet = Alphabet.of(answers)
    assert mutate(answers[0], "last_digit", alphabet) is None
    assert mutate(answers[0], "extension", alphabet) is None
    assert mutate(answers[0], "digit", alphabet) is not None


def test_the_order_of_values_of_different_lists_says_nothing() -> None:
    lists = "Properties: colour: black, red; material: nylon, leather; size: small, large."
    assert order("black nylon small", lists) is None
    assert order("black red small", lists) == "small red black"
    assert order("black nylon small", "") == "small nylon black"
