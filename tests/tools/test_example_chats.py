"""What the small models of docs/evaluations.md are trained on: replies that earn full marks, to
tasks that no evaluation has."""

from __future__ import annotations

from itertools import islice, pairwise

from tools.vllm import example_chats
from tools.vllm.example_chats import SEED, Chat


def calls(chat: Chat) -> list[tuple[str, dict[str, object]]]:
    functions = [each["function"] for m in chat for each in m.get("tool_calls", ())]
    return [(function["name"], function["arguments"]) for function in functions]


def test_the_edit_of_each_bug_repairs_its_repository() -> None:
    library = example_chats.module_of("bug-fix", "repositories")
    workspace = example_chats.module_of("bug-fix", "workspace")
    chats = list(islice(example_chats.fixes(SEED), len(library.KINDS)))
    assert len({chat[0]["content"] for chat in chats}) == len(library.KINDS)
    for chat in chats:
        package = chat[0]["content"].split("`")[1]
        report = chat[0]["content"].split("> ")[1].split("\n")[0]
        adjective, _, noun = package.partition("_")
        [(blueprint, bug)] = [
            kind for kind in library.KINDS if (kind[0].noun, kind[1].report) == (noun, report)
        ]
        row = library.build(blueprint, bug, adjective=adjective, seed="")
        (name, arguments), last = calls(chat)
        files = dict(row.broken)
        assert (name, last) == ("edit_file", ("run_tests", {}))
        assert workspace.edit(files, **arguments) == chat[2]["content"]
        assert files == row.right
        assert " 0 failed" in chat[4]["content"]


def test_no_repository_of_the_training_is_one_of_the_environment() -> None:
    library = example_chats.module_of("bug-fix", "repositories")
    packages = {row.package for row in library.repositories(seed=0, count=library.MOST)}
    trained = {
        chat[0]["content"].split("`")[1] for chat in islice(example_chats.fixes(SEED), library.MOST)
    }
    assert len(trained) > library.MOST // 2
    assert not trained & packages


def test_the_calls_of_a_calculation_lead_to_its_answer() -> None:
    compute = example_chats.module_of("calculator-tools", "arithmetic").compute
    for chat in islice(example_chats.calculations(SEED), 50):
        results = [str(compute(name, **arguments)) for name, arguments in calls(chat)]
        assert [m["content"] for m in chat if m["role"] == "tool"] == results
        assert chat[-1]["content"] == f"Answer: {results[-1]}"


def test_the_split_of_the_training_has_no_task_of_the_evaluated_one() -> None:
    reversals = example_chats.module_of("reverse-text", "texts")
    problems = example_chats.module_of("grade-school-math", "problems")
    questions = example_chats.module_of("double-check", "questions")
    chains = example_chats.module_of("calculator-tools", "chains")
    for source, library in (
        (example_chats.reversals, reversals),
        (example_chats.stories, problems),
        (example_chats.doubts, questions),
        (example_chats.calculations, chains),
    ):
        for chat in islice(source(SEED), 100):
            text = next(m["content"] for m in chat if m["role"] == "user")
            for instruction in example_chats.fixed_texts():
                text = text.removeprefix(instruction).removesuffix(instruction).strip()
            assert library.split_of(text) == "eval", text


def test_the_worked_answers_are_right() -> None:
    library = example_chats.module_of("double-check", "questions")
    answers = dict(islice(library.questions(seed=SEED, split=example_chats.SPLIT), 300))
    for chat in islice(example_chats.doubts(SEED), 300):
        first, last = (m["content"] for m in chat if m["role"] == "assistant")
        *lines, answer = first.splitlines()
        assert answer == last == f"Answer: {answers[chat[1]['content']]}"
        assert len(lines) == 1
        assert lines[0].split()[-1] == answer.split()[-1]
    judge = example_chats.module_of("grade-school-math", "answers")
    problems = example_chats.module_of("grade-school-math", "problems")
    rows = problems.problems(seed=SEED, split=example_chats.SPLIT)
    for chat, problem in zip(islice(example_chats.stories(SEED), 300), rows, strict=False):
        assert chat[0]["content"].startswith(problem.text)
        assert judge.correct(chat[1]["content"], problem.answer)


def test_moves_for_imitation_keep_the_value_of_the_position() -> None:
    play = example_chats.module_of("tic-tac-toe", "game")
    board = example_chats.module_of("tic-tac-toe", "board")
    learned = 0
    for chat in islice(example_chats.games(SEED), 100):
        for before, reply in pairwise(chat):
            if reply["role"] != "assistant" or reply["is_context"]:
                continue
            rows = before["content"].split("\n")[-3:]
            cells = "".join(
                cell if cell in "XO" else "." for row in rows for cell in row.split(" | ")
            )
            assert play.read_move(reply["content"]) in board.best_moves(cells, "X")
            learned += 1
    assert learned > 200
