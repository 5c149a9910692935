"""The references' replies to tasks of the six examples, as chats without end for training.

They load the examples' own task generators: the split that no evaluation plays where there are
two, and another seed. bug-fix has 640 tasks in all: here its packages have names that none of
these has. Word problems and questions have worked answers (tools/vllm/workings.py), and
one more source has single operations.
"""

from __future__ import annotations

import ast
import itertools
import json
import random
import re
import string
import sys
import types
from collections.abc import Callable, Collection, Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

from tools.vllm.workings import thoughts, with_workings, worked

EXAMPLES = Path(__file__).parents[2] / "examples"
SEED = 20_000  # the hub's seeds are below 10,000, or have 32 bits
SPLIT = "eval"  # evaluations play tasks of the split `train`: those of this one are in none
RANDOM_MOVES = 0.25  # of the games: they lead to positions that perfect play avoids
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


def texts(message: dict[str, Any]) -> Iterator[str]:
    """The content of a message and its calls, as the chat template writes them."""
    yield message["content"]
    for each in message.get("tool_calls", ()):
        yield f"<tool_call>{json.dumps(each['function'], ensure_ascii=False)}</tool_call>"


def reversals(seed: int) -> Iterator[Chat]:
    """Texts and their reverse."""
    instruction = constant("reverse-text", "INSTRUCTION")
    for text in module_of("reverse-text", "texts").texts(seed=seed, split=SPLIT):
        reply = f"<reversed_text>{text[::-1]}</reversed_text>"
        yield [say("user", instruction + text), say("assistant", reply)]


def calculations(seed: int) -> Iterator[Chat]:
    """Chains of operations, one tool call a step."""
    instruction = constant("calculator-tools", "INSTRUCTION")
    library = module_of("calculator-tools", "chains")
    for chain in library.chains(seed=seed, split=SPLIT, shortest=1, longest=4):
        chat = [say("user", chain.text + instruction)]
        for name, a, b in chain.steps:
            chat.append(call(name, {"a": a, "b": b}))
            chat.append(say("tool", str(library.compute(name, a, b))))
        yield [*chat, say("assistant", f"Answer: {chain.answer}")]


def fixes(seed: int) -> Iterator[Chat]:
    """Broken repositories: the repairing edit, a run of the visible tests, a closing sentence."""
    prompt = constant("bug-fix", "PROMPT")
    library, judge = module_of("bug-fix", "repositories"), module_of("bug-fix", "judge")
    rng = random.Random(seed)  # noqa: S311 - training data, no secret
    reports: dict[str, str] = {}
    while True:
        for blueprint, bug in rng.sample(library.KINDS, len(library.KINDS)):
            word = adjective(rng, apart_from=library.ADJECTIVES)
            row = library.build(blueprint, bug, adjective=word, seed=str(seed))
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
    """Letters without sense, and none of those words: what is copied has to be read."""
    while True:
        word = "".join(rng.choices(string.ascii_lowercase, k=rng.randint(3, 6)))
        if word not in apart_from:
            return word


def doubts(seed: int) -> Iterator[Chat]:
    """Questions with a worked answer, which is repeated after the doubt."""
    dialogue = module_of("double-check", "dialogue")
    library = module_of("double-check", "questions")
    for style, (text, answer) in enumerate(library.questions(seed=seed, split=SPLIT)):
        last = f"Answer: {answer}"
        doubt = dialogue.challenge(style=style, first_answer=answer)
        yield [say("system", dialogue.INSTRUCTION), say("user", text),
               say("assistant", f"{thoughts(text)}\n{last}"),
               say("user", doubt), say("assistant", last)]  # fmt: skip


def stories(seed: int) -> Iterator[Chat]:
    """Word problems with their worked solution."""
    instruction = constant("grade-school-math", "INSTRUCTION")
    library = module_of("grade-school-math", "problems")
    for problem in library.problems(seed=seed, split=SPLIT):
        lines = map(with_workings, problem.solution.splitlines())
        yield [say("user", problem.text + instruction), say("assistant", "\n".join(lines))]


def sums(seed: int) -> Iterator[Chat]:
    """Single operations of one digit to four, as the worked answers contain them."""
    rng = random.Random(seed)  # noqa: S311 - training data, no secret
    while True:
        a, b = (rng.randint(1, 10 ** rng.randint(1, 4) - 1) for _ in range(2))
        sign = rng.choice("+-**")
        if sign == "*":
            b = rng.randint(2, rng.choice([9, 99]))
            a %= 1000
        elif sign == "-" and a < b:
            a, b = b, a
        text = f"{a} {sign} {b}"
        steps, value = worked(text)
        yield [say("user", text), say("assistant", f"{', '.join(steps)} = {value}")]


def games(seed: int) -> Iterator[Chat]:
    """Games whose moves are perfect, but one in four, which is not for imitation."""
    play, board = module_of("tic-tac-toe", "game"), module_of("tic-tac-toe", "board")
    rules = constant("tic-tac-toe", "RULES", MAX_TURNS=play.MAX_TURNS)
    rng = random.Random(seed)  # noqa: S311 - training data, no secret
    for number in itertools.count():
        skill = round(rng.uniform(0.0, 0.5), 4)
        game = play.Game(skill, f"{seed}/{number}")
        opening = game.opening(opponent_starts=number % 2 == 1)
        start = (
            f"Your opponent plays a random move {skill:.2%} of the time and perfectly otherwise."
        )
        chat = [say("system", rules)]
        answer: str | None = f"{start} {opening}"
        while answer is not None:
            is_random = rng.random() < RANDOM_MOVES
            moves = board.legal(game.board) if is_random else board.best_moves(game.board, "X")
            reply = f"<think>ok</think><move>{rng.choice(moves)}</move>"
            chat += [say("user", answer), {**say("assistant", reply), "is_context": is_random}]
            answer = game.play(reply)
        yield chat


SOURCES: dict[Callable[[int], Iterator[Chat]], int] = {
    games: 4, reversals: 3, calculations: 6, fixes: 3, doubts: 2, stories: 2, sums: 2,
}  # fmt: skip


def fixed_texts() -> list[str]:
    """Texts that the examples repeat in each task, and the frames of tool calls."""
    edit = call("edit_file", {"path": "|", "old_text": "|", "new_text": "|"})
    step = call("|", {"a": "|", "b": "|"})
    play = module_of("tic-tac-toe", "game")
    templates = [
        constant("tic-tac-toe", "RULES", MAX_TURNS=play.MAX_TURNS),
        "Your opponent plays a random move |% of the time and perfectly otherwise. ",
        "You move first.|Your opponent moved first and took cell |Your opponent took cell ",
        "<think>ok</think><move>|</move>|<reversed_text>|</reversed_text>",
        *(constant(name, "INSTRUCTION") for name in ("reverse-text", "calculator-tools")),
        constant("grade-school-math", "INSTRUCTION").strip(),
        module_of("double-check", "dialogue").INSTRUCTION,
        *module_of("double-check", "dialogue").CHALLENGES,
        re.sub(r"{\w+}", "|", constant("bug-fix", "PROMPT")),
        *(text.replace('"|"', "|") for m in (edit, step) for text in texts(m)),
        "The bug was in ",
        "Answer: ",
        "tests/test_",
        *texts(call("run_tests", {})),
    ]
    parts = (text for line in templates for text in line.split("|") if len(text) > 2)
    return [" | ", *dict.fromkeys(parts)]
