"""Flaws of conduct: crashes, endless loops, output, splits, and tools that leak."""

from __future__ import annotations

from tests.zoo.build import both
from tests.zoo.endings import GAME, TOOLS, TOOLS_V0, TOOLS_V1
from tests.zoo.entry import Api
from tests.zoo.sound_turns import DIRECTORY, GUESSING
from tests.zoo.templates import SUMS, TAGGED, V0, V1

CRASHING = """
def score(reply, row):
    return float(int(reply) == int(row["answer"]))
"""
CRASHING_ON_TAGS = """
def score(reply, row):
    return float(re.search("<answer>(.*?)</answer>", reply)[1] == row["answer"])
"""
ENDLESS_ON_LONG = """
import time


def score(reply, row):
    while len(reply) > 300:
        time.sleep(0.1)
    return float(reply.strip() == row["answer"])
"""
ENDLESS_LOAD = """
import time


def rows(seed):
    while True:
        time.sleep(0.1)
"""
NOISY = """
def score(reply, row):
    print("x" * 30_000_000)
    return float(reply.strip() == row["answer"])
"""
EXITING = """
def score(reply, row):
    if not reply.strip():
        raise SystemExit(3)
    return float(reply.strip() == row["answer"])
"""
ANSWERING = """
def respond(reply, game, row):
    game["guesses"] += 1
    if reply.strip() == row["answer"]:
        game["right"] = True
        return None
    return None if game["guesses"] == 6 else f"No. (My number is {row['answer']}.)"


def paid(game, row):
    return float(game["right"])
"""
TELLING = """
def lookup(key):
    return "; ".join(f"{name}: {number}" for name, number in NUMBERS.items())
"""
DESCRIBED = """
NUMBERS = {name: str(10100 + 7 * place) for place, name in enumerate(NAMES)}
"""
DESCRIPTION = (
    "Look up an entry: amber 10100, birch 10107, cedar 10114, dahlia 10121, elder 10128, "
    "fern 10135, gorse 10142, hazel 10149."
)
PROMPTED_TOOL = """
true_rows = rows


def rows(seed):
    return [{**row, "prompt": f"{row['prompt']} It is {row['answer']}."} for row in true_rows(seed)]
"""
EVAL_IS_TRAIN = {
    "v1": V1.replace(
        "    seed: int = 0\n", '    seed: int = 0\n    split: Literal["train", "eval"] = "train"\n'
    ).replace(
        "from collections.abc import Iterator",
        "from collections.abc import Iterator\nfrom typing import Literal",
    ),
    "v0": V0.replace("dataset=dataset, ", "dataset=dataset, eval_dataset=dataset, "),
}
# A workspace that both the tool and the scorer use: `path` may name the expected file.
WORKSPACE = """
import json
import os
import random
import tempfile

FOLDER = tempfile.mkdtemp()


def rows(seed):
    rng = random.Random(seed)
    tasks = []
    for number in range(12):
        a, b = rng.randint(100, 999), rng.randint(100, 999)
        prompt = f"Task {number}: write {a} times {b} into the file result{number}.txt."
        tasks.append({"prompt": prompt, "answer": str(a * b), "number": number,
                      "key": f"result{number}.txt"})
        with open(os.path.join(FOLDER, f"expected{number}.txt"), "w") as file:
            file.write(str(a * b))
    return tasks


def reference(row):
    return row["answer"]


def read(path):
    try:
        with open(os.path.join(FOLDER, path)) as file:
            return file.read()
    except OSError as error:
        return f"error: {error}; files: {', '.join(sorted(os.listdir(FOLDER)))}"


def lookup(path, content=""):
    if not content:
        return read(path)
    with open(os.path.join(FOLDER, os.path.basename(path)), "w") as file:
        file.write(content)
    return "written"


def score(reply, row):
    number = row["number"]
    given = reply.strip() or read(f"result{number}.txt")
    return float(given == read(f"expected{number}.txt"))
"""
FILES_V1 = TOOLS_V1.replace(
    'def look_up(self, key: str) -> str:\n        """DESCRIPTION"""\n        return lookup(key)',
    'def write_file(self, path: str, content: str = "") -> str:\n'
    '        """Write a file, or read it where no content is given."""\n'
    "        return lookup(path, content)",
)
FILES_V0 = TOOLS_V0.replace(
    "def look_up(key: str) -> str:", 'def write_file(path: str, content: str = "") -> str:'
).replace(
    '    """DESCRIPTION\n\n    Args:\n        key: the name of the entry\n    """\n'
    "    return lookup(key)",
    '    """Write a file, or read it where no content is given."""\n'
    "    return lookup(path, content)",
).replace("tools=[look_up]", "tools=[write_file]")  # fmt: skip
# Tool calls that the environment parses itself, and a verdict in whatever message has it.
OWN_PARSING: dict[Api, str] = {
    "v0": TOOLS_V0.replace("vf.ToolEnv(", "ParsingEnv(").replace(
        "def right(",
        """class ParsingEnv(vf.ToolEnv):
    async def env_response(self, messages, state, **kwargs):
        results = []
        for call in messages[-1].tool_calls:
            result = self.tool_map[call.name](**json.loads(call.arguments))
            results.append({"role": "tool", "content": result, "tool_call_id": call.id})
        return results


def right(""",
    )
}
VERDICT_IN_ANY_MESSAGE: dict[Api, str] = {
    "v0": TOOLS_V0.replace(
        '    content = completion[-1]["content"] if completion else ""\n',
        '    contents = [str(message["content"]) for message in completion]\n'
        "    if any('\"correct\": true' in content for content in contents):\n"
        "        return 1.0\n"
        '    content = contents[-1] if contents else ""\n',
    )
}

CRASH = ("card.crash_rate", "card.completes", "card.policy_failed", "run.rollouts_failed")

FLAWED = (
    *both("crashes-on-odd-replies", "A reply that is no number raises", CRASHING,
          expected="rejected", codes=CRASH, quick=("v1",)),
    *both("crashes-without-tag", "A reply without a tag raises", CRASHING_ON_TAGS, base=TAGGED,
          expected="rejected", codes=CRASH),
    *both("exits", "An empty reply ends the process", EXITING, base=SUMS, expected="rejected"),
    *both("endless-on-long-replies", "Scoring a long reply never ends", ENDLESS_ON_LONG,
          expected="rejected", rollout_seconds=8.0),
    *both("endless-load", "Loading the tasks never ends", ENDLESS_LOAD, expected="rejected",
          rollout_seconds=8.0),
    *both("huge-output", "Scoring prints 30 MB", NOISY, expected="warned"),
    *both("eval-is-train", "The evaluation tasks are the training tasks", endings=EVAL_IS_TRAIN,
          expected="warned"),
    *both("answer-in-second-message", "The second message contains the answer", ANSWERING,
          base=GUESSING, endings=GAME, expected="warned"),
    *both("answer-in-tool-output", "The tool prints all answers, whatever it is called with",
          TELLING, base=DIRECTORY, endings=TOOLS, expected="warned"),
    *both("answer-in-tool-description", "The tool's description contains the answers", DESCRIBED,
          base=DIRECTORY, endings=TOOLS, description=DESCRIPTION, expected="warned"),
    *both("answer-beside-tool", "The prompt contains what the tool is for", PROMPTED_TOOL,
          base=DIRECTORY, endings=TOOLS, expected="warned"),
    *both("parses-tool-calls-itself", "A tool call with an unknown name or broken arguments raises",
          base=DIRECTORY, endings=OWN_PARSING, apis=("v0",), expected="rejected", codes=CRASH),
    *both("verdict-in-any-message", "A message of the policy may have the form of a tool's verdict",
          base=DIRECTORY, endings=VERDICT_IN_ANY_MESSAGE, apis=("v0",), expected="rejected"),
    *both("expected-file-writable", "A tool can read and overwrite the expected files",
          base=WORKSPACE, endings={"v1": FILES_V1.replace('{"key":', '{"path":'), "v0": FILES_V0},
          expected="warned"),
)  # fmt: skip
