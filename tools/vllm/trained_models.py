"""Train two models of different strength for the examples: `trained_models.py FOLDER --minutes M`.

One Llama of 1.7 million weights learns the references' replies to the six examples, on tasks that
are not the evaluated ones: of another seed, and of bug-fix, which has 640 tasks in all, on packages
whose names none of these has. `FOLDER/weak` is its state after a tenth of the time,
`FOLDER/strong` that of the end. Runs in the virtual environment of vLLM, whose torch and
transformers it uses, on processors alone.
"""

from __future__ import annotations

import argparse
import itertools
import json
import random
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import torch
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

sys.path.insert(0, str(Path(__file__).parents[2]))

from tools.vllm.example_chats import SEED, SOURCES, Chat

POSITIONS, BATCH_TOKENS, LONGEST = 4096, 1024, 800
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
    pairs.train_from_iterator((text for chat in chats for m in chat for text in texts(m)), trainer)
    fast = PreTrainedTokenizerFast(
        tokenizer_object=pairs, pad_token=MARKS[0], bos_token=MARKS[1], eos_token=MARKS[3],
        model_max_length=POSITIONS, clean_up_tokenization_spaces=False,
    )  # fmt: skip
    fast.chat_template = TEMPLATE
    return fast


def texts(message: dict[str, Any]) -> Iterator[str]:
    """The content of a message and its calls, as the template writes them."""
    yield message["content"]
    for each in message.get("tool_calls", ()):
        yield f"<tool_call>{json.dumps(each['function'], ensure_ascii=False)}</tool_call>"


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
        loss = loss_of(network, tokens, labels)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(network.parameters(), 1.0)
        optimizer.step()
        optimizer.zero_grad()
        seen += int(tokens.numel())
        if step % 25 == 0:
            print(f"step {step}, {seen} tokens, {share:.0%}, loss {loss.item():.3f}", flush=True)
    save(network, words, folder / "strong", step, seen)


def loss_of(network: LlamaForCausalLM, tokens: torch.Tensor, labels: torch.Tensor) -> torch.Tensor:
    """The mean over the tokens of replies alone: those of the others are a third of the work.

    Padding follows the tokens, so that causal attention needs no mask.
    """
    states = network.model(input_ids=tokens).last_hidden_state[:, :-1]
    wanted = labels[:, 1:]
    logits = network.lm_head(states[wanted.ne(-100)])
    return torch.nn.functional.cross_entropy(logits, wanted[wanted.ne(-100)])


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
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--minutes", type=float, default=10.0, help="of training (default 10)")
    options = parser.parse_args()
    torch.set_num_threads(options.threads)  # so small a model gains little from a second one
    train(options.folder, minutes=options.minutes)


if __name__ == "__main__":
    main()
