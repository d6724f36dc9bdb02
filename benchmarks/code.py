"""The size and the language of the source, compared with version 0.1."""

from __future__ import annotations

import ast
import re
import tomllib
from collections import Counter
from collections.abc import Iterator
from inspect import CO_OPTIMIZED
from itertools import chain
from pathlib import Path
from types import FrameType

from benchmarks.timing import Line

ROOT = Path(__file__).parents[1]

PHRASES = re.compile(
    r"how manyth|\banew\b|\bby lot\b|\bfor one (of|at)\b|\bheld against\b|\btold\b|\bfound out\b"
    r"|\b(go|goes|going) on\b|\brooms?\b (of|for|in|that|may|imports)|\bdoors?\b|\b(she|hers?)\b"
    r"|\b(some|every|no)body\b|\bschools\b|\bwhoever\b|\bblurred\b|\bsight\b|\bof whom\b|\bhardly\b"
    r"|\btells?\b (of|how|that|which|what)|\bpace\b|\d (ms|s|us|GB|MB|bytes) an? \w+"
    r"|\ban? (object|entry|row|number|line) an? \w+",
    re.IGNORECASE,
)
"""Wording that reads like a translation. A hit may be right where it stands."""

TEXTS = ("src/**/*.py", "tests/**/*.py", "docs/**/*.md", "web/src/texts/en.ts", "*.md")


def lines() -> Iterator[Line]:
    """Count."""
    sources = sorted((ROOT / "src").rglob("*.py"))
    trees = [ast.parse(path.read_text("utf-8")) for path in sources]
    length = sum(path.read_text("utf-8").count("\n") for path in sources)
    imports = sum(
        (node.end_lineno or node.lineno) - node.lineno + 1
        for tree in trees
        for node in ast.walk(tree)
        if isinstance(node, ast.Import | ast.ImportFrom)
    )
    classes = Counter(
        node.name for tree in trees for node in ast.walk(tree) if isinstance(node, ast.ClassDef)
    )
    twice = sum(count > 1 for count in classes.values())
    yield Line("modules", len(sources), "0.1", 477, 340 / 477, unit="")
    yield Line("lines", length, "0.1", 52936, 0.94, unit="")
    yield Line("lines of imports", imports, "all lines", length, 0.075, unit="")
    yield Line("class names defined twice", twice, "all", len(classes), 0.0, unit="")
    yield Line("phrases to avoid", phrases(), "0.1", 2105, 200 / 2105, unit="")
    yield Line(
        "checks of concrete components", len(component_checks()), "0.1", 64, 10 / 64, unit=""
    )


INTERFACES = (
    "AbstractTeacher",
    "AbstractLearner",
    "AbstractObserver",
    "AbstractExaminer",
    "AbstractGoal",
    "DistanceGoal",
    "AbstractPool",
)
"""What components implement. Testing for an interface is fine: other packages implement it too."""


def component_checks(root: Path = ROOT / "src") -> list[str]:
    """Return where the code tests for a concrete teacher, learner, observer, goal or pool.

    Outside the module that defines it: ``isinstance`` and ``issubclass``, comparisons of ``type``
    and ``__class__``, patterns of ``match``, and tuples, lists, sets, unions and tables of such
    classes, wherever they stand. Also comparisons of a component's registered name.
    """
    trees = {path: ast.parse(path.read_text("utf-8")) for path in sorted(root.rglob("*.py"))}
    homes = _components(trees)
    names = _registered()
    found = set()
    for path, tree in trees.items():
        foreign = {name for name, home in homes.items() if home != path}
        annotations = _annotations(tree)
        found |= {
            f"{path.relative_to(root)}:{getattr(node, 'lineno', 0)}"
            for node in ast.walk(tree)
            if node not in annotations and (_is_check(node, foreign) or _compares_name(node, names))
        }
    return sorted(found)


def _annotations(tree: ast.Module) -> set[ast.AST]:
    """Return all nodes of type annotations, which test nothing."""
    roots = [
        part
        for node in ast.walk(tree)
        for part in (getattr(node, "annotation", None), getattr(node, "returns", None))
        if part is not None
    ]
    return {node for root in roots for node in ast.walk(root)}


def _components(trees: dict[Path, ast.Module]) -> dict[str, Path]:
    """Return the module of each concrete component."""
    bases = {
        node.name: ({_last(base) for base in node.bases}, path)
        for path, tree in trees.items()
        for node in ast.walk(tree)
        if isinstance(node, ast.ClassDef)
    }

    def implements(name: str) -> bool:
        return name in INTERFACES or any(map(implements, bases.get(name, (set(), None))[0]))

    return {
        name: path
        for name, (_, path) in bases.items()
        if implements(name) and name not in INTERFACES and not name.startswith("Abstract")
    }


def _registered() -> set[str]:
    """Return the names under which homeroom registers its components."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    kinds = ("teachers", "learners", "observers", "goals", "pools")
    return {name for kind in kinds for name in project["entry-points"][f"homeroom.{kind}"]}


def _last(node: ast.AST) -> str:
    return node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")


def _mentions(node: ast.AST, classes: set[str]) -> bool:
    return any(
        _last(part) in classes
        for part in ast.walk(node)
        if isinstance(part, ast.Name | ast.Attribute)
    )


def _is_check(node: ast.AST, classes: set[str]) -> bool:
    """Return whether a node tests for one of the classes, or lists them."""
    match node:
        case ast.Call(func=ast.Name(id="isinstance" | "issubclass"), args=[_, of]):
            return _mentions(of, classes)
        case ast.Compare(left=left, comparators=[right]):
            tested = [left, right]
            asks = any(
                (isinstance(part, ast.Call) and _last(part.func) == "type")
                or _last(part) == "__class__"
                for side in tested
                for part in ast.walk(side)
            )
            return asks and any(_mentions(side, classes) for side in tested)
        case ast.MatchClass(cls=cls):
            return _last(cls) in classes
        case ast.Tuple(elts=parts) | ast.List(elts=parts) | ast.Set(elts=parts):
            return any(_last(part) in classes for part in parts)
        case ast.Dict(keys=keys, values=values):
            return any(_last(part) in classes for part in (*keys, *values) if part is not None)
    return False


def _compares_name(node: ast.AST, names: set[str]) -> bool:
    """Return whether a node compares the name of a component with a registered one."""
    if not (isinstance(node, ast.Compare) and len(node.comparators) == 1):
        return False
    sides = (node.left, node.comparators[0])
    texts = {part.value for part in sides if isinstance(part, ast.Constant)}
    asks = any(
        (isinstance(part, ast.Constant) and part.value == "name") or _last(part) == "__name__"
        for side in sides
        for part in ast.walk(side)
    )
    return asks and bool(texts & names)


def phrases() -> int:
    """Return how often a phrase to avoid occurs in sources, tests, documentation and pages."""
    files = chain.from_iterable(ROOT.glob(pattern) for pattern in TEXTS)
    kept = (path for path in files if not {"_build", "api"} & set(path.parts))
    return sum(len(PHRASES.findall(path.read_text("utf-8"))) for path in kept)


class CalledModules:
    """A profile function that notes the modules of homeroom whose functions are called.

    Parameters
    ----------
    module, function
        What is called before is start-up: it begins with this function.
    """

    def __init__(self, module: str, function: str) -> None:
        self.first = (module, function)
        self.modules: set[str] = set()

    def __call__(self, frame: FrameType, event: str, _: object) -> None:
        """Note a call."""
        code = frame.f_code
        if event != "call" or not code.co_flags & CO_OPTIMIZED:
            return  # the body of a module or class that is imported, not a function
        _, package, module = code.co_filename.partition("/src/homeroom/")
        if package and (self.modules or (module, code.co_name) == self.first):
            self.modules.add(module)
