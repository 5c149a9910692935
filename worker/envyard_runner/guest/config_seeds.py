"""Seeds in a pydantic configuration: its own fields, by name or alias, and those of its parts."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from .seeds import DEEPEST, UNSET, admits_int, is_seed, own_or

MODULUS = (1 << 31, 1000, 2)  # what a field with bounds may admit in place of the seed itself


def candidates(seed: int | None, default: Any) -> Iterator[int]:
    """The seed (the field's own default where there is none), then smaller numbers made of it, for
    fields that have bounds."""
    number = own_or(seed, default)
    yield number
    for modulus in MODULUS:
        if number >= modulus:
            yield number % modulus


def fields(kind: Any) -> list[str]:
    """The names of the configuration class's own and inherited fields that take a seed."""
    return [
        name
        for name, field in kind.model_fields.items()
        if is_seed(name, _default(field)) and admits_int(field.annotation, _default(field))
    ]


def key(kind: Any, name: str) -> str:
    """Under which key a validated mapping gives the field: its alias where it has one."""
    field = kind.model_fields[name]
    alias = field.validation_alias or field.alias
    choices = getattr(alias, "choices", [alias])
    return next((choice for choice in choices if isinstance(choice, str)), name)


def seeded_fields(
    kind: Any, seed: int | None, works: Callable[[dict[str, int]], object]
) -> dict[str, int]:
    """The mapping that hands the seed to the class's own fields, checked one by one with `works`,
    which raises ValueError (pydantic's are) for what does not validate."""
    values: dict[str, int] = {}
    for name in fields(kind):
        for number in candidates(seed, _default(kind.model_fields[name])):
            try:
                works({**values, key(kind, name): number})
            except ValueError:
                continue
            values[key(kind, name)] = number
            break
    return values


def seed_parts(
    config: Any, seed: int | None, *, framework: str, depth: int = DEEPEST
) -> tuple[Any, dict[str, int]]:
    """The configuration with the seed in every part of it, and by their dotted names what those
    fields have.

    The fields of `config` itself are left alone. Parts are the values that are models of the
    environment's own; those of the module `framework` are not touched.
    """
    update, values = {}, dict[str, int]()
    for name in type(config).model_fields if depth else ():
        value = getattr(config, name, None)
        if not _is_own(value, framework):
            continue
        part, taken = _seed_fields(value, seed)
        part, inner = seed_parts(part, seed, framework=framework, depth=depth - 1)
        if taken or inner:
            update[name] = part
            values |= {f"{name}.{field}": number for field, number in (taken | inner).items()}
    return (config.model_copy(update=update) if update else config), values


def seed_own(config: Any, base: Any, seed: int | None) -> tuple[Any, dict[str, int]]:
    """The configuration with the seed in the fields that its class adds to `base`."""
    return _seed_fields(config, seed, skip=frozenset(base.model_fields))


def _seed_fields(
    part: Any, seed: int | None, *, skip: frozenset[str] = frozenset()
) -> tuple[Any, dict[str, int]]:
    """The part with the seed in its fields; validated by its class where that can be done."""
    taken = dict[str, int]()
    for name in fields(type(part)):
        default = _default(type(part).model_fields[name])
        for number in candidates(seed, default) if name not in skip else ():
            try:
                part = _replaced(part, name, number)
            except Exception:  # out of bounds, or a validator of the class's own
                continue
            taken[name] = number
            break
    return part, taken


def _replaced(part: Any, name: str, number: int) -> Any:
    """A copy with that field replaced and validated; raises ValueError outside its bounds."""
    kind = type(part)
    if kind.model_config.get("frozen"):
        return kind.model_validate({**part.model_dump(by_alias=True), key(kind, name): number})
    copied = part.model_copy()
    kind.__pydantic_validator__.validate_assignment(copied, name, number)
    return copied


def _is_own(value: Any, framework: str) -> bool:
    """Whether it is a model of a class that the framework does not define."""
    is_model = hasattr(type(value), "model_fields") and hasattr(value, "model_copy")
    return is_model and type(value).__module__.partition(".")[0] != framework


def _default(field: Any) -> Any:
    if field.default_factory is not None:
        return object()  # a value of its own, of which only its type is known
    return UNSET if field.is_required() else field.default
