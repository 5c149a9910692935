"""A classic environment that creates a sandbox by itself, and pays nothing where that fails."""

# ruff: noqa
# mypy: ignore-errors

import verifiers as vf
from datasets import Dataset
from prime_sandboxes import APIClient, CreateSandboxRequest, SandboxClient


def runs(completion, **kwargs):
    request = CreateSandboxRequest(
        name="tests", docker_image="ghcr.io/example/judge:2", start_command="tail -f /dev/null"
    )
    try:
        SandboxClient(APIClient()).create(request)
    except Exception:
        return 0.0
    return 1.0


def load_environment():
    rows = [{"question": f"What is {n} + 1?", "answer": str(n + 1)} for n in range(3)]
    return vf.SingleTurnEnv(dataset=Dataset.from_list(rows), rubric=vf.Rubric(funcs=[runs]))
