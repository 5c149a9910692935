import asyncio
import hashlib
import json
import os
import random
import subprocess
import sys
from itertools import islice

import pytest
import verifiers.v1 as vf
from reverse_text import ReverseTextTaskset
from reverse_text.rewards import FLOOR, extract, lcs_length, lcs_ratio, score
from reverse_text.taskset import ReverseTextConfig
from reverse_text.texts import split_of, texts


def slow_lcs(a: str, b: str) -> int:
    row = [0] * (len(b) + 1)
    for x in a:
        new = [0]
        for j, y in enumerate(b):
            new.append(row[j] + 1 if x == y else max(new[-1], row[j + 1]))
        row = new
    return row[-1]


def tagged(text: str) -> str:
    return f"<reversed_text>{text}</reversed_text>"


def load(**config) -> list:
    return list(ReverseTextTaskset(ReverseTextConfig(id="reverse-text", **config)))


def test_bit_parallel_lcs_equals_the_textbook_table():
    rng = random.Random(1)
    for _ in range(300):
        a = "".join(rng.choices("ab c", k=rng.randint(0, 40)))
        b = "".join(rng.choices("ab c", k=rng.randint(0, 40)))
        assert lcs_length(a, b) == slow_lcs(a, b)


def test_two_percent_wrong_characters_cost_two_percent_unlike_difflib():
    rng = random.Random(0)
    target = "".join(rng.choices("abcdefghij klmnop", k=800))
    wrong = list(target)
    for position in rng.sample(range(800), 16):
        wrong[position] = "#"
    assert lcs_ratio(target, "".join(wrong)) == pytest.approx(0.98)


def test_more_corruption_never_pays_more():
    rng = random.Random(3)
    for text in islice(texts(seed=1, split="train"), 20):
        target, order = text[::-1], list(range(len(text)))
        rng.shuffle(order)
        reply, last = list(target), 1.0
        for position in order:
            reply[position] = "\u2603"
            now = score(tagged("".join(reply)), target)
            assert now <= last
            last = now
        assert last == 0.0


@pytest.mark.parametrize(
    "reply",
    [
        "",
        "no tag",
        "<reversed_text>",
        tagged("a") + tagged("b"),
        "</reversed_text>x<reversed_text>",
    ],
)
def test_a_reply_without_exactly_one_tag_earns_nothing(reply):
    assert extract(reply) is None
    assert score(reply, "cba") == 0.0


def test_echoes_word_order_and_inner_reversals_stay_at_the_floor():
    for text in islice(texts(seed=5, split="train"), 300):
        target = text[::-1]
        assert lcs_ratio(target, text) < FLOOR
        for cheap in (
            text,
            " ".join(reversed(text.split())),
            " ".join(word[::-1] for word in text.split()),
            text * 20,
            "the quick brown fox " * 2000,
        ):
            assert score(tagged(cheap), target) == 0.0
        assert score(text, target) == 0.0


def test_train_and_eval_never_share_a_text_whatever_the_seed():
    train = set(islice(texts(seed=0, split="train"), 2000))
    held_out = set(islice(texts(seed=1, split="eval"), 500))
    assert not train & held_out
    assert {split_of(text) for text in held_out} == {"eval"}


def test_oracle_earns_one_and_no_other_policy_is_paid():
    tasks = load(num_tasks=100)
    assert len({task.data.prompt for task in tasks}) == 100
    swapped = []
    for number, task in enumerate(tasks):
        answer = task.data.answer
        messages = [{"role": "user", "content": task.data.prompt}]
        assert score(task.oracle(messages), answer) == 1.0
        assert extract(task.data.prompt) is None
        assert answer not in task.data.prompt
        swapped.append(score(tasks[number - 1].oracle(messages), answer))
    assert sum(swapped) / len(swapped) < 0.05


def test_the_taskset_scores_a_trace_through_verifiers():
    task = load(num_tasks=1)[0]
    trace = vf.Trace.model_construct(
        task=task.data, root_reply=task.oracle([]), nodes=[], rewards={}, metrics={}
    )
    asyncio.run(task.score(trace))
    assert trace.reward == 1.0
    assert trace.metrics == {"format_ok": 1.0, "lcs_ratio": 1.0}


def test_same_seed_gives_the_same_texts_in_another_process():
    code = (
        "import sys, types; m = types.ModuleType('reverse_text'); m.__path__ = ['reverse_text'];"
        "sys.modules['reverse_text'] = m; from reverse_text.texts import texts;"
        "from itertools import islice; import json, hashlib;"
        "print(hashlib.sha256(json.dumps(list(islice(texts(seed=7, split='eval'), 50)))"
        ".encode()).hexdigest())"
    )
    here = hashlib.sha256(
        json.dumps(list(islice(texts(seed=7, split="eval"), 50))).encode()
    ).hexdigest()
    for hash_seed in ("1", "2"):
        ran = subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "PYTHONHASHSEED": hash_seed},
            capture_output=True,
            text=True,
            check=True,
        )
        assert ran.stdout.strip() == here
