"""Static checks of what the members would do once they are installed. Pure functions."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator

from envyard.contract import names
from envyard.contract.codes import Finding, finding
from envyard.contract.wheel import Wheel

COMPILED = re.compile(r"\.(pyd|dll|dylib|so(\.\d+)*)$", re.IGNORECASE)
BYTECODE = re.compile(r"^(?P<folder>.*/)?(?P<stem>[^/]+)\.py[co]$", re.IGNORECASE)
CACHE = "__pycache__/"
# Python imports these at every start.
STARTUP_MODULES = {"sitecustomize", "usercustomize"}
# The newest are stdlib modules of newer Pythons than this one may be.
STDLIB_MODULES = sys.stdlib_module_names | {"annotationlib", "compression"}
# What environments, their frameworks and every installation import, by its module's name.
LIBRARIES = frozenset(
    """
    accelerate aiohttp anthropic attr attrs boto3 bs4 certifi charset_normalizer click cryptography
    datasets dateutil dotenv envyard envyard_runner fastapi flask gym gymnasium httpcore httpx
    huggingface_hub idna inspect_ai jax jinja2 jsonschema litellm markupsafe matplotlib mcp msgpack
    multidict nltk numpy openai openenv orjson packaging pandas peft pil pip pkg_resources
    _distutils_hack polars prime_cli prime_sandboxes psutil pyarrow pydantic pydantic_core pygments
    pytest ray regex requests rich safetensors scipy sentencepiece setuptools site_packages six
    skimage sklearn sniffio starlette sympy tenacity tensorflow tiktoken tokenizers torch
    torchvision tqdm transformers trl typer typing_extensions urllib3 uv uvicorn verifiers vllm
    wandb websockets wheel wrapt yaml yarl
    """.split()  # noqa: SIM905 - a list of quoted words would take a hundred lines
)


def compiled(whl: Wheel) -> Iterator[Finding]:
    """No member is compiled for one kind of machine."""
    for member in whl.files:
        if COMPILED.search(member.name):
            yield finding(
                "wheel.compiled_member",
                f"member {member.name!r} is compiled code; the wheel must run on every machine",
                where=member.name,
            )


def bytecode(whl: Wheel) -> Iterator[Finding]:
    """No member is compiled Python: it may do other things than the source that people read."""
    sources = {member.name for member in whl.files}
    for member in whl.files:
        match = BYTECODE.match(member.name)
        if match is None:
            continue
        folder = (match["folder"] or "").removesuffix(CACHE)
        stem = match["stem"].partition(".")[0] if CACHE in member.name else match["stem"]
        source = f"{folder}{stem}.py"
        if source in sources:
            yield finding(
                "wheel.bytecode",
                f"member {member.name!r} would run in place of {source!r}; ship the source alone",
                where=member.name,
            )
        else:
            yield finding(
                "wheel.pyc_without_source",
                f"member {member.name!r} is compiled from {source!r}, which is no member",
                where=member.name,
            )


def startup_files(whl: Wheel) -> Iterator[Finding]:
    """Nothing runs merely because the wheel is installed."""
    for member in whl.files:
        if "/" not in member.name and member.name.lower().endswith(".pth"):
            yield finding(
                "wheel.pth_member",
                f"member {member.name!r} would run code at every start of Python; none may",
                where=member.name,
            )


def data_folder(whl: Wheel) -> Iterator[Finding]:
    """Nothing is installed outside the environment's own modules."""
    for folder in sorted({member.name.partition("/")[0] for member in whl.members}):
        if folder.lower().endswith(".data"):
            yield finding(
                "wheel.data_member",
                f"folder {folder!r} would install files outside the environment's modules",
                where=folder,
            )


def shadows(whl: Wheel) -> Iterator[Finding]:
    """No top-level module takes the place of one that Python or a well-known library brings."""
    tops = {member.name.partition("/")[0].removesuffix(".py") for member in whl.files}
    for top in sorted(tops & STARTUP_MODULES):
        yield finding(
            "wheel.startup_module",
            f"top-level module {top!r} would run at every start of Python; none may",
            where=top,
        )
    for top in sorted(tops & STDLIB_MODULES):
        yield finding(
            "wheel.shadows_stdlib",
            f"top-level module {top!r} has the name of a module of Python itself",
            where=top,
        )
    own = names.module_name(whl.name) if whl.name else ""
    for top in sorted(top for top in tops if top.lower() in LIBRARIES and top != own):
        yield finding(
            "wheel.shadows_library",
            f"top-level module {top!r} has the name of a well-known library's",
            where=top,
        )


def tokens(whl: Wheel) -> Iterator[Finding]:
    """No member holds a hub's token; what is told of it is its public part alone."""
    for member in whl.members:
        for leak in member.leaks:
            yield finding(
                "wheel.contains_token",
                f"member {member.name!r} holds the token {str(leak)!r}; no wheel may carry one",
                where=member.name,
                public_id=leak.public_id,
            )
