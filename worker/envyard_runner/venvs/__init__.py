"""Builds the venv of a version, its wheel and dependencies, without running any of their code. May
import sandbox and guest."""

from envyard_runner.venvs.build import Venv, build_venv
from envyard_runner.venvs.uv import VenvError

__all__ = ["Venv", "VenvError", "build_venv"]
