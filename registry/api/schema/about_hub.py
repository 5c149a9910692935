"""The operation that describes the hub itself."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from registry.api.schema.base import Shape
from registry.api.schema.operation import Operation


class DrivenApi(Shape):
    """The releases that runners can drive for one API of a framework."""

    specifier: Annotated[str, Field(examples=["<0.4"])]
    default: Annotated[str, Field(description="The newest.", examples=["0.3.1"])]


class DrivenFramework(Shape):
    """The releases of a framework that this hub knows and can drive, in ascending order."""

    releases: list[str]
    default: Annotated[str, Field(description="The newest of all.", examples=["0.4.0"])]
    apis: dict[str, DrivenApi]


class About(Shape):
    """What this hub evaluates with."""

    pythons: Annotated[
        list[str],
        Field(description="The Python versions of the live runners.", examples=[["3.11.2"]]),
    ]
    frameworks: dict[str, DrivenFramework]
    index: Annotated[
        str, Field(description="The runners' package index; empty: the resolver's own default.")
    ]


OPERATIONS = {
    "GET about/": Operation(
        "getAbout",
        "Runners",
        "Show what the hub evaluates with",
        "The Pythons of its live runners and the framework releases that they can drive.",
        {200: About},
        free=True,
    ),
}
