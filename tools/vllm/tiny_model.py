"""A model of 410,240 random weights, always the same: `tiny_model.py FOLDER`.

A Llama of two layers with a byte-level tokenizer and a chat template, which talks nonsense. It
runs in the virtual environment of vLLM, whose torch and transformers it uses.
"""

from __future__ import annotations

import sys

import torch
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

POSITIONS = 2048
MARKS = {"pad": "pad", "bos": "bos", "eos": "im_end"}
TEXTS = (
    "The quick brown fox jumps over the lazy dog.",
    "Hello, how are you today?",
    '{"answer": "yes", "score": 10}',
    "What is the capital of France? Paris.",
    "user assistant system",
    "one two three four five six seven eight nine ten",
)
TEMPLATE = (
    "{% for m in messages %}<|im_start|>{{ m['role'] }}\n{{ m['content'] }}<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)


def tokenizer() -> PreTrainedTokenizerFast:
    """Byte pairs learned from a few sentences, any byte being a token of its own."""
    pairs = Tokenizer(models.BPE())
    pairs.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    pairs.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=512,
        special_tokens=["<|pad|>", "<|bos|>", "<|im_start|>", "<|im_end|>"],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
    )
    pairs.train_from_iterator(TEXTS * 20, trainer)
    fast = PreTrainedTokenizerFast(
        tokenizer_object=pairs,
        **{f"{name}_token": f"<|{word}|>" for name, word in MARKS.items()},
        model_max_length=POSITIONS,
        clean_up_tokenization_spaces=False,
    )
    fast.chat_template = TEMPLATE
    return fast


def model(words: PreTrainedTokenizerFast) -> LlamaForCausalLM:
    """The weights, from a fixed seed."""
    torch.manual_seed(0)
    config = LlamaConfig(
        vocab_size=-(-len(words) // 64) * 64,
        hidden_size=128,
        intermediate_size=256,
        num_hidden_layers=2,
        num_attention_heads=4,
        num_key_value_heads=2,
        head_dim=32,
        max_position_embeddings=POSITIONS,
        bos_token_id=words.bos_token_id,
        eos_token_id=words.eos_token_id,
        pad_token_id=words.pad_token_id,
        tie_word_embeddings=False,
        initializer_range=0.2,
    )
    return LlamaForCausalLM(config).to(torch.bfloat16)


if __name__ == "__main__":
    words = tokenizer()
    words.save_pretrained(sys.argv[1])
    model(words).save_pretrained(sys.argv[1])
