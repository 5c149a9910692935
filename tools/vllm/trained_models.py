"""Train two models of different strength for the examples: `trained_models.py FOLDER`.

One small Llama learns the references' replies to the six examples, on tasks that no evaluation
plays (tools/vllm/example_chats.py). `FOLDER/weak` is its state after WEAK_STEPS steps,
`FOLDER/strong` that of the end. Each process computes the gradients of its own chats with one
thread: two processes are faster than two threads. Runs in the virtual environment of vLLM, whose
torch and transformers it uses, on processors alone.
"""

from __future__ import annotations

import argparse
import itertools
import random
import re
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import torch
from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, pre_tokenizers, trainers
from torch import distributed
from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

sys.path.insert(0, str(Path(__file__).parents[2]))

from tools.vllm.example_chats import SEED, SOURCES, Chat, fixed_texts, texts

POSITIONS, LONGEST = 4096, 800  # tokens of a chat in use and in training
WIDTH, LAYERS, HEADS = 128, 4, 4
BATCH_TOKENS, POOL = 1024, 100  # the chats of a pool are sorted by length
VOCABULARY, TEXTS = 2048, 400  # tokens, and chats of each source from which they are learned
RATE, MATRIX_RATE, WARMING_STEPS = 3e-3, 1.5e-2, 30
STEPS, WEAK_STEPS = 2400, 400
SAVED_STEPS = 100  # between copies of the strong model, whose training may be stopped
MEETING = "processes"  # the file in which they find each other
MARKS = ("<|pad|>", "<|end|>", "<|system|>", "<|user|>", "<|assistant|>", "<|tool|>")
TEMPLATE = (
    "{% for m in messages %}<|{{ m['role'] }}|>{{ m['content'] or '' }}"
    "{% for c in m['tool_calls'] or [] %}<tool_call>"
    '{"name": "{{ c["function"]["name"] }}", '
    '"arguments": {{ c["function"]["arguments"] | tojson }}}'
    "</tool_call>{% endfor %}<|end|>{% endfor %}"
    "{% if add_generation_prompt %}<|assistant|>{% endif %}"
)
PIECES = Regex(  # names of packages as single letters: they are copied, and no two are the same
    r"\d|\n|[a-z](?=[a-z]*_)| (?=[a-z]+_)| ?\p{L}+| ?[^\s\p{L}\d]+|\s"
)


def tokenizer() -> PreTrainedTokenizerFast:
    """Byte pairs learned from the chats themselves, and one token for each text that is the same in
    all tasks of an example: short sequences train fast. Each digit is a token."""
    pairs = Tokenizer(models.BPE())
    pairs.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Split(PIECES, "isolated"),
            pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
        ]
    )
    pairs.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=VOCABULARY,
        special_tokens=list(MARKS),
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
    )
    fixed = fixed_texts()
    chats = itertools.chain(*(itertools.islice(source(SEED), TEXTS) for source in SOURCES))
    others = re.compile("|".join(map(re.escape, sorted(fixed, key=len, reverse=True))))
    parts = (others.split(text) for chat in chats for m in chat for text in texts(m))
    pairs.train_from_iterator(itertools.chain.from_iterable(parts), trainer)
    pairs.add_tokens([AddedToken(text, normalized=False) for text in fixed])
    fast = PreTrainedTokenizerFast(
        tokenizer_object=pairs, pad_token=MARKS[0], eos_token=MARKS[1],
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
            hidden_size=WIDTH,
            intermediate_size=3 * WIDTH,
            num_hidden_layers=LAYERS,
            num_attention_heads=HEADS,
            num_key_value_heads=HEADS,
            max_position_embeddings=POSITIONS,
            bos_token_id=None,
            eos_token_id=words.eos_token_id,
            pad_token_id=words.pad_token_id,
            tie_word_embeddings=True,
        )
    )


def encoded(words: PreTrainedTokenizerFast, chat: Chat) -> tuple[list[int], list[int]]:
    """The tokens of the chat, and as labels those of the assistant's replies, -100 elsewhere."""
    tokens: list[int] = []
    labels: list[int] = []
    for message in chat:
        text = f"<|{message['role']}|>{''.join(texts(message))}<|end|>"
        piece = words.encode(text)
        is_learned = message["role"] == "assistant" and not message.get("is_context")
        tokens += piece
        labels += [-100, *piece[1:]] if is_learned else [-100] * len(piece)
    return tokens[:LONGEST], labels[:LONGEST]


def batches(
    words: PreTrainedTokenizerFast, seed: int
) -> Iterator[tuple[str, torch.Tensor, torch.Tensor]]:
    """The name of a source, and a batch of it of up to BATCH_TOKENS tokens."""
    rng = random.Random(seed)  # noqa: S311 - training data, no secret
    streams = {source.__name__: pooled(words, source(seed), rng) for source in SOURCES}
    while True:
        [name] = rng.choices(list(streams), list(SOURCES.values()))
        rows = next(streams[name])
        width = len(rows[-1][0])
        tokens = torch.full((len(rows), width), words.pad_token_id)
        labels = torch.full((len(rows), width), -100)
        for number, (row, wanted) in enumerate(rows):
            tokens[number, : len(row)] = torch.tensor(row)
            labels[number, : len(row)] = torch.tensor(wanted)
        yield name, tokens, labels


def pooled(
    words: PreTrainedTokenizerFast, chats: Iterator[Chat], rng: random.Random
) -> Iterator[list[tuple[list[int], list[int]]]]:
    """Chats of about the same length, the longest last: little of a batch is padding."""
    while True:
        pool = sorted((encoded(words, chat) for chat in itertools.islice(chats, POOL)), key=size)
        groups: list[list[tuple[list[int], list[int]]]] = [[]]
        for row in pool:
            if (len(groups[-1]) + 1) * size(row) > BATCH_TOKENS:
                groups.append([])
            groups[-1].append(row)
        rng.shuffle(groups)
        yield from groups


def size(row: tuple[list[int], list[int]]) -> int:
    """Tokens of an encoded chat."""
    return len(row[0])


def optimizers(network: LlamaForCausalLM) -> list[torch.optim.Optimizer]:
    """Muon for the matrices of the layers, AdamW for the embeddings and scales."""
    layers = {id(p) for p in network.model.layers.parameters() if p.ndim == 2}
    matrices = [p for p in network.parameters() if id(p) in layers]
    others = [p for p in network.parameters() if id(p) not in layers]
    return [
        torch.optim.Muon(matrices, lr=MATRIX_RATE, weight_decay=0.01),
        torch.optim.AdamW(others, lr=RATE, weight_decay=0.0, betas=(0.9, 0.98)),
    ]


def train(rank: int, folder: Path, processes: int, steps: int, weak_steps: int) -> None:
    """Train as one of the processes; the first saves both models."""
    torch.set_num_threads(1)
    distributed.init_process_group(
        "gloo", f"file://{(folder / MEETING).resolve()}", rank=rank, world_size=processes
    )
    words = tokenizer()
    network = model(words)
    both = optimizers(network)
    rates = [optimizer.param_groups[0]["lr"] for optimizer in both]
    losses = Losses()
    stream = itertools.islice(batches(words, SEED + rank), steps)
    for step, (name, tokens, labels) in enumerate(stream, 1):
        loss = loss_of(network, tokens, labels)
        loss.backward()
        share(network, processes)
        torch.nn.utils.clip_grad_norm_(network.parameters(), 1.0)
        for optimizer, rate in zip(both, rates, strict=True):
            progress = min(step / WARMING_STEPS, 1 - step / (steps + 1))
            optimizer.param_groups[0]["lr"] = rate * progress
            optimizer.step()
            optimizer.zero_grad()
        losses.add(name, loss.item())
        if rank == 0:
            if step % 50 == 0:
                print(f"step {step}, {time.process_time():.0f} s, {losses}", flush=True)
            if step == weak_steps:
                save(network, words, folder / "weak", step)
            if step % SAVED_STEPS == 0 or step == steps:
                save(network, words, folder / "strong", step)


class Losses:
    """The recent loss of each source."""

    def __init__(self) -> None:
        self._means: dict[str, float] = {}

    def add(self, name: str, loss: float) -> None:
        """Count the loss of one batch."""
        self._means[name] = 0.9 * self._means.get(name, loss) + 0.1 * loss

    def __str__(self) -> str:
        return ", ".join(f"{name} {loss:.3f}" for name, loss in sorted(self._means.items()))


def share(network: LlamaForCausalLM, processes: int) -> None:
    """Replace the gradients by their mean over the processes."""
    gradients = [p.grad for p in network.parameters()]
    flat = torch.cat([g.flatten() for g in gradients])
    distributed.all_reduce(flat)
    for gradient, part in zip(gradients, flat.split([g.numel() for g in gradients]), strict=True):
        gradient.copy_(part.view_as(gradient) / processes)


def loss_of(network: LlamaForCausalLM, tokens: torch.Tensor, labels: torch.Tensor) -> torch.Tensor:
    """The mean over the tokens of replies alone: those of the others are a third of the work.

    Padding follows the tokens, so that causal attention needs no mask.
    """
    states = network.model(input_ids=tokens, use_cache=False).last_hidden_state[:, :-1]
    wanted = labels[:, 1:]
    logits = network.lm_head(states[wanted.ne(-100)])
    return torch.nn.functional.cross_entropy(logits, wanted[wanted.ne(-100)])


def save(
    network: LlamaForCausalLM, words: PreTrainedTokenizerFast, folder: Path, step: int
) -> None:
    """Write weights and tokenizer."""
    words.save_pretrained(folder)
    network.save_pretrained(folder)
    print(f"{folder} after {step} steps", flush=True)


def main() -> None:
    """Read the options and train."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--processes", type=int, default=2, help="one a processor (default 2)")
    parser.add_argument("--steps", type=int, default=STEPS, help=f"default {STEPS}")
    parser.add_argument("--weak-steps", type=int, default=WEAK_STEPS, help=f"default {WEAK_STEPS}")
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    (options.folder / MEETING).unlink(missing_ok=True)
    args = (options.folder, options.processes, options.steps, options.weak_steps)
    torch.multiprocessing.spawn(train, args, nprocs=options.processes)
    (options.folder / MEETING).unlink(missing_ok=True)


if __name__ == "__main__":
    main()
