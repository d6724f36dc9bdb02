"""What all messages are made of."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from homeroom.live.refused import CODES

Phase = Literal["lobby", "pretest", "teach", "posttest", "done"]
Kind = Literal["quiz", "writing"]
Place = tuple[float, float]
Count = Annotated[int, Field(ge=0)]


class Said(BaseModel):
    """What a page says; nothing else may come with it."""

    model_config = ConfigDict(extra="forbid")


class Open(BaseModel):
    """What may grow: more fields than these can come."""

    model_config = ConfigDict(extra="allow")


class Problem(BaseModel):
    """Why something was not done."""

    detail: str = Field(description="One sentence for whoever asked.")
    code: str = Field(
        description="The same in short, for a page in another language.",
        json_schema_extra={"enum": sorted(CODES["refused"])},
    )
    values: dict[str, str | int | float] = Field(
        default_factory=dict, description="What the sentence tells: numbers, names."
    )


class Point(BaseModel):
    """Where the pen was, when, and how hard it was pressed."""

    x: Annotated[float, Field(ge=-1e6, le=1e6)]
    y: Annotated[float, Field(ge=-1e6, le=1e6)]
    t: Annotated[float, Field(ge=0, le=1e6, description="Seconds.")]
    p: Annotated[float, Field(ge=0, le=1)] | None = None


Strokes = list[list[Point]]
