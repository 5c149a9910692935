"""What the small models of docs/evaluations.md are trained on: replies that earn full marks, to
tasks that no evaluation has."""

from __future__ import annotations

from itertools import islice

from tools.vllm import example_chats
from tools.vllm.example_chats import Chat


def calls(chat: Chat) -> list[tuple[str, dict[str, object]]]:
    functions = [each["function"] for m in chat for each in m.get("tool_calls", ())]
    return [(function["name"], function["arguments"]) for function in functions]


def test_the_edit_of_each_bug_repairs_its_repository() -> None:
    library = example_chats.module_of("bug-fix", "repositories")
    workspace = example_chats.module_of("bug-fix", "workspace")
    chats = list(islice(example_chats.fixes(), len(library.KINDS)))
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
        chat[0]["content"].split("`")[1] for chat in islice(example_chats.fixes(), library.MOST)
    }
    assert len(trained) > library.MOST // 2
    assert not trained & packages


def test_the_calls_of_a_calculation_lead_to_its_answer() -> None:
    compute = example_chats.module_of("calculator-tools", "arithmetic").compute
    for chat in islice(example_chats.calculations(), 50):
        results = [str(compute(name, **arguments)) for name, arguments in calls(chat)]
        assert [m["content"] for m in chat if m["role"] == "tool"] == results
        assert chat[-1]["content"] == f"Answer: {results[-1]}"
