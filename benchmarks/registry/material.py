"""The wheels of the measured servers: the same names, sizes and bytes for all."""

from __future__ import annotations

import random
from dataclasses import dataclass
from pathlib import Path

from tests.wheels import filename, make_wheel

ENVIRONMENTS = 200
NEEDY, BIG = "env-needy", "env-big"  # one with three dependencies, one of 100 KB


@dataclass(frozen=True, slots=True)
class Material:
    """Wheels on disk: `seed` is served, `uploads` are new versions."""

    seed: tuple[Path, ...]
    uploads: tuple[Path, ...]


def make(folder: Path, *, uploads: int) -> Material:
    """Write the wheels; the same bytes each time."""
    folder.mkdir(parents=True)
    seed = [_wheel(folder, name(number), "1.0.0") for number in range(ENVIRONMENTS)]
    seed += [_wheel(folder, name(number), "1.1.0") for number in range(ENVIRONMENTS // 2)]
    seed.append(_wheel(folder, BIG, "1.0.0", size=100_000))
    seed.append(_wheel(folder, NEEDY, "1.0.0", needs=[name(number) for number in range(3)]))
    new = [
        _wheel(folder, name(number % ENVIRONMENTS), f"2.{number // ENVIRONMENTS}.0")
        for number in range(uploads)
    ]
    return Material(tuple(seed), tuple(new))


def name(number: int) -> str:
    """The name of an ordinary environment."""
    return f"env-{number:03}"


def _wheel(
    folder: Path, name: str, version: str, *, size: int = 4_000, needs: list[str] | None = None
) -> Path:
    module = name.replace("-", "_")
    noise = random.Random(f"{name}{version}").randbytes(size)
    path = folder / filename(name, version)
    path.write_bytes(
        make_wheel(
            name,
            version,
            files={f"{module}/__init__.py": "", f"{module}/tasks.bin": noise},
            metadata={"Requires-Dist": needs or []},
        )
    )
    return path
