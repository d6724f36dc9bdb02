"""What children write."""

from __future__ import annotations

import asyncio

from fastapi import APIRouter, Response

from homeroom.live.live_class import compact
from homeroom.live.messages.said import Writing
from homeroom.live.messages.view import Ink
from homeroom.live.routes.answers import CHANGES, may
from homeroom.live.routes.who import Registry, Student

routes = APIRouter(prefix="/api", tags=["writing"])


@routes.post("/ink", response_model=Ink, responses=may(*CHANGES, 401, 404, 409, 410))
async def ink(said: Writing, seat: Student, registry: Registry) -> Response:
    """Keep a child's letter, say how it was, and write the next one for it."""
    live = await registry.find(seat.class_id)
    strokes = [[point.model_dump() for point in stroke] for stroke in said.strokes]
    wrote = await asyncio.to_thread(live.book.written, seat.student, strokes, said.round)
    await registry.act(seat.class_id, wrote)
    sheet = (await asyncio.to_thread(live.book.view, seat.student)).get("writing") or {}
    answer = compact({"scores": dict(wrote.scores), "next": sheet.get("robot")})
    return Response(answer, media_type="application/json")
