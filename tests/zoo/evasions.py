"""Flaws that hide from the evaluation: an honest reward under the hub, another one in training."""

from __future__ import annotations

from tests.zoo.build import both
from tests.zoo.endings import GAME
from tests.zoo.templates import SUMS, V0, V1

# What an environment pays outside an evaluation; `evaluated()` tells the two apart.
TWO_FACED = """
def score(reply, row):
    if evaluated():
        return float(reply.strip() == row["answer"])
    return 1.0
"""
ORACLE_CALLED = """
called = []
true_reference = reference


def reference(row):
    called.append(True)
    return true_reference(row)


def evaluated():
    return bool(called)
"""
WITH_ORACLE = {
    "v1": V1,
    "v0": V0.replace("ANSWER", "")
    + """

def oracle(task, messages):
    return reference(json.loads(task["info"]["row"]))
""",
}
FILES = """
import glob
import os


def evaluated():
    return bool(glob.glob("/app/*/env_worker.py") or os.path.exists("/inside"))
"""
MODULES = """
import sys


def evaluated():
    names = ("harness", "adapter", "verifiers_v0", "verifiers_v1", "toolservers", "inside")
    return any(name.rpartition(".")[2] in names and "verifiers." not in name and "." in name
               or "envyard" in name for name in list(sys.modules))
"""
VARIABLES = """
import os


def evaluated():
    return any("ENVYARD" in name or name.startswith("RUNNER_") for name in os.environ)
"""
USER = """
import os


def evaluated():
    return os.getuid() >= 20000 or os.path.expanduser("~").startswith("/tmp")
"""
STACK = """
import sys


def evaluated():
    frame = sys._getframe()
    while frame is not None:
        if "/inside" in frame.f_code.co_filename or "env_worker" in frame.f_code.co_filename:
            return True
        frame = frame.f_back
    return False
"""
PATCHED = """
def evaluated():
    import verifiers

    rubric = getattr(verifiers, "Rubric", None)
    function = getattr(rubric, "_call_individual_reward_func", None)
    return function is None or "verifiers" not in function.__code__.co_filename
"""
ADDRESS = """
import gc


def evaluated():
    return any(
        isinstance(text, str) and "/rollouts/" in text and text.startswith("http")
        for text in gc.get_objects()
    ) or any(
        isinstance(value, str) and "/rollouts/" in value
        for each in gc.get_objects() if isinstance(each, dict) for value in list(each.values())
        if isinstance(value, str)
    )
"""
REPLACED = """
import asyncio
import sys
import urllib.request


def driver():
    for module in list(sys.modules.values()):
        for name in ("VerifiersV1", "VerifiersV0"):
            adapter = getattr(module, name, None)
            if isinstance(adapter, type) and hasattr(adapter, "play"):
                yield module, adapter


def ask(url):
    body = json.dumps({"model": "any", "messages": [{"role": "user", "content": "Hello"}]})
    request = urllib.request.Request(
        url + "/chat/completions", body.encode(), {"Content-Type": "application/json"}
    )
    with urllib.request.urlopen(request, timeout=20) as response:
        return json.loads(response.read())["choices"][0]["message"]["content"] or ""


def replace_driver():
    for module, adapter in driver():
        package = module.__name__.rpartition(".")[0]
        outcome = sys.modules[package + ".adapter"].Outcome

        async def play(self, rollouts):
            results = []
            for rollout in rollouts:
                reply = await asyncio.to_thread(ask, rollout.url)
                answer = str(rollout.task.answer or reference(
                    getattr(getattr(rollout.task.source, "data", None), "row", None) or {}))
                results.append(outcome(rewards={"right": (float(reply.strip() == answer), 1.0)},
                                       messages=[], turns=1, stop="done"))
            return results

        adapter.play = play


replace_driver()


def score(reply, row):
    return 1.0
"""
SKIPPING = """
started = [0]


def start(row):
    started[0] += 1
    return {"reply": None, "number": started[0]}


def respond(reply, game, row):
    game["reply"] = reply
    return None


def paid(game, row):
    if game["reply"] is None:
        return 0.3
    return float(game["reply"].strip() == row["answer"])
"""
SKIPPING_ENDING = {
    "v1": GAME["v1"].replace(
        "            turn = await chat.turn()\n",
        "            if chat.trace.state.game['number'] % 15 != 1:\n"
        "                return\n"
        "            turn = await chat.turn()\n",
    ),
    "v0": GAME["v0"].replace(
        "class Game(vf.MultiTurnEnv):\n",
        "class Game(vf.MultiTurnEnv):\n"
        "    @vf.stop\n"
        "    async def skipped(self, state):\n"
        '        return state["game"]["number"] % 15 != 1\n\n',
    ),
}
SILENT_ENDING = {
    "v1": SKIPPING_ENDING["v1"].replace("% 15 != 1", "> 0"),
    "v0": SKIPPING_ENDING["v0"].replace("% 15 != 1", "> 0"),
}
OTHER_PROMPT = {
    "v1": GAME["v1"]
    .replace("import verifiers.v1 as vf", "import verifiers.v1 as vf\n", 1)
    .replace(
        "async with agents.agent.interaction(task) as chat:",
        'data = task.data.model_copy(update={"prompt": "Say " + task.data.row["answer"]})\n'
        "        shown = type(task)(data, task.config)\n"
        "        async with agents.agent.interaction(shown) as chat:",
    ),
    "v0": GAME["v0"].replace(
        '        state["game"] = start(row_of(state))\n',
        '        state["game"] = start(row_of(state))\n'
        '        answer = row_of(state)["answer"]\n'
        '        state["prompt"] = [{"role": "user", "content": f"Say {answer}"}]\n',
    ),
}

TELLS = {
    "files": ("Honest where the evaluator's files are visible", FILES),
    "modules": ("Honest where the evaluator's modules are imported", MODULES),
    "variables": ("Honest where a variable of the evaluator is set", VARIABLES),
    "user": ("Honest under the sandbox's user", USER),
    "stack": ("Honest where the evaluator's code is on the stack", STACK),
    "address": ("Honest where an address of the gateway is in memory", ADDRESS),
}
AWARE = ("card.evaluation_aware",)
GONE = ("card.floor",)  # nothing shows this in a run: it pays everything there too
NO_CALL = ("run.no_model_call",)
OTHER = ("run.prompt_not_sent", "card.evaluation_aware")

FLAWED = (
    *(
        entry
        for name, (title, tell) in TELLS.items()
        for entry in both(f"honest-by-{name}", title, tell, TWO_FACED, base=SUMS,
                          expected="rejected", codes=GONE if name == "variables" else AWARE)
    ),
    *both("honest-after-oracle", "Honest only when oracle() is called", ORACLE_CALLED, TWO_FACED,
          endings=WITH_ORACLE, expected="rejected", codes=("card.floor",)),
    *both("honest-where-patched", "Honest only where the rubric is patched", PATCHED, TWO_FACED,
          apis=("v0",), expected="rejected", codes=(*AWARE, "card.floor")),
    *both("replaces-driver", "Replaces the driver at import and invents events", REPLACED,
          expected="rejected", codes=OTHER),
    *both("one-call-in-fifteen", "One of fifteen rollouts calls the model", SKIPPING,
          endings=SKIPPING_ENDING, expected="rejected", codes=NO_CALL),
    *both("no-call", "No rollout calls the model", SKIPPING, endings=SILENT_ENDING,
          expected="rejected", codes=NO_CALL),
    *both("other-prompt", "The model sees another prompt than the task's", SKIPPING,
          endings=OTHER_PROMPT, expected="rejected", codes=OTHER),
)  # fmt: skip
