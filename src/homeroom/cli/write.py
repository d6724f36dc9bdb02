"""``homeroom write``: from children's letters to scores, to letters, and to a lesson."""

from __future__ import annotations

import typer

from homeroom.cli.spread import Command, Group, spread
from homeroom.cli.write_generate import generate
from homeroom.cli.write_lesson import lesson
from homeroom.cli.write_score import score
from homeroom.cli.write_train import train

write = typer.Typer(
    name="write",
    cls=Group,
    help="From children's letters to scores, and to the letters to write for them.",
    rich_markup_mode="rich",
    invoke_without_command=True,
    add_completion=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
for command in (score, generate, lesson, train):
    write.command(cls=Command)(spread(command))


@write.callback()
def _write(context: typer.Context) -> None:
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())
