"""The gateway: the only way from an environment to its policies, and the hub's own record of it.
May import model."""

from envyard_runner.gateway.adaptive_limiter import AdaptiveLimiter
from envyard_runner.gateway.model import Model
from envyard_runner.gateway.rollout_records import Record
from envyard_runner.gateway.server import Gateway

__all__ = ["AdaptiveLimiter", "Gateway", "Model", "Record"]
