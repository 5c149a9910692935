"""Train two models of different strength for the examples: `trained_models.py FOLDER --minutes M`.

One Llama of 1.7 million weights learns the references' replies to five of the six examples, on
tasks of another seed than the evaluated ones. `FOLDER/weak` is its state after a tenth of the time,
`FOLDER/strong` that of the end. Runs in the virtual environment of vLLM, whose torch and
transformers it uses, on processors alone.
"""

from __future__ import annotations

import argparse
import ast
import itertools
import random
import sys
import time
import types
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import torch
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

EXAMPLES = Path(__file__).parents[2] / "examples"
SEED = 20_000  # the examples load their tasks with the seed 0
POSITIONS, BATCH_TOKENS, LONGEST = 4096, 2048, 800
VOCABULARY, TEXTS = 2048, 400  # tokens, and chats of each source from which they are learned
WEAK_SHARE = 0.1  # of the time, after which the weak model is saved
RATE, WARMING_STEPS = 2e-3, 50
MARKS = ("<|pad|>", "<|bos|>", "<|im_start|>", "<|im_end|>")
TEMPLATE = (
    "{% for m in messages %}<|im_start|>{{ m['role'] }}\n{{ m['content'] or '' }}"
    "{% for c in m['tool_calls'] or [] %}<tool_call>"
    '{"name": "{{ c["function"]["name"] }}", '
    '"arguments": {{ c["function"]["arguments"] | tojson }}}'
    "</tool_call>{% endfor %}<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)
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
            call = {"function": {"name": name, "arguments": {"a": a, "b": b}}}
            chat.append({"role": "assistant", "content": "", "tool_calls": [call]})
            chat.append(say("tool", str(library.compute(name, a, b))))
        yield [*chat, say("assistant", f"Answer: {chain.answer}")]


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
    games: 3, reversals: 3, calculations: 3, doubts: 2, stories: 2,
}  # fmt: skip


def tokenizer() -> PreTrainedTokenizerFast:
    """Byte pairs learned from the chats themselves, each digit a token: short sequences train
    fast."""
    pairs = Tokenizer(models.BPE())
    pairs.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Digits(individual_digits=True),
            pre_tokenizers.ByteLevel(add_prefix_space=False),
        ]
    )
    pairs.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=VOCABULARY,
        special_tokens=list(MARKS),
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
    )
    chats = itertools.chain(*(itertools.islice(source(), TEXTS) for source in SOURCES))
    pairs.train_from_iterator((m["content"] for chat in chats for m in chat), trainer)
    fast = PreTrainedTokenizerFast(
        tokenizer_object=pairs, pad_token=MARKS[0], bos_token=MARKS[1], eos_token=MARKS[3],
        model_max_length=POSITIONS, clean_up_tokenization_spaces=False,
    )  # fmt: skip
    fast.chat_template = TEMPLATE
    return fast


def model(words: PreTrainedTokenizerFast) -> LlamaForCausalLM:
    """Random weights from a fixed seed."""
    torch.manual_seed(0)
    return LlamaForCausalLM(
        LlamaConfig(
            vocab_size=-(-len(words) // 64) * 64,
            hidden_size=192,
            intermediate_size=512,
            num_hidden_layers=3,
            num_attention_heads=6,
            num_key_value_heads=6,
            max_position_embeddings=POSITIONS,
            bos_token_id=words.bos_token_id,
            eos_token_id=words.eos_token_id,
            pad_token_id=words.pad_token_id,
            tie_word_embeddings=True,
        )
    )


def encoded(words: PreTrainedTokenizerFast, chat: Chat) -> tuple[list[int], list[int]]:
    """The tokens of the chat, and as labels those of the assistant's replies, -100 elsewhere."""
    tokens: list[int] = []
    labels: list[int] = []
    start = words.encode("<|im_start|>assistant\n")
    for message in chat:
        piece = words.encode(words.apply_chat_template([message], tokenize=False))
        is_reply = message["role"] == "assistant"
        shown = len(start) if is_reply else len(piece)
        tokens += piece
        labels += [-100] * shown + (piece[shown:] if is_reply else [])
    return tokens[:LONGEST], labels[:LONGEST]


def batches(words: PreTrainedTokenizerFast) -> Iterator[tuple[torch.Tensor, torch.Tensor]]:
    """Batches of one source each, of about BATCH_TOKENS tokens."""
    rng = random.Random(SEED)  # noqa: S311 - training data, no secret
    streams = [(source(), weight) for source, weight in SOURCES.items()]
    weights = [weight for _, weight in streams]
    while True:
        [(stream, _)] = rng.choices(streams, weights)
        rows = [encoded(words, next(stream))]
        while len(rows) * max(len(row) for row, _ in rows) < BATCH_TOKENS:
            rows.append(encoded(words, next(stream)))
        width = max(len(row) for row, _ in rows)
        tokens = torch.full((len(rows), width), words.pad_token_id)
        labels = torch.full((len(rows), width), -100)
        for number, (row, wanted) in enumerate(rows):
            tokens[number, : len(row)] = torch.tensor(row)
            labels[number, : len(row)] = torch.tensor(wanted)
        yield tokens, labels


def train(folder: Path, *, minutes: float) -> None:
    """Train for that long, and save the weak model on the way and the strong one at the end."""
    words = tokenizer()
    network = model(words)
    optimizer = torch.optim.AdamW(network.parameters(), lr=RATE, weight_decay=0.01)
    began, seen, has_weak = time.monotonic(), 0, False
    for step, (tokens, labels) in enumerate(batches(words), 1):
        share = (time.monotonic() - began) / (60 * minutes)
        if share >= WEAK_SHARE and not has_weak:
            save(network, words, folder / "weak", step, seen)
            has_weak = True
        if share >= 1:
            break
        rate = RATE * min(1.0, step / WARMING_STEPS) * max(0.05, 1 - share)
        for group in optimizer.param_groups:
            group["lr"] = rate
        attention = tokens.ne(words.pad_token_id).long()
        loss = network(input_ids=tokens, attention_mask=attention, labels=labels).loss
        loss.backward()
        torch.nn.utils.clip_grad_norm_(network.parameters(), 1.0)
        optimizer.step()
        optimizer.zero_grad()
        seen += int(tokens.numel())
        if step % 25 == 0:
            print(f"step {step}, {seen} tokens, {share:.0%}, loss {loss.item():.3f}", flush=True)
    save(network, words, folder / "strong", step, seen)


def save(
    network: LlamaForCausalLM, words: PreTrainedTokenizerFast, folder: Path, step: int, seen: int
) -> None:
    """Write weights and tokenizer."""
    words.save_pretrained(folder)
    network.save_pretrained(folder)
    print(f"{folder} after {step} steps and {seen} tokens", flush=True)


def main() -> None:
    """Read the options and train."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--threads", type=int, default=torch.get_num_threads())
    parser.add_argument("--minutes", type=float, default=10.0, help="of training (default 10)")
    options = parser.parse_args()
    torch.set_num_threads(options.threads)  # fewer than processors where others use them too
    train(options.folder, minutes=options.minutes)


if __name__ == "__main__":
    main()
