"""Score a trained model on tasks of the examples: `trained_scores.py MODEL --tasks 8 --attempts 4`.

The tasks are of another seed than those of training and of evaluations, but of the split that
evaluations play; bug-fix has invented names of packages. Replies are sampled with transformers and
scored by the examples' own verifiers, without vLLM, sandbox and framework, in a minute or two.
"""

from __future__ import annotations

import argparse
import itertools
import json
import random
import re
import statistics
import sys
from collections.abc import Callable, Generator, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import torch
from transformers import AutoModelForCausalLM, AutoTokenizer

sys.path.insert(0, str(Path(__file__).parents[2]))

from tools.vllm.example_chats import Chat, adjective, constant, module_of, say

SEED, SPLIT = 30_000, "train"
MOST_TOKENS, MOST_TURNS = 320, 10
CALL = re.compile(r"<tool_call>(.*)</tool_call>", re.DOTALL)
Rollout = Generator[Chat, str, float]  # yields the chat, takes the reply, returns the reward


def reversal(text: str) -> Rollout:
    """One reply."""
    reply = yield [say("user", constant("reverse-text", "INSTRUCTION") + text)]
    return float(module_of("reverse-text", "rewards").score(reply, text[::-1]))


def calculation(chain: Any) -> Rollout:
    """Tool calls until a reply has none."""
    library = module_of("calculator-tools", "arithmetic")
    text = f"{chain.text}{constant('calculator-tools', 'INSTRUCTION')}"

    def tool(name: str, a: int, b: int) -> str:
        try:
            return str(library.compute(name, a, b))
        except (ValueError, KeyError) as error:
            return f"error: {error}"

    reply = yield from with_tools([say("user", text)], tool)
    return float(module_of("calculator-tools", "answers").read_answer(reply) == chain.answer)


def with_tools(chat: Chat, tool: Callable[..., str]) -> Generator[Chat, str, str]:
    """Answer the calls of replies; returns the last reply."""
    reply = ""
    for _ in range(MOST_TURNS):
        reply = yield chat
        match = CALL.search(reply)
        if match is None:
            break
        try:
            function = json.loads(match[1])
            result = tool(function["name"], **function["arguments"])
        except (ValueError, KeyError, TypeError) as error:
            result = f"error: {error}"
        chat = [*chat, say("assistant", reply), say("tool", result)]
    return reply


def fix(row: Any) -> Rollout:
    """Edits and runs of the tests until a reply has no call."""
    judge, workspace = module_of("bug-fix", "judge"), module_of("bug-fix", "workspace")
    files = dict(row.broken)

    def tool(name: str, **arguments: str) -> str:
        if name == "edit_file":
            return str(workspace.edit(files, **arguments))
        return str(judge.report(files)) if name == "run_tests" else f"error: no tool {name}"

    text = constant("bug-fix", "PROMPT").format(
        package=row.package, report=row.report, files=", ".join(sorted(row.broken))
    )
    yield from with_tools([say("user", text)], tool)
    return float(judge.passed(files, right=row.right, hidden=row.hidden) == 1.0)


def doubt(style: int, text: str, answer: int) -> Rollout:
    """Two replies, of which the last counts."""
    dialogue = module_of("double-check", "dialogue")
    chat = [say("system", dialogue.INSTRUCTION), say("user", text)]
    first = yield chat
    challenge = dialogue.challenge(style=style, first_answer=dialogue.read_answer(first))
    last = yield [*chat, say("assistant", first), say("user", challenge)]
    return float(dialogue.read_answer(last) == answer)


def story(problem: Any) -> Rollout:
    """One reply."""
    reply = yield [say("user", problem.text + constant("grade-school-math", "INSTRUCTION"))]
    return float(module_of("grade-school-math", "answers").correct(reply, problem.answer))


def game(opening: Any) -> Rollout:
    """Moves until the game ends."""
    play, rewards = module_of("tic-tac-toe", "game"), module_of("tic-tac-toe", "rewards")
    current = play.Game(opening.random_move_prob, opening.seed)
    start = (
        f"Your opponent plays a random move {opening.random_move_prob:.2%} of the time and "
        f"perfectly otherwise. {current.opening(opponent_starts=opening.opponent_starts)}"
    )
    chat = [say("system", constant("tic-tac-toe", "RULES", MAX_TURNS=play.MAX_TURNS))]
    answer: str | None = start
    while answer is not None:
        chat = [*chat, say("user", answer)]
        reply = yield chat
        chat = [*chat, say("assistant", reply)]
        answer = current.play(reply)
    return float(rewards.total(current))


def tasks() -> dict[str, Iterator[Callable[[], Rollout]]]:
    """Tasks of each example without end; each call begins a rollout of one."""
    texts = module_of("reverse-text", "texts").texts(seed=SEED, split=SPLIT)
    questions = module_of("double-check", "questions").questions(seed=SEED, split=SPLIT)
    problems = module_of("grade-school-math", "problems").problems(seed=SEED, split=SPLIT)
    chains = module_of("calculator-tools", "chains").chains(
        seed=SEED, split=SPLIT, shortest=2, longest=4
    )
    openings = module_of("tic-tac-toe", "dataset").openings(
        seed=SEED, low=0.0, high=0.5, strata=10, count=1000
    )
    return {
        "tic-tac-toe": (partial(game, opening) for opening in openings),
        "reverse-text": (partial(reversal, text) for text in texts),
        "double-check": (partial(doubt, n, *question) for n, question in enumerate(questions)),
        "grade-school-math": (partial(story, problem) for problem in problems),
        "calculator-tools": (partial(calculation, chain) for chain in chains),
        "bug-fix": (partial(fix, row) for row in repositories()),
    }


def repositories() -> Iterator[Any]:
    """Each bug in a package of an invented name, in random order."""
    library = module_of("bug-fix", "repositories")
    rng = random.Random(SEED)  # noqa: S311 - test data, no secret
    for blueprint, bug in itertools.cycle(rng.sample(library.KINDS, len(library.KINDS))):
        word = adjective(rng, apart_from=library.ADJECTIVES)
        yield library.build(blueprint, bug, adjective=word, seed=str(SEED))


def replies(network: Any, words: Any, chats: list[Chat], temperature: float) -> list[str]:
    """Replies to all chats, sampled together."""
    prompts = words.apply_chat_template(chats, tokenize=False, add_generation_prompt=True)
    words.padding_side = "left"
    inputs = words(prompts, return_tensors="pt", padding=True, return_token_type_ids=False)
    with torch.no_grad():
        tokens = network.generate(
            **inputs, do_sample=True, temperature=temperature, top_k=0, max_new_tokens=MOST_TOKENS
        )
    start = inputs["input_ids"].shape[1]
    texts: list[str] = words.batch_decode(tokens[:, start:], skip_special_tokens=True)
    return texts


def play(
    begun: list[Rollout], answer: Callable[[list[Chat]], list[str]], *, shown: bool
) -> list[float]:
    """The rewards of these rollouts, whose chats are answered together."""
    rewards = [0.0] * len(begun)
    waiting = {number: next(rollout) for number, rollout in enumerate(begun)}
    while waiting:
        texts = answer(list(waiting.values()))
        following = {}
        for (number, chat), text in zip(waiting.items(), texts, strict=True):
            if shown and number % 8 == 0:
                print(f"{chat[-1]['content']}\n-> {text}\n", flush=True)
            try:
                following[number] = begun[number].send(text)
            except StopIteration as end:
                rewards[number] = end.value
        waiting = following
    return rewards


def main() -> None:
    """Read the options, play and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("model", type=Path)
    parser.add_argument("--tasks", type=int, default=8, help="of each example (default 8)")
    parser.add_argument("--attempts", type=int, default=4, help="of each task (default 4)")
    parser.add_argument("--temperature", type=float, default=1.0, help="of the replies (default 1)")
    parser.add_argument("--only", action="append", default=[], metavar="EXAMPLE")
    parser.add_argument("--show", action="store_true", help="print some of the replies")
    options = parser.parse_args()
    torch.set_num_threads(1)
    torch.manual_seed(0)
    words = AutoTokenizer.from_pretrained(options.model)
    network = AutoModelForCausalLM.from_pretrained(options.model)
    answer = partial(replies, network, words, temperature=options.temperature)
    for name, stream in tasks().items():
        if options.only and name not in options.only:
            continue
        begins = itertools.islice(stream, options.tasks)
        begun = [begin() for begin in begins for _ in range(options.attempts)]
        rewards = play(begun, answer, shown=options.show)
        groups = [
            rewards[start : start + options.attempts]
            for start in range(0, len(rewards), options.attempts)
        ]
        useful = sum(max(group) > min(group) for group in groups) / len(groups)
        print(f"{name}  {statistics.mean(rewards):.3f}  useful groups {useful:.0%}", flush=True)


if __name__ == "__main__":
    main()
