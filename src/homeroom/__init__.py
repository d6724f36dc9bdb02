"""homeroom: teach a whole class with one lesson.

>>> from homeroom import Classroom, teach
>>> room = Classroom.sample(students=300, dimensions=25, seed=0)
>>> teach(room).rounds
154
"""

from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from homeroom._public import *  # noqa: F403 - the names in its `__all__`
    from homeroom._public import __all__ as __all__

    __version__: str
else:

    def __getattr__(name: str) -> Any:
        """Return a part of the package or a public name, imported when it is first used.

        Importing everything takes a second, and ``homeroom --version`` needs little of it.
        """
        if name == "__version__":
            value = import_module("homeroom._version").VERSION
        elif name.startswith("_") and name != "__all__":
            raise AttributeError(f"module 'homeroom' has no attribute {name!r}")
        elif find_spec(f"homeroom.{name}") is not None:
            value = import_module(f"homeroom.{name}")
        else:
            value = getattr(import_module("homeroom._public"), name)
        globals()[name] = value
        return value
