"""The parts that all messages share."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator
from pydantic_core import PydanticCustomError
from typing_extensions import TypeAliasType

from homeroom.live.refused import CODES

# Aliases of this kind have a name in OpenAPI, and so in the types of the pages.
# A phase is a part of a lesson. A kind is what students do in an activity: they answer or write.
# A letter form is the style that students write in: print, cursive, or each student's own. A place
# is a point on the map. A box is left, top, width, height. Scores are the defects of a letter by
# name. An answer is 1 (yes), -1 (no), or the number of an option.
Phase = TypeAliasType("Phase", Literal["lobby", "pretest", "teach", "posttest", "done"])
Kind = TypeAliasType("Kind", Literal["quiz", "writing"])
Reveal = Literal["own", "all", "teacher"]
LetterForm = TypeAliasType("LetterForm", Literal["own", "print", "cursive"])
Place = TypeAliasType("Place", tuple[float, float])
Box = TypeAliasType("Box", tuple[float, float, float, float])
Scores = TypeAliasType("Scores", dict[str, float])
AnswerNumber = TypeAliasType("AnswerNumber", Literal[-1, 1, 2, 3, 4, 5, 6, 7, 8])
Count = Annotated[int, Field(ge=0)]


EXTRA = "extra_forbidden"
"""The type of a validation error for an unknown field."""


class RequestModel(BaseModel):
    """The body of a request; unknown fields are refused."""

    model_config = ConfigDict(extra="forbid")

    @model_validator(mode="before")
    @classmethod
    def refuse_many_fields(cls, values: Any) -> Any:
        """Refuse more fields than there are at once: an error for each of thousands takes long."""
        if isinstance(values, dict) and len(values) > len(cls.model_fields):
            raise PydanticCustomError(EXTRA, "Extra inputs are not permitted")
        return values


class ResponseModel(BaseModel):
    """The body of a response; all its fields are declared, and its numbers are finite."""

    model_config = ConfigDict(extra="forbid", allow_inf_nan=False)


def to_json(message: BaseModel) -> str:
    """Return a message as JSON text.

    Fields that were not set are omitted, and aliases such as ``class`` are used.
    """
    return message.model_dump_json(by_alias=True, exclude_unset=True)


class Problem(BaseModel):
    """Why a request was refused."""

    detail: str = Field(description="One sentence for the user.")
    code: str = Field(
        description="The code of the refusal, for pages in another language.",
        json_schema_extra={"enum": sorted(CODES["refused"])},
    )
    values: dict[str, str | int | float] = Field(
        default_factory=dict, description="The values in the sentence: numbers and names."
    )


class InkPoint(BaseModel):
    """A position of the pen, with its time and pressure."""

    model_config = ConfigDict(extra="forbid")

    x: Annotated[float, Field(ge=-1e6, le=1e6)]
    y: Annotated[float, Field(ge=-1e6, le=1e6)]
    t: Annotated[float, Field(ge=0, le=1e6, description="Seconds since the start of the letter.")]
    p: Annotated[float, Field(ge=0, le=1, description="Pressure, if known.")] | None = None


Stroke = TypeAliasType("Stroke", list[InkPoint])
Strokes = list[Stroke]
