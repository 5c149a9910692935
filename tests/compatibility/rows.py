"""Made-up rows in the columns of the data sets that the measured environments load.

Nothing is copied from a data set: only names of repositories, configurations, splits and columns
are theirs.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tests.data_hub import DataHub

Rows = Sequence[Mapping[str, Any]]
COUNT = 24
NAMES = [
    "Ada",
    "Bela",
    "Cora",
    "Dora",
    "Edda",
    "Fina",
    "Gila",
    "Hera",
    "Inga",
    "Jana",
    "Kira",
    "Lena",
    "Mona",
    "Nora",
    "Olga",
    "Pia",
]


@dataclass(frozen=True, slots=True)
class DataSet:
    """One repository: `splits` maps `CONFIGURATION/SPLIT` to rows; `revision` is a pinned commit
    of it, and `files` are further files."""

    name: str
    splits: Mapping[str, Rows]
    revision: str = ""
    gated: bool = False
    files: Mapping[str, str] | None = None


def write_all(hub: DataHub) -> None:
    """Write every data set into the hub."""
    for data_set in DATA_SETS:
        files = _files(data_set)
        hub.add(data_set.name, files)
        if data_set.revision:
            hub.add(f"{data_set.name}@{data_set.revision}", files)


def _files(data_set: DataSet) -> dict[str, bytes | str]:
    """The repository's files: a card that names the configurations, one JSONL file a split."""
    files: dict[str, bytes | str] = dict(data_set.files or {})
    configurations: dict[str, list[dict[str, str]]] = {}
    for where, rows in data_set.splits.items():
        configuration, _, split = where.partition("/")
        path = f"{configuration}/{split}.jsonl"
        files[path] = "".join(json.dumps(row) + "\n" for row in rows)
        configurations.setdefault(configuration, []).append({"split": split, "path": path})
    if configurations:
        configs = [
            {"config_name": name, "data_files": entries} for name, entries in configurations.items()
        ]
        files["README.md"] = f"---\nconfigs: {json.dumps(configs)}\n---\n"
    if data_set.gated:
        files[".gated"] = ""
    return files


def sums(question: str = "question", answer: str = "answer", mark: str = "") -> Rows:
    """Sums: each has one integer as its answer, `mark` before it."""
    return [
        {question: f"What is {11 + n} + {7 * n}?", answer: f"{mark}{11 + 8 * n}"}
        for n in range(COUNT)
    ]


def _with(rows: Rows, **columns: Any) -> Rows:
    """The rows with columns that are alike in all, and an `id` of their own."""
    return [{"id": f"row-{n}", **columns, **row} for n, row in enumerate(rows)]


def _integers(rows: Rows, column: str) -> Rows:
    return [{**row, column: int(row[column])} for row in rows]


AIME_2024 = _with(sums("problem"), solution="Add.", url="", year="2024")
AIME_2026 = [
    {**row, "problem_idx": n} for n, row in enumerate(_integers(sums("problem"), "answer"))
]
GRAPHS = [
    {
        "prompt": f"Edges: a{n} -> b{n}, a{n} -> c{n}. Name the children of a{n}.",
        "answer_nodes": [f"b{n}", f"c{n}"],
        "prompt_chars": 60,
        "problem_type": "parents",
        "date_added": "2026-01-01",
    }
    for n in range(COUNT)
]
GPQA = [
    {
        "Question": f"Which number is {n} more than {2 * n + 1}?",
        "Correct Answer": str(3 * n + 1),
        **{f"Incorrect Answer {wrong}": str(3 * n + 1 + wrong) for wrong in (1, 2, 3)},
    }
    for n in range(COUNT)
]
HLE = _with(
    sums(), image="", answer_type="exactMatch", raw_subject="Arithmetic", category="Math",
    rationale="Add.",
)  # fmt: skip
CLBENCH = [
    {
        "messages": [
            {"role": "system", "content": "Follow the manual."},
            {"role": "user", "content": f"The manual says that a wug costs {n}. What do two cost?"},
        ],
        "rubrics": [f"The reply states {2 * n}.", "The reply is polite."],
        "metadata": {"context_category": "Rule System Application", "sub_category": "Mathematical"},
    }
    for n in range(COUNT)
]
SUMMARIES = [
    {"prompt": [{"role": "user", "content": f"Summarize this.\n---\nTown {n} has {n} mills."}]}
    for n in range(COUNT)
]
LENGTH = {"relation": "at least", "num_sentences": 2}
CONSTRAINTS = (
    ("punctuation:no_comma", {}),
    ("change_case:english_lowercase", {}),
    ("length_constraints:number_sentences", LENGTH),
    ("startend:quotation", {}),
)
IFEVAL = [
    {
        "key": 1000 + n,
        "prompt": f"Write about mill {n}: {CONSTRAINTS[n % 4][0]}.",
        "instruction_id_list": [CONSTRAINTS[n % 4][0]],
        "kwargs": [dict.fromkeys(LENGTH) | CONSTRAINTS[n % 4][1]],
    }
    for n in range(COUNT)
]
IFBENCH = [
    {
        "key": str(n),
        "prompt": f"Write about mill {n} with no two words that begin alike.",
        "instruction_id_list": ["words:alphabet" if n % 2 else "format:no_whitespace"],
        "kwargs": [{"N": None}],
    }
    for n in range(COUNT)
]
LOGIC = [
    {
        "question": f"Sort the words. List: {' '.join(words)}",
        "answer": "",
        "info": json.dumps(
            {
                "task": "bbh_word_sorting",
                "game_data_str": json.dumps(
                    {
                        "question": f"Sort the words. List: {' '.join(words)}",
                        "answer": " ".join(sorted(words)),
                    }
                ),
            }
        ),
        "avg@16_qwen3_4b_instruct_2507": 0.5,
    }
    for words in (
        [NAMES[(n * 7) % 16], NAMES[(n * 5 + 3) % 16], NAMES[(n + 11) % 16]] for n in range(COUNT)
    )
]
CODE = [
    {
        "question": f"Read a number and print it plus {n}.",
        "answer": "",
        "info": json.dumps(
            {
                "tests": json.dumps(
                    {"inputs": ["1\n"], "outputs": [f"{n + 1}\n"], "fn_name": None}
                ),
                "source": "made up",
            }
        ),
        "avg@8_qwen3_4b_instruct_2507": 0.5,
    }
    for n in range(COUNT)
]
LIVECODE = "".join(
    json.dumps(
        {
            "question_title": f"Add {n}",
            "question_content": f"Read a number and print it plus {n}.",
            "platform": "made up",
            "question_id": str(n),
            "contest_id": str(n),
            "contest_date": "2024-10-01T00:00:00",
            "starter_code": "",
            "difficulty": "easy",
            "public_test_cases": json.dumps(
                [{"input": "1\n", "output": f"{n + 1}\n", "testtype": "stdin"}]
            ),
            "private_test_cases": "[]",
            "metadata": "{}",
        }
    )
    + "\n"
    for n in range(COUNT)
)
AUTHORS = [
    {"names": [f"{first}{last}" for first, last in zip(NAMES, NAMES[n % 15 + 1 :], strict=False)]}
    for n in range(8)
]
MILLS = [{"prompt": f"The mill of town number {n} grinds corn."} for n in range(COUNT)]
UNSCRAMBLE = [
    {
        "prompt": f"Order these sentences.\n1. The mill {n} stops.\n2. The mill {n} starts.",
        "verification_info": json.dumps(
            {"ground_truth": f"1. The mill {n} starts.\n2. The mill {n} stops."}
        ),
    }
    for n in range(COUNT)
]
WIKI = [
    {"id": f"town-{n}", "title": f"Town {n}", "content": f"# Mills\nTown {n} has {n} mills."}
    for n in range(COUNT)
]
LIVECODE_FILES = ("test.jsonl", *(f"test{n}.jsonl" for n in range(2, 7)))
DATA_SETS = (
    DataSet(
        "HuggingFaceH4/aime_2024", {"default/train": AIME_2024},
        revision="2fe88a2f1091d5048c0f36abc874fb997b3dd99a",
    ),
    DataSet(
        "opencompass/AIME2025",
        {"AIME2025-I/test": sums()[:12], "AIME2025-II/test": sums()[12:]},
        revision="a6ad95f611d72cf628a80b58bd0432ef6638f958",
    ),
    DataSet(
        "MathArena/aime_2026", {"default/train": AIME_2026},
        revision="10b4e45b7a503075d4da8a0d57916a4f06ce6bd2",
    ),
    DataSet("HuggingFaceH4/MATH-500", {"default/test": sums("problem")}),
    DataSet("openai/graphwalks", {"default/train": GRAPHS}),
    DataSet("Idavidrein/gpqa", {"gpqa_diamond/train": GPQA, "gpqa_main/train": GPQA}, gated=True),
    DataSet("cais/hle", {"default/test": HLE}, gated=True),
    DataSet("tencent/CL-bench", {"default/train": CLBENCH}),
    DataSet("kalomaze/glm-wikisummary-if-it4-think", {"default/train": SUMMARIES}),
    DataSet("google/IFEval", {"default/train": IFEVAL}),
    DataSet("allenai/IFBench_test", {"default/train": IFBENCH}),
    DataSet(
        "PrimeIntellect/INTELLECT-3-RL", {"logic/train": LOGIC, "code/train": CODE}
    ),
    DataSet(
        "livecodebench/code_generation_lite", {},
        files=dict.fromkeys(LIVECODE_FILES, LIVECODE),
    ),
    DataSet("zai-org/DeepDive", {"default/qa_rl": sums()}),
    DataSet("kalomaze/unscramble-mix-it2", {"default/train": UNSCRAMBLE}),
    DataSet("kalomaze/alphabetic-arxiv-authors-it1", {"default/train": AUTHORS}),
    DataSet(
        "openai/gsm8k",
        {"main/train": sums(mark="Add. #### "), "main/test": sums(mark="Add. #### ")},
    ),
    DataSet("PrimeIntellect/Reverse-Text-RL", {"default/train": MILLS}),
    DataSet("willcb/rare-wiki-pages", {"default/train": WIKI}),
    DataSet(
        "willcb/wiki-trivia-questions-v4",
        {"default/train": [
            {"question": f"How many mills has town {n}?", "answer": str(n)} for n in range(COUNT)
        ]},
    ),
)  # fmt: skip
