"""The projector's page: open to anyone with its address, and nothing private on it."""

from __future__ import annotations

import asyncio
from typing import Annotated

from fastapi import APIRouter, Path, Request, Response

from homeroom.live.activities import catalogue
from homeroom.live.classbook.projector import on_projector
from homeroom.live.messages.responses import JoinLink
from homeroom.live.messages.views import Projector
from homeroom.live.refused import Refused
from homeroom.live.routes.activities import PICTURE, as_response
from homeroom.live.routes.dependencies import ClassId, Registry, Server, refusals
from homeroom.live.routes.downloads import address_of, is_local

routes = APIRouter(prefix="/api/board/{class_id}", tags=["projector"])


@routes.get("", response_model=Projector, responses=refusals(404, 422))
async def board(class_id: ClassId, registry: Registry) -> Response:
    """Return everything that the projector shows of a class."""
    live = await (await registry.find(class_id)).fresh()
    text = await asyncio.to_thread(live.projector)
    return Response(text, media_type="application/json")


@routes.get("/join", responses=refusals(404, 422))
async def join(class_id: ClassId, request: Request, server: Server) -> JoinLink:
    """Return how students join: the code, the address, and the link as a QR code."""
    import segno

    opened = (await server.registry.find(class_id)).book.state.opened
    assert opened is not None
    address = address_of(request, server.settings)
    if is_local(address):
        return JoinLink(code=opened.code, address=address, local=True, qr=[])
    drawn = segno.make(f"{address}/?code={opened.code}", micro=False).matrix
    rows = ["".join(map(str, row)) for row in drawn]
    return JoinLink(code=opened.code, address=address, local=False, qr=rows)


@routes.get(
    "/items/{item}/picture",
    response_class=Response,
    responses={**refusals(404, 422), **PICTURE},
)
async def picture(
    class_id: ClassId,
    item: Annotated[str, Path(max_length=200, description="The item's code.")],
    registry: Registry,
) -> Response:
    """Return the picture of an item that is on the projector now."""
    state = (await (await registry.find(class_id)).fresh()).book.state
    named = state.codes.item_of.get(item)
    if named is None or named not in on_projector(state):
        raise Refused("no_picture")
    return as_response(
        await asyncio.to_thread(catalogue.picture, registry.store, state.activity.id, named)
    )
