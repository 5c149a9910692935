"""What `hub info` prints of a model's results: what a trainer will see."""

from __future__ import annotations

from argparse import ArgumentParser
from collections.abc import Sequence
from typing import Any

from envyard.card.prices import cost_of_thousand, parse
from envyard.commands.show import interval, number, percent
from envyard.errors import UsageError
from envyard.output import Output

BASELINES = ("constant_reward", "baseline_reward")  # shown also where they are unknown
BLOCKS = " ▁▂▃▄▅▆▇█"


def show_models(
    models: list[dict[str, Any]], out: Output, costs: Sequence[dict[str, Any]] = ()
) -> None:
    """One block for each model: the sentence, known measures, the cost, and tasks by solve rate.

    `costs` are those of the API, or of `reader_costs`.
    """
    by_model = {row["model"]: row for row in costs}
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
        if cost := by_model.get(results["model"]):
            out.line(f"  {'Cost of 1,000 rollouts':<{width}}  {cost_text(cost)}")
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


def add_prices(command: ArgumentParser) -> None:
    """Add --prices."""
    command.add_argument(
        "--prices",
        metavar="PROMPT/COMPLETION",
        default="",
        help="prices of a million tokens, such as 0.15/0.60: show what 1,000 rollouts cost",
    )


def reader_costs(models: list[dict[str, Any]], text: str) -> list[dict[str, Any]]:
    """The cost of 1,000 rollouts of each model by the prices of --prices, in the form of the API;
    raises UsageError."""
    try:
        prices = parse(text)
    except ValueError as error:
        raise UsageError(f"--prices: {error}", "For example: --prices 0.15/0.60") from None
    costs = [(row["model"], cost_of_thousand(row["measures"], prices)) for row in models]
    return [
        {
            "model": model,
            "prompt_price": prices.prompt,
            "completion_price": prices.completion,
            "currency": "",
            "per_1000_rollouts": cost,
        }
        for model, cost in costs
        if cost is not None
    ]


def cost_text(cost: dict[str, Any]) -> str:
    """`12.5 EUR (0.15 a million prompt tokens, 0.6 a million completion tokens)`."""
    currency = f" {cost['currency']}" if cost["currency"] else ""
    prompt, completion = cost["prompt_price"], cost["completion_price"]
    prices = f"{prompt:g} a million prompt tokens, {completion:g} a million completion tokens"
    value = cost["per_1000_rollouts"]
    number_text = f"{value:,.0f}" if value >= 1000 else f"{value:.3g}"
    return f"{number_text}{currency} ({prices})"


def sparkline(counts: list[int]) -> str:
    """One character a bar, higher for more; a bar that is not empty is visible."""
    most = max(counts, default=0)
    steps = len(BLOCKS) - 1
    return "".join(BLOCKS[-(-steps * count // most)] if most else " " for count in counts)
