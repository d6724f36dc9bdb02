"""``homeroom crowd``: from a table of answers to a map, to groups, and to a lesson."""

from __future__ import annotations

import typer

from homeroom.cli.crowd_embed import embed
from homeroom.cli.crowd_groups import groups
from homeroom.cli.crowd_map import map_
from homeroom.cli.crowd_teach import teach
from homeroom.cli.spread import Command, Group, spread

crowd = typer.Typer(
    name="crowd",
    cls=Group,
    help="From a table of answers to a map, to groups, and to a lesson.",
    rich_markup_mode="rich",
    invoke_without_command=True,
    add_completion=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
for name, command in (("embed", embed), ("groups", groups), ("teach", teach), ("map", map_)):
    crowd.command(name, cls=Command)(spread(command))


@crowd.callback()
def _crowd(context: typer.Context) -> None:
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())
