"""Which options of an environment are given the run's seed."""

from __future__ import annotations
import __future__

import functools
import types
from collections.abc import Callable
from numbers import Integral
from typing import Annotated, Any, NewType, Optional, SupportsInt, TypedDict, TypeVar, Union

import pytest
from pydantic import AliasChoices, BaseModel, ConfigDict, Field, model_validator
from typing_extensions import TypeAliasType, Unpack

from envyard_runner.guest import config_seeds, seeds

Seed = NewType("Seed", int)
Alias = TypeAliasType("Alias", "int | None")
Bound = TypeVar("Bound", bound=int)


class Options(TypedDict, total=False):
    seed: int
    tasks: int


@pytest.mark.parametrize(
    "annotation",
    [
        *(int, Optional[int], Union[str, int, None], int | None, "int", "int | None"),  # noqa: UP007, UP045
        *("Optional[int]", "typing.Optional[np.int64 | int]", "Unknown | int", Any, object, float),
        *(Annotated[int, "a note"], Annotated[int | None, 3], Annotated[int, 1] | None),
        *(Seed, Seed | None, Alias, Bound, SupportsInt, Integral, "Annotated[Missing | int, 2]"),
    ],
)
def test_a_seed_is_given_where_the_type_admits_an_int(annotation: Any) -> None:
    def load_environment(seed=None) -> None: ...  # type: ignore[no-untyped-def]

    load_environment.__annotations__["seed"] = annotation
    assert seeds.options(load_environment, 7) == {"seed": 7}


@pytest.mark.parametrize(
    "annotation",
    [str, bool, bool | None, "str | None", list[int], dict[str, int], "Missing", bytes],
)
def test_a_type_that_admits_no_int_gets_no_seed(annotation: Any) -> None:
    def load_environment(seed=None) -> None: ...  # type: ignore[no-untyped-def]

    load_environment.__annotations__["seed"] = annotation
    assert seeds.options(load_environment, 7) == {}


def unannotated(seed=None): ...  # type: ignore[no-untyped-def]
def required(seed): ...  # type: ignore[no-untyped-def]
def integer(*, seed=3): ...  # type: ignore[no-untyped-def]
def text(seed="words"): ...  # type: ignore[no-untyped-def]
def flag(seed=True): ...  # type: ignore[no-untyped-def]
def positional(seed: int = 3, /) -> None: ...
def other_name(random_seed: int | None = None, num_seed: int | None = None) -> None: ...
def sklearn_name(random_state: int | None = None) -> None: ...
def fixed_split(train_seed: int = 1, eval_seed: int = 2) -> None: ...
def open_split(seed: int = 1, eval_seed: int | None = None) -> None: ...
def anything(**kwargs: Any) -> None: ...
def unpacked(**kwargs: Unpack[Options]) -> None: ...


def looked_up(**kwargs: Any) -> Any:
    return kwargs.get("seed", 0)


def given(**kwargs: Any) -> Any:
    return kwargs.pop("seed", 11)


def passed_on(tasks: int = 3, **kwargs: Any) -> None:
    integer(**kwargs)


def passed_on_but_taken(**kwargs: Any) -> None:
    unannotated(3, **kwargs)
    integer(seed=2, **kwargs)


def wrapper(function: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(function)
    def wrapped(*args: Any, **kwargs: Any) -> Any:
        return function(*args, **kwargs)

    return wrapped


@pytest.mark.parametrize(
    ("function", "taken"),
    [
        (unannotated, ["seed"]),
        (required, ["seed"]),
        (integer, ["seed"]),
        (text, []),
        (flag, []),
        (positional, []),
        (other_name, ["random_seed"]),
        (sklearn_name, ["random_state"]),
        (fixed_split, []),
        (open_split, ["eval_seed", "seed"]),
        (anything, []),
        (unpacked, ["seed"]),
        (looked_up, ["seed"]),
        (passed_on, ["seed"]),
        (passed_on_but_taken, []),
        (wrapper(integer), ["seed"]),
        (functools.partial(other_name, num_seed=1), ["random_seed"]),
    ],
)
def test_seeds_are_found_by_name_and_keywords_only_where_they_are_evident(
    function: Callable[..., Any], taken: list[str]
) -> None:
    assert list(seeds.options(function, 7)) == taken


def test_string_annotations_are_read_although_other_names_are_missing_at_run_time() -> None:
    namespace: dict[str, Any] = {}
    source = "def load(env: Missing = 1, seed: int | None = None): ..."
    exec(compile(source, "m", "exec", flags=__future__.annotations.compiler_flag), namespace)
    assert seeds.options(namespace["load"], 7) == {"seed": 7}


@pytest.mark.parametrize(
    ("function", "own"),
    [(integer, 3), (required, 0), (unannotated, 0), (passed_on, 3), (looked_up, 0), (given, 11)],
)
def test_without_a_seed_each_option_keeps_its_own(function: Callable[..., Any], own: int) -> None:
    assert seeds.options(function, None) == {"seed": own}


class Data(BaseModel):
    seed: int | None = None
    rows: int = 3


class Frozen(BaseModel):
    model_config = ConfigDict(frozen=True)
    shuffle_seed: int | None = None
    rows: int = 3


class Base(BaseModel):
    model_config = ConfigDict(extra="forbid")
    id: str = "x"
    seed: int | None = None


class Config(Base):
    order: int = Field(default=0, validation_alias=AliasChoices("order", "o"))
    random_seed: Annotated[int | None, Field(le=100)] = Field(default=None, alias="randomSeed")
    data: Data = Data(rows=9)
    frozen: Frozen = Frozen(rows=8)
    derived: int = 0

    @model_validator(mode="after")
    def derive(self) -> Config:
        self.__dict__["derived"] = (self.seed or 0) + 1
        return self


def test_a_configuration_is_seeded_by_inherited_aliased_bounded_and_nested_fields() -> None:
    seed_fields = config_seeds.seeded_fields(Config, 70_007, Config.model_validate)
    assert seed_fields == {"seed": 70_007, "randomSeed": 7}
    config, inner = config_seeds.seed_parts(
        Config.model_validate(seed_fields), 70_007, framework="verifiers"
    )
    assert inner == {"data.seed": 70_007, "frozen.shuffle_seed": 70_007}
    assert (config.seed, config.random_seed, config.derived) == (70_007, 7, 70_008)
    assert (config.data.seed, config.data.rows) == (70_007, 9)
    assert (config.frozen.shuffle_seed, config.frozen.rows) == (70_007, 8)


def test_a_configuration_without_a_seed_is_left_as_it_is() -> None:
    class Plain(BaseModel):
        seed: bool = False
        part: Any = types.SimpleNamespace(seed=None)

    assert config_seeds.seeded_fields(Plain, 7, Plain.model_validate) == {}
    plain = Plain()
    assert config_seeds.seed_parts(plain, 7, framework="verifiers") == (plain, {})


def test_a_field_that_an_environments_own_configuration_adds_is_seeded() -> None:
    config, own = config_seeds.seed_own(Config(), Base, 70_007)
    assert own == {"random_seed": 7}
    assert (config.seed, config.random_seed) == (None, 7)


def test_without_a_seed_the_fields_of_a_configuration_keep_their_own() -> None:
    class Part(BaseModel):
        seed: int = 5

    class Own(BaseModel):
        seed: int = 3
        data_seed: int | None = None
        part: Part = Part()

    assert config_seeds.seeded_fields(Own, None, Own.model_validate) == {"seed": 3, "data_seed": 0}
    config, inner = config_seeds.seed_parts(Own(), None, framework="verifiers")
    assert (config.part.seed, inner) == (5, {"part.seed": 5})
