"""The verifiers: one module per family, each constraint one decorated function.

Importing this package registers all of them.
"""

import importlib
import pkgutil

for _module in sorted(module.name for module in pkgutil.iter_modules(__path__)):
    importlib.import_module(f"{__name__}.{_module}")
