"""Show this package's tasks and its model to the harness, whichever command or program started it.

lm_eval 0.4.13 looks for tasks in its own folder and in `--include_path` only, and for models among its own, so
`lm_eval --tasks ifeval_pt` needs help from inside the process. Every Python start calls `install`:
`_hook.pth` and, from Python 3.15 on (PEP 829), `_hook.start` are installed beside the package for that. It
puts a finder on `sys.meta_path`; when `lm_eval.tasks.manager` is imported, if ever, this wraps
`TaskIndex.build`, to which each `TaskManager` passes the folders that it reads; when `lm_eval.models` is, this
adds the name of our model, whose module the harness imports when it is asked for it. When
`lm_eval.evaluator_utils` is, this changes the order in which groups take the directions of metrics from their
members: the harness takes a group of groups first, so that the first row of our suite's table had no arrow.

Nothing here may break or slow a Python start: no import but of what each start has loaded anyway, no
exception let out, one line on stderr when something failed. LM_EVAL_IFEVAL_PT_HOOK=0 turns it off.
"""

import os
import sys

TYPE_CHECKING = False  # what type checkers look for; `typing` takes several milliseconds to import
if TYPE_CHECKING:
    from collections.abc import Iterable
    from importlib.machinery import ModuleSpec
    from pathlib import Path
    from types import ModuleType
    from typing import Any

SWITCH = "LM_EVAL_IFEVAL_PT_HOOK"
MANAGER = "lm_eval.tasks.manager"
MODELS = "lm_eval.models"
RESULTS = "lm_eval.evaluator_utils"
CHANGED = MANAGER, MODELS, RESULTS
MODEL = "hf-shared", "lm_eval_ifeval_pt.models.shared_prefix.model:SharedPrefixLM"


def install() -> None:
    """Make the harness find our tasks and our model in this process. Calling it again changes nothing."""
    try:
        if not enabled() or any(isinstance(finder, HarnessFinder) for finder in sys.meta_path):
            return
        sys.meta_path.insert(0, HarnessFinder())
        for name in CHANGED:
            if name in sys.modules:
                loaded(sys.modules[name])
    except Exception as error:
        complain(error)


def enabled() -> bool:
    """Whether the environment leaves the hook on: no LM_EVAL_IFEVAL_PT_HOOK of 0, false, no or off."""
    return os.environ.get(SWITCH, "").strip().lower() not in {"0", "false", "no", "off"}


class HarnessFinder:
    """Meta path finder that answers for three modules of the harness, with what the other finders find."""

    def find_spec(
        self, name: str, path: "Any" = None, target: "ModuleType | None" = None
    ) -> "ModuleSpec | None":
        """Return the module's spec, its loader made to change the module once loaded, or None."""
        if name not in CHANGED:
            return None
        try:
            others = [other for other in sys.meta_path if hasattr(other, "find_spec") and other is not self]
            specs = (other.find_spec(name, path, target) for other in others)
            spec = next((spec for spec in specs if spec is not None), None)
            if spec is not None:
                change_once_loaded(spec)
            return spec
        except Exception as error:
            complain(error)
            return None


def change_once_loaded(spec: "ModuleSpec") -> None:
    """Change the loader of this spec, and no other, to call `loaded` after it has run the module."""
    loader: Any = spec.loader
    execute = loader.exec_module

    def exec_module(module: "ModuleType") -> None:
        execute(module)
        loaded(module)

    loader.exec_module = exec_module


def loaded(module: "ModuleType") -> None:
    """Change one of the three modules; leave any other of the same loader alone."""
    if module.__name__ == MANAGER:
        wrap(module)
    elif module.__name__ == MODELS:
        register()
    elif module.__name__ == RESULTS:
        order(module)


def wrap(manager: "ModuleType") -> None:
    """Make `TaskIndex.build` of the harness read our folder too."""
    try:
        from inspect import signature

        index = manager.TaskIndex
        original = index.build
        if next(iter(signature(original).parameters)) != "paths":
            raise TypeError("TaskIndex.build takes other arguments than it did")
        builtin = os.path.dirname(str(manager.__file__))

        def build(paths: "Iterable[Path]", *args: "Any", **kwargs: "Any") -> "Any":
            try:
                from lm_eval_ifeval_pt.paths import bundled

                paths = add_tasks(paths, bundled("tasks"), builtin)
            except Exception as error:
                complain(error)
            return original(paths, *args, **kwargs)

        index.build = staticmethod(build)
    except Exception as error:
        complain(error)


def register() -> None:
    """Add our model's name to those of the harness, unless something else has it."""
    try:
        registry = sys.modules["lm_eval.api.registry"].model_registry
        name, target = MODEL
        if name not in registry:
            registry.register(name, target=target)
    except Exception as error:
        complain(error, "its model hf-shared was not added to lm_eval", "")


def order(results: "ModuleType") -> None:
    """Make the harness find the directions of metrics for the members of a group before the group itself."""
    propagate = getattr(results, "_propagate_higher_is_better", None)
    if propagate is None:  # later harnesses may do it in another way; only arrows depend on it
        return

    def members_first(groups: "list[Any]", directions: "Any") -> "Any":
        return propagate(groups[::-1], directions)  # the harness lists a group before what it holds

    results.__dict__["_propagate_higher_is_better"] = members_first


def add_tasks(paths: "Iterable[Path]", ours: "Path", builtin: str) -> "list[Path]":
    """Return the folders to read, with ours among them.

    The harness lets a later folder override an earlier one. Ours comes after its built-in folder and before
    the ones the user includes, also when the built-in one is left out. It is not added if it is there, by
    itself or within another folder: then the user included it, or the harness found it by our entry point.
    """
    folders = list(paths)
    resolved = [os.path.realpath(folder) for folder in folders]
    within = os.path.join(os.path.realpath(ours), "")
    if any(within.startswith(os.path.join(folder, "")) for folder in resolved):
        return folders
    builtin = os.path.realpath(builtin)
    after = resolved.index(builtin) + 1 if builtin in resolved else 0
    return [*folders[:after], ours, *folders[after:]]


def complain(
    error: Exception,
    failed: str = "its tasks were not added to lm_eval",
    advice: str = ', or give lm_eval --include_path "$(lm-eval-pt tasks-dir)"',
) -> None:
    """Say on stderr, in one line, what failed and what the user can do."""
    try:
        reason = " ".join(f"{type(error).__name__}: {error}".split())
        sys.stderr.write(
            f"lm_eval_ifeval_pt: {failed} ({reason}). Run `lm-eval-pt doctor`{advice}. "
            f"{SWITCH}=0 turns this off.\n"
        )
    except Exception:
        return
