"""The references' replies to tasks of the six examples, as chats without end for training.

They load the examples' own task generators, with another seed than evaluations. bug-fix has 640
tasks in all: here its packages have names that none of these has.
"""

from __future__ import annotations

import ast
import itertools
import random
import sys
import types
from collections.abc import Callable, Collection, Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

EXAMPLES = Path(__file__).parents[2] / "examples"
SEED = 20_000  # an evaluation has a seed of 32 bits from the bytes of the wheel
CONSONANTS, VOWELS = "bcdfghjklmnprstvwz", "aeiouy"
Chat = list[dict[str, Any]]


def module_of(example: str, name: str) -> Any:
    """A module of an example, without its package's own, which imports the framework."""
    package = example.replace("-", "_")
    if package not in sys.modules:
        shell = types.ModuleType(package)
        shell.__path__ = [str(EXAMPLES / example / package)]
        sys.modules[package] = shell
    return import_module(f"{package}.{name}")


def constant(example: str, name: str, *, module: str = "taskset", **values: object) -> str:
    """A text that a module of an example assigns to `name`, read without running the module."""
    path = EXAMPLES / example / example.replace("-", "_") / f"{module}.py"
    for node in ast.parse(path.read_text()).body:
        if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == name:
            code = compile(ast.Expression(node.value), str(path), "eval")
            return str(eval(code, {**values}))  # noqa: S307 - the repository's own constant
    raise LookupError(f"{path} assigns no {name}")


def say(role: str, content: str) -> dict[str, Any]:
    """One message."""
    return {"role": role, "content": content}


def call(name: str, arguments: dict[str, Any]) -> dict[str, Any]:
    """A reply that calls one tool."""
    function = {"name": name, "arguments": arguments}
    return {"role": "assistant", "content": "", "tool_calls": [{"function": function}]}


def reversals() -> Iterator[Chat]:
    """Texts and their reverse."""
    instruction = constant("reverse-text", "INSTRUCTION")
    for text in module_of("reverse-text", "texts").texts(seed=SEED, split="train"):
        reply = f"<reversed_text>{text[::-1]}</reversed_text>"
        yield [say("user", instruction + text), say("assistant", reply)]


def calculations() -> Iterator[Chat]:
    """Chains of operations, one tool call a step."""
    instruction = constant("calculator-tools", "INSTRUCTION")
    library = module_of("calculator-tools", "chains")
    for chain in library.chains(seed=SEED, split="train", shortest=2, longest=4):
        chat = [say("user", chain.text + instruction)]
        for name, a, b in chain.steps:
            chat.append(call(name, {"a": a, "b": b}))
            chat.append(say("tool", str(library.compute(name, a, b))))
        yield [*chat, say("assistant", f"Answer: {chain.answer}")]


def fixes() -> Iterator[Chat]:
    """Broken repositories: the repairing edit, a run of the visible tests, a closing sentence."""
    prompt = constant("bug-fix", "PROMPT")
    library, judge = module_of("bug-fix", "repositories"), module_of("bug-fix", "judge")
    rng = random.Random(SEED)  # noqa: S311 - training data, no secret
    reports: dict[str, str] = {}
    while True:
        for blueprint, bug in rng.sample(library.KINDS, len(library.KINDS)):
            word = adjective(rng, apart_from=library.ADJECTIVES)
            row = library.build(blueprint, bug, adjective=word, seed=str(SEED))
            if blueprint.noun not in reports:
                reports[blueprint.noun] = judge.report(row.right)
            text = prompt.format(
                package=row.package, report=row.report, files=", ".join(sorted(row.broken))
            )
            edit = {"path": row.bug_path, "old_text": row.bug_text, "new_text": row.right_text}
            yield [
                say("user", text),
                call("edit_file", edit),
                say("tool", f"edited {row.bug_path}"),
                call("run_tests", {}),
                say("tool", reports[blueprint.noun]),
                say("assistant", f"The bug was in {row.bug_path}."),
            ]


def adjective(rng: random.Random, *, apart_from: Collection[str]) -> str:
    """Letters that look like a word, and none of those: what is copied has to be read."""
    while True:
        syllables = (rng.choice(CONSONANTS) + rng.choice(VOWELS) for _ in range(2))
        word: str = "".join(syllables) + rng.choice(["", *CONSONANTS])
        if word not in apart_from:
            return word


def doubts() -> Iterator[Chat]:
    """Questions whose answer is repeated after the doubt."""
    dialogue = module_of("double-check", "dialogue")
    library = module_of("double-check", "questions")
    for style, (text, answer) in enumerate(library.questions(seed=SEED, split="train")):
        reply = say("assistant", f"Answer: {answer}")
        doubt = dialogue.challenge(style=style, first_answer=answer)
        yield [say("system", dialogue.INSTRUCTION), say("user", text), reply,
               say("user", doubt), reply]  # fmt: skip


def stories() -> Iterator[Chat]:
    """Word problems with their worked solution."""
    instruction = constant("grade-school-math", "INSTRUCTION")
    library = module_of("grade-school-math", "problems")
    for problem in library.problems(seed=SEED, split="train"):
        yield [say("user", problem.text + instruction), say("assistant", problem.solution)]


def games() -> Iterator[Chat]:
    """Games whose moves are perfect."""
    play, board = module_of("tic-tac-toe", "game"), module_of("tic-tac-toe", "board")
    rules = constant("tic-tac-toe", "RULES", MAX_TURNS=play.MAX_TURNS)
    rng = random.Random(SEED)  # noqa: S311 - training data, no secret
    for number in itertools.count():
        skill = round(rng.uniform(0.0, 0.5), 4)
        game = play.Game(skill, f"{SEED}/{number}")
        opening = game.opening(opponent_starts=number % 2 == 1)
        start = (
            f"Your opponent plays a random move {skill:.2%} of the time and perfectly otherwise."
        )
        chat = [say("system", rules)]
        answer: str | None = f"{start} {opening}"
        while answer is not None:
            move = rng.choice(board.best_moves(game.board, "X"))
            reply = f"<think>ok</think><move>{move}</move>"
            chat += [say("user", answer), say("assistant", reply)]
            answer = game.play(reply)
        yield chat


SOURCES: dict[Callable[[], Iterator[Chat]], int] = {
    games: 3, reversals: 2, calculations: 6, fixes: 5, doubts: 2, stories: 1,
}  # fmt: skip
