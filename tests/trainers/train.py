"""Run a program that a page shows, then have its reward function score the given replies to the
first prompt; prints what it paid, and what the trainer logged, as JSON on the last line."""

import asyncio
import json
import runpy
import sys

shown = runpy.run_path(sys.argv[1])
completions = [[{"role": "assistant", "content": reply}] for reply in sys.argv[2:]]
paid = asyncio.run(shown["reward"](completions=completions, row=[0] * len(completions)))
steps = [row for row in shown["trainer"].state.log_history if "reward" in row]
sys.stdout.write("\n" + json.dumps({"paid": paid, "steps": steps, "prompt": shown["prompts"][0]}))
