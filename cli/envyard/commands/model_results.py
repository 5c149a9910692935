"""What `hub info` prints of a model's results: what a trainer will see."""

from __future__ import annotations

from typing import Any

from envyard.commands.show import interval, number, percent
from envyard.output import Output

BASELINES = ("constant_reward", "baseline_reward")  # shown also where they are unknown
BLOCKS = " ▁▂▃▄▅▆▇█"


def show_models(models: list[dict[str, Any]], out: Output) -> None:
    """One block for each model: the sentence, known measures, and tasks by solve rate."""
    for results in models:
        name = results["model"] or results["policy"]
        tasks = f"{results['tasks']} task{'' if results['tasks'] == 1 else 's'}"
        count = f"{results['n']} rollouts of {tasks}"
        out.line(f"\nModel {name}, suite {results['suite']}, {count}")
        out.line(f"  {results['sentence']}")
        known = [row for row in results["measures"] if row["value"] is not None]
        width = max((len(row["title"]) for row in known), default=0)
        for measure in known:
            out.line(f"  {measure['title']:<{width}}  {measure_text(measure)}")
        if bars := results["difficulty_bars"]:
            counts = [bar["count"] for bar in bars]
            text = f"0 % |{sparkline(counts)}| 100 % solved"
            out.line(f"  {'Tasks by solve rate':<{width}}  {text}")
        for measure in results["measures"]:
            if measure["code"] in BASELINES and measure["value"] is None:
                out.line(f"  {measure['title']} is unknown: {measure['detail']}", "dim")


def measure_text(measure: dict[str, Any]) -> str:
    """The value with unit, interval, n, method and source."""
    value, low, high = measure["value"], measure["low"], measure["high"]
    if measure["unit"] == "share":
        text = percent(value)
        if low is not None and high is not None:
            text += f" [{percent(low)}, {percent(high)}]"
    else:
        text = f"{interval(value, low, high) if low is not None else number(value)}"
        text += f" {measure['unit']}"
    method = f", {measure['method']}" if measure["method"] else ""
    detail = f" ({measure['detail']})" if measure["detail"] else ""
    source = f", {measure['source']}" if measure.get("source") else ""
    return f"{text}  n={measure['n']}{method}{source}{detail}"


def sparkline(counts: list[int]) -> str:
    """One character a bar, higher for more; a bar that is not empty is visible."""
    most = max(counts, default=0)
    steps = len(BLOCKS) - 1
    return "".join(BLOCKS[-(-steps * count // most)] if most else " " for count in counts)
