"""Answers that are always the same piece of the prompt, and prompts that merely contain them."""

import random
from collections.abc import Callable
from hashlib import sha1

import pytest

from envyard_runner.survey.places import answer_place

NAMES = ("ada", "bela", "cyra", "dora", "elin", "finn", "gwen", "hugo", "ines", "jan", "kim", "lea")


def test_an_answer_at_one_place_of_every_prompt_is_named() -> None:
    catalog = [(f"Item {n}: 3 boxes of {n + 2}. The total?", str(n)) for n in range(20, 40)]
    assert answer_place(catalog) == (20, "number 1")
    padded = [(f"[item {n:05d}] 3 boxes of {n + 2}. The total?", f"{n}.0") for n in range(20, 40)]
    assert answer_place(padded) == (20, "number 1")
    letters = [(f"Dear {name.title()}, who is this to?", name) for name in NAMES]
    assert answer_place(letters) == (12, "word 2")
    assert answer_place([*catalog[:18], ("Item 1: 2", "9"), ("Item 1: 2", "8")])[0] == 18


@pytest.mark.parametrize(
    "tasks",
    [
        [(f"Which is larger, {n} or {(7 * n) % 20}?", str(max(n, 7 * n % 20))) for n in range(20)],
        [(f"Is {n} even: yes or no?", "yes") for n in range(20)],
        [(f"Add {n} and 5.", str(n + 5)) for n in range(20)],
        [(f"Item {n}: 3 boxes.", str(n)) for n in range(4)],
        [(f"Item {n}: 3 boxes.", str(n or 7)) for n in range(9)],
    ],
)
def test_choices_constants_and_few_tasks_have_no_place(tasks: list[tuple[str, str]]) -> None:
    assert answer_place(tasks) == (0, "")


def orders(*, shuffled: bool, question: str = "Which came first?") -> list[tuple[str, str]]:
    rng, rows = random.Random(2), []
    for _ in range(30):
        letters = [*"ABCDE"[: rng.randint(3, 5)]]
        prompt = f"{question} {' '.join(rng.sample(letters, len(letters)))}"
        right = rng.sample(letters, len(letters)) if shuffled else letters
        rows.append((prompt, ", ".join(right)))
    return rows


def test_letters_that_were_dealt_in_the_order_that_is_asked_for_are_named() -> None:
    assert answer_place(orders(shuffled=False)) == (30, "always the letters in their order")
    assert answer_place(orders(shuffled=True)) == (0, "")
    assert answer_place(orders(shuffled=False, question="Sort the letters.")) == (0, "")


QUEUES = ("billing", "access", "delivery", "returns")


def test_a_number_that_names_a_task_and_tells_its_label_is_named() -> None:
    predicted = [(f"Ticket {n % 4 + 1}{n:05d}\n\nHelp me.", QUEUES[n % 4]) for n in range(40)]
    assert answer_place(predicted) == (40, "predicted by the first digit of the id")
    letters = [(f"#{QUEUES[n % 4][:2]}-{n:03d} Help me.", QUEUES[n % 4]) for n in range(40)]
    assert answer_place(letters) == (40, "predicted by the letters of the id")


@pytest.mark.parametrize(
    "tasks",
    [
        [(f"Ticket {7919 * n % 90000}: help me.", QUEUES[n % 4]) for n in range(60)],
        [(f"Case {n + 100}: is it even?", ("yes", "no")[n % 2]) for n in range(40)],
        [(f"Add {n % 4}00 and 1.", QUEUES[n % 4]) for n in range(40)],
        [(f"Ticket 1{n:05d}: help me.", "billing") for n in range(40)],
    ],
)
def test_numbers_that_say_nothing_and_numbers_of_the_task_are_not(
    tasks: list[tuple[str, str]],
) -> None:
    assert answer_place(tasks) == (0, "")


CAUSES = ("disk", "memory", "network", "certificate")


def logs(*, named: bool, listed: bool = True) -> list[tuple[str, str]]:
    """Logs whose names hold the first letters of their label, or of another one in turns."""
    rows = []
    for n in range(40):
        cause, shown = CAUSES[n % 4], CAUSES[(n if named else n // 4) % 4]
        options = f" One of {', '.join(CAUSES)}." if listed else ""
        rows.append(
            (f"File: web.{shown[:4]}.{n:04d}.log\nGET /{n} 200\nThe cause?{options}", cause)
        )
    return rows


@pytest.mark.parametrize("listed", [True, False])
def test_a_label_that_a_name_abbreviates_is_named(*, listed: bool) -> None:
    count, place = answer_place(logs(named=True, listed=listed))
    assert count == 40
    assert place == "abbreviated (memo) in a name"


def test_abbreviations_of_any_label_and_whole_labels_are_none() -> None:
    assert answer_place(logs(named=False)) == (0, "")
    words = [(f"Is it {CAUSES[n % 4]} or not, number {n}?", CAUSES[n % 4]) for n in range(40)]
    assert answer_place(words)[1] != "abbreviated (disk) in a name"


def test_answers_of_one_task_each_are_no_labels() -> None:
    names = ("Ann", "Bob", "Cleo", "Dan", "Eve", "Finn", "Gus", "Hana", "Ivo", "June", "Kim", "Leo")
    rows = [(f"{name} says that both are knaves.", f"{name}=knave, Zoe=knight") for name in names]
    assert answer_place(rows) == (0, "")
    alone = [(f"{name} says that both are knaves.", f"{name}belle") for name in names]
    assert answer_place(alone) == (0, "")


def samples(*, tells: bool) -> list[tuple[str, str]]:
    """Samples with a code, of their label or of the sample itself, and a year."""
    rows = []
    for n in range(60):
        cause = CAUSES[n % 4]
        code = sha1(cause.encode() if tells else f"{cause} {n}".encode()).hexdigest()[:5]
        rows.append((f"Sample LS-{2011 + n // 5}-{code}: {n * 7 % 50} mm wide. The cause?", cause))
    return rows


def test_a_code_that_all_prompts_of_a_label_have_is_named() -> None:
    count, place = answer_place(samples(tells=True))
    assert count >= 57
    assert place.startswith("given by a code (")


def test_codes_and_years_of_single_samples_tell_nothing() -> None:
    assert answer_place(samples(tells=False)) == (0, "")


ANIMALS = (
    "sea otter",
    "red deer",
    "grey wolf",
    "barn owl",
    "field mouse",
    "fire newt",
    "moon bear",
)
WHO = "Which of them do I think of?"


def fields(
    place: int | None,
    *,
    line: str = "- {} (lives {} years)",
    opening: str = "I think of one of these animals",
    question: str = WHO,
    tasks: int = 40,
) -> list[tuple[str, str]]:
    """Lists of five to seven animals of which the one at that place is right, or any."""
    rng, rows = random.Random(3), []
    for _ in range(tasks):
        names = rng.sample(ANIMALS, rng.randint(5, 7))
        right = rng.choice(names) if place is None else names[place]
        named = [line.format(name, rng.randint(3, 60)) for name in names]
        listed = "\n".join(named) if "\n" not in line else ", ".join(names)
        rows.append((f"{opening}:\n{listed}\n\n{question}", right))
    return rows


@pytest.mark.parametrize("line", ["- {} (lives {} years)", "* {}", "3. {}: {} years", "a) {}"])
def test_the_right_entry_at_one_place_of_every_list_is_named(line: str) -> None:
    assert answer_place(fields(0, line=line)) == (40, "entry 1 of the list")
    assert answer_place(fields(2, line=line)) == (40, "entry 3 of the list")
    assert answer_place(fields(-2, line=line)) == (40, "entry 2 from the end of the list")
    assert answer_place(fields(None, line=line)) == (0, "")


def test_names_with_commas_are_a_list_too() -> None:
    def rows(place: int | None) -> list[tuple[str, str]]:
        shown = fields(place, line="\n")
        return [(prompt.replace(":\n", ": "), right) for prompt, right in shown]

    assert answer_place(rows(-1)) == (40, "entry 1 from the end of the list")
    assert answer_place(rows(None)) == (0, "")


@pytest.mark.parametrize(
    ("place", "question"),
    [
        (0, "Which of them comes first?"),
        (0, "Which of them leads the table?"),
        (0, "By points: who is the champion?"),
        (0, "By age: which is the oldest?"),
        (0, "Listed from new to old. Which is the newest?"),
        (-1, "Which is the lowest in the ranking?"),
        (-1, "Which one ends the list?"),
        (0, "They are in a queue; which one is at its head?"),
        (0, "These are in the order of their finish. Which one won?"),
        (-1, "They were put on a stack in this order. Which one is taken from it?"),
        (0, "They came in this order of time. Who came earliest?"),
        (-1, "In order of arrival; who is the latest?"),
        (1, "Name the second one."),
        (1, "Reply with entry 2."),
        (1, "Reply with the entry behind the one at the beginning."),
    ],
)
def test_a_place_that_the_prompt_names_is_what_the_task_is_about(place: int, question: str) -> None:
    assert answer_place(fields(place, question=question)) == (0, "")


def test_few_lists_and_records_of_which_any_field_is_wanted_are_sound() -> None:
    assert answer_place(fields(0, tasks=15)) == (0, "")
    rng, rows = random.Random(4), []
    for _ in range(60):
        animal, town = rng.choice(ANIMALS), rng.choice(("new york", "los angeles", "san remo"))
        record = [animal, f"{rng.randint(2, 40)} years", f"in {town}"]
        at = rng.randrange(2)
        wanted = ("Which animal is it?", "How old is it?")[at]
        rows.append((f"Record: {', '.join(record)}\n{wanted}", record[at]))
    assert answer_place(rows) == (0, "")


@pytest.mark.parametrize("form", ["Address: {}, {} Hill Road, {}", "- {}\n- {} Hill Road\n- {}"])
def test_the_field_of_a_record_that_is_to_be_read_is_no_place_of_a_list(form: str) -> None:
    rng, rows = random.Random(4), []
    for _ in range(60):
        opening = rng.choice(("Dear all", "A letter came", "We got this note"))
        name, town = rng.choice(ANIMALS), rng.choice(("york", "leeds", "hull"))
        record = form.format(name, rng.randint(1, 90), town)
        rows.append((f"{opening}\n{record}\nWhat is the name?", name))
    assert answer_place(rows) == (0, "")


def charts(number: Callable[[random.Random, int], int]) -> list[tuple[str, str]]:
    """Charts whose middle number is that of the rolled dice and the answer."""
    rng, rows = random.Random(9), []
    for _ in range(40):
        each, days = rng.randint(2, 9), rng.randint(11, 60)
        chart = f"{rng.randint(100, 999)}-{number(rng, each * days):05d}-{rng.choice('ABC')}3"
        rows.append((f"Chart {chart}\n\n{each} ml a day for {days} days?", str(each * days)))
    return rows


def test_an_identifier_that_holds_the_answer_is_named() -> None:
    assert answer_place(charts(lambda _, answer: answer)) == (40, "number 2")


def test_numbers_of_identifiers_and_negative_numbers_are_no_answers() -> None:
    assert answer_place(charts(lambda rng, _: rng.randint(100, 600))) == (0, "")
    signs = [(f"It is {-n} degrees. What is its opposite?", str(n)) for n in range(20, 50)]
    assert answer_place(signs) == (0, "")
    lower = [(f"Is {n} the larger one, or ({-n})? Which one is not?", str(-n)) for n in range(40)]
    assert answer_place(lower)[1] == "number 2"


def test_names_of_values_are_no_letters_of_options() -> None:
    plans = [(f"Plan {at}.", f"A={at % 7} B={at % 5} C={at % 3} D=1") for at in range(40)]
    assert answer_place(plans) == (0, "")
