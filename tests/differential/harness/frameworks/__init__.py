"""One module per framework: its functions as the harness calls them.

Each module has NAME, DIALECT, FUNCTIONS, `version()`, `missing(error)` (is
this the framework's way to say that it has no kernel) and may have REPEATS,
the cases per configuration.
"""

import importlib


def load(name):
    """The module of a framework."""
    return importlib.import_module(f"harness.frameworks.{name}_functions")


def load_gradients(name):
    """The gradients of a framework's functions; () if it has none."""
    if name not in ("torch", "jax"):
        return ()
    module = importlib.import_module(f"harness.frameworks.{name}_gradients")
    return module.FUNCTIONS
