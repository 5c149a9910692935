"""Overlap of tasks with the operator's lists of benchmarks, and what is none."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from envyard.contract.survey import BenchmarkOverlap, Survey
from envyard_runner.survey.benchmarks import overlapping, read_lists
from envyard_runner.survey.listing import Listed

EGGS = (
    "Janet's ducks lay sixteen eggs per day. She eats three for breakfast every morning and bakes "
    "muffins for her friends every day with four."
)
SHORT = "Name the largest moon of the planet Saturn."


def tasks(*prompts: str) -> list[Listed]:
    return [Listed(index, prompt, None, "", "") for index, prompt in enumerate(prompts)]


def shared(folder: Path, *prompts: str) -> dict[str, list[int]]:
    rows = overlapping(tasks(*prompts), read_lists(folder))
    assert all(row.tasks >= len(row.examples) for row in rows)
    return {row.name: row.examples for row in rows}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Two lists and a file that is none."""
    rows = [{"question": EGGS, "answer": "9"}, {"id": 3}, ["x"], EGGS]
    lines = "".join(json.dumps(row) + "\n" for row in rows)
    (tmp_path / "eggs.jsonl").write_text(f"{lines}{{broken\n\n")
    (tmp_path / "moons.txt").write_text(f"{SHORT}\nToo short to compare\n\xff\n", "latin-1")
    (tmp_path / "notes.md").write_text(EGGS)
    return tmp_path


def test_lists_are_read_from_texts_and_json_lines(folder: Path) -> None:
    assert [(each.name, each.items) for each in read_lists(folder)] == [("eggs", 2), ("moons", 1)]
    with pytest.raises(OSError, match="No such"):
        read_lists(folder / "gone")


def test_tasks_with_the_words_of_an_item_are_named_whatever_surrounds_them(folder: Path) -> None:
    inside = f"Solve this problem. {EGGS.upper().replace('.', ' -')} Answer with a number."
    assert shared(folder, "What is 2 + 2?", inside) == {"eggs": [1], "moons": []}
    assert shared(folder, f"Question: {SHORT}") == {"eggs": [], "moons": [0]}


def test_another_task_of_the_same_kind_shares_nothing(folder: Path) -> None:
    other = "Janet's hens lay twenty eggs per day. She eats two for lunch and sells the rest."
    assert shared(folder, other, "Name the largest moon.") == {"eggs": [], "moons": []}


def test_the_words_of_a_template_are_no_overlap(folder: Path) -> None:
    """Instructions that stand in the list, too."""
    prompts = [f"{SHORT} Then add {n} to its radius." for n in range(30)]
    assert shared(folder, *prompts) == {"eggs": [], "moons": []}


def test_copies_of_one_item_are_counted_and_are_no_template(folder: Path) -> None:
    (row, _) = overlapping(tasks(*[EGGS] * 30), read_lists(folder))
    assert (row.name, row.tasks, row.examples) == ("eggs", 30, [0, 1, 2, 3, 4])


def test_a_changed_list_is_read_again(folder: Path) -> None:
    assert shared(folder, EGGS)["eggs"] == [0]
    (folder / "eggs.jsonl").write_text(f"{SHORT}\n")
    os.utime(folder / "eggs.jsonl", ns=(1, 1))
    assert shared(folder, EGGS)["eggs"] == []


def test_large_lists_are_read_in_part(folder: Path) -> None:
    (folder / "large.txt").write_text("".join(f"{n} {SHORT}\n" for n in range(90)))
    (large,) = (each for each in read_lists(folder, max_bytes=100) if each.name == "large")
    assert large.items == 3


def test_no_list_is_unknown_and_an_empty_folder_is_not(tmp_path: Path) -> None:
    assert Survey().benchmarks is None
    rows = overlapping(tasks(EGGS), read_lists(tmp_path))
    assert rows == []
    survey = Survey(benchmarks=[BenchmarkOverlap("eggs", 2, 1, [4])])
    assert Survey.from_dict(survey.to_dict()) == survey
