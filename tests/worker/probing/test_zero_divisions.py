"""Examples of a prompt with a zero as their divisor."""

from envyard_runner.probing.zero_divisions import zero_divisions

PROMPT = "Send `ASK: n > 500` or `ASK: n % 6 == 2`, or \"n / 12\", or 'n // 3 % 4'."


def test_each_divisor_of_an_example_is_replaced_once() -> None:
    assert zero_divisions([PROMPT]) == [
        "ASK: n % 0 == 2", "n / 0", "n // 0 % 4", "n // 3 % 0",
    ]  # fmt: skip


def test_dates_paths_and_prompts_without_a_division_have_none() -> None:
    assert zero_divisions(["On `3/4/2025` read `a/b2/c` or `50 %`.", "n % 6", ""]) == []
    assert zero_divisions(["`" * 50_000, '"' * 50_000]) == []
