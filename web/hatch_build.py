"""Builds the pages of the live classroom into a wheel or a source archive that is made."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class PagesHook(BuildHookInterface):
    """Runs ``npm run build`` unless the pages are there; an editable install makes its own."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        root = Path(self.root)
        if version == "editable" or (root / "src/homeroom/live/static/index.html").is_file():
            return
        npm = shutil.which("npm")
        if npm is None:
            raise RuntimeError(
                "The pages of the live classroom are not built, and there is no npm to build them: "
                "run `make web` first."
            )
        for command in (["ci", "--no-audit", "--no-fund"], ["run", "build"]):
            subprocess.run([npm, *command], cwd=root / "web", check=True, env={**os.environ})
