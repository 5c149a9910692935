"""Take the pictures of docs/screenshots from a running hub, as a visitor sees its pages.

    make screenshots ARGS="--hub http://127.0.0.1:8000 --environment alice/tic-tac-toe"

The hub must hold an evaluated environment; the pictures that need a model are those of the newest
run in which one answered. Needs Debian's Chromium.
"""

from __future__ import annotations

import argparse
import io
import shutil
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import requests
from PIL import Image
from playwright.sync_api import Browser, sync_playwright

OUT = Path(__file__).parents[1] / "docs" / "screenshots"
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
WIDE, NARROW = (1280, 860), (390, 780)
COLOURS = 128  # of a picture, which keeps it below 100 KB
SECONDS = 30


@dataclass(frozen=True)
class Shot:
    """One picture: its name, the page's path, and how the page is shown."""

    name: str
    path: str
    size: tuple[int, int] = WIDE
    dark: bool = False


def main() -> int:
    """Take all pictures; 1 where the hub lacks what they show."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--hub", default="http://127.0.0.1:8000", metavar="URL")
    parser.add_argument("--environment", default="alice/tic-tac-toe", metavar="OWNER/NAME")
    parser.add_argument("--out", type=Path, default=OUT, metavar="FOLDER")
    args = parser.parse_args()
    program = shutil.which("chromium")
    if program is None:
        print("chromium is not installed: `make setup-tests` installs it", file=sys.stderr)
        return 1
    args.out.mkdir(parents=True, exist_ok=True)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=FLAGS)
        for shot in shots(args.hub, args.environment):
            file = args.out / f"{shot.name}.png"
            file.write_bytes(taken(browser, args.hub, shot))
            print(f"{file.name}  {file.stat().st_size // 1024} KB  {shot.path}")
        browser.close()
    return 0


def shots(hub: str, environment: str) -> Iterator[Shot]:
    """The pictures, of what the hub's API names."""
    page = f"/envs/{environment}/"
    yield Shot("home", "/")
    yield Shot("browse", "/envs/")
    yield Shot("environment", page, dark=True)
    yield Shot("environment-narrow", page, NARROW)
    yield Shot("card", f"{page}?tab=card")
    runs = [run for run in rows(hub, f"environments/{environment}/runs/") if is_complete(run)]
    probed = [run for run in runs if not run["model"]]
    yield from (Shot("run", f"/runs/{run['id']}/") for run in probed[:1])
    modelled = [run for run in runs if run["model"]]
    if not modelled:
        print("no model was evaluated: its run, rollout, leaderboard and comparison are left out")
        return
    newest = modelled[0]
    rollouts = rows(hub, f"runs/{newest['id']}/rollouts/?limit=100")
    best = max(rollouts, key=lambda rollout: rollout["reward"] or 0.0)
    yield Shot("model-run", f"/runs/{newest['id']}/")
    yield Shot("rollout", f"/runs/{newest['id']}/rollouts/{best['pk']}/")
    suite = newest["suite"]["name"]
    yield Shot("leaderboard", f"{page}{newest['version']}/leaderboard/?suite={suite}")
    yield Shot("leaderboards", f"/leaderboards/?suite={suite}")
    others = [run for run in modelled if run["model"] != newest["model"]]
    for other in [run for run in others if run["suite"] == newest["suite"]][:1]:
        yield Shot("comparison", f"/runs/{newest['id']}/comparison/{other['id']}/")


def is_complete(run: dict[str, Any]) -> bool:
    """Whether the run has a result."""
    return bool(run["status"] == "succeeded")


def rows(hub: str, path: str) -> list[dict[str, Any]]:
    """The first page of a list of the API, the newest first; raises HTTPError where it is none."""
    answer = requests.get(f"{hub}/api/v1/{path}", timeout=SECONDS)
    answer.raise_for_status()
    results: list[dict[str, Any]] = answer.json()["results"]
    return results


def taken(browser: Browser, hub: str, shot: Shot) -> bytes:
    """The top of the page as a PNG with a palette."""
    width, height = shot.size
    context = browser.new_context(
        viewport={"width": width, "height": height},
        color_scheme="dark" if shot.dark else "light",
        reduced_motion="reduce",
    )
    page = context.new_page()
    answer = page.goto(f"{hub}{shot.path}", wait_until="networkidle", timeout=SECONDS * 1000)
    if answer is None or not answer.ok:
        raise SystemExit(f"{shot.path}: {answer.status if answer else 'no answer'}")
    picture = Image.open(io.BytesIO(page.screenshot()))
    context.close()
    small = io.BytesIO()
    picture.convert("RGB").quantize(COLOURS, dither=Image.Dither.NONE).save(
        small, "PNG", optimize=True
    )
    return small.getvalue()


if __name__ == "__main__":
    sys.exit(main())
