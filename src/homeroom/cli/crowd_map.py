"""``homeroom crowd map``: the map as a page to look at."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from homeroom._checks import InputError
from homeroom._files import replacing
from homeroom.cli.crowd_options import (
    AnswersOptions,
    KOption,
    MapOptions,
    PicturesOption,
    check_k,
)
from homeroom.cli.crowd_words import (
    answers_as_values,
    belief_as_values,
    map_as_values,
    show_answers,
    show_beliefs,
    show_map,
)
from homeroom.cli.screen import Screen


def map_(
    which: AnswersOptions,
    how: MapOptions,
    *,
    k: KOption = None,
    pictures: PicturesOption = None,
    out: Annotated[
        Path,
        typer.Option(metavar="FILE", help="Where the page goes.", rich_help_panel="The result"),
    ] = Path("map.html"),
    json: Annotated[
        bool,
        typer.Option(
            "--json", help="Print the result as one JSON document.", rich_help_panel="The result"
        ),
    ] = False,
) -> None:
    """Draw the map: items, people as their lines, groups in colours, the target.

    It is one file that opens in any browser. Rest the pointer on anything to see
    what it is.

    [bold]Examples[/bold]
    $ homeroom crowd map answers.csv --labels experts.csv --out map.html
    $ homeroom crowd map answers.csv --pictures photos --k 4
    """
    from homeroom.crowd.atlas import map_page, read_pictures
    from homeroom.crowd.beliefs import beliefs

    screen = Screen(as_json=json)
    how.check()
    check_k(k)
    _refuse_no_page(out)
    answers = which.read()
    check_k(k, len(answers.people))
    found_pictures = {} if pictures is None else read_pictures(pictures, answers.items)
    found = how.fit(answers)
    group_of = found.groups(k, seed=how.seed)
    believed = beliefs(answers, found, group_of)
    page = map_page(answers, found, group_of, believed, found_pictures)
    with replacing(out) as path:
        page.write(path)
    document: dict[str, Any] = {
        "answers": answers_as_values(answers),
        "map": map_as_values(found),
        "groups": [belief_as_values(number, belief) for number, belief in enumerate(believed)],
        "out": str(out),
    }
    show_answers(screen, answers)
    show_map(screen, found)
    show_beliefs(screen, answers, believed)
    screen.result(document)
    screen.gap()
    screen.say(f"The map is at {out}", style="bold")


def _refuse_no_page(out: Path) -> None:
    if out.suffix.lower() not in (".html", ".htm"):
        raise InputError(f"--out must end in .html, as in map.html, but is {out}.")
    if not out.parent.is_dir():
        raise InputError(f"There is no folder {out.parent} for --out: make it first.")
    if out.is_dir():
        raise InputError(f"--out must name a file, but {out} is a folder.")
