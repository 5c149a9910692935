"""A classic environment that reads its rows in every way that published environments do."""

# ruff: noqa
# mypy: ignore-errors

import json

import verifiers as vf
from datasets import Dataset, load_dataset
from huggingface_hub import hf_hub_download, snapshot_download

GSM8K = "openai/gsm8k"


def read_rows():
    rows = load_dataset(GSM8K, "main", split="train")
    streamed = load_dataset(GSM8K, "main", split="test", streaming=True)
    addressed = load_dataset(
        "json", data_files=f"hf://datasets/{GSM8K}/main/train.jsonl", split="train"
    )
    file = hf_hub_download(GSM8K, "main/test.jsonl", repo_type="dataset")
    words = snapshot_download("allenai/words", repo_type="dataset")
    tokenizer = hf_hub_download("qwen/tiny", "tokenizer.json")
    assert rows[0] == addressed[0]
    with open(file) as lines:
        assert next(iter(streamed)) == json.loads(lines.readline())
    assert json.load(open(tokenizer)) == {"version": "1.0"}
    more = open(f"{words}/lists/words.txt").read().split()
    return [{"question": row["question"], "answer": row["answer"]} for row in rows][:3] + [
        {"question": f"Write {word}.", "answer": word} for word in more
    ]


def exact(completion, answer):
    return float(completion[-1]["content"] == answer)


def load_environment():
    return vf.SingleTurnEnv(dataset=Dataset.from_list(read_rows()), rubric=vf.Rubric(funcs=[exact]))
