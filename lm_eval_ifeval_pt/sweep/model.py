"""The standing model of a worker: made once by the harness, then given the weights of checkpoint after checkpoint."""

from __future__ import annotations

import gc
import threading
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from lm_eval_ifeval_pt.sweep import checkpoints
from lm_eval_ifeval_pt.sweep.checkpoints import Checkpoint, Weights
from lm_eval_ifeval_pt.sweep.errors import CellError
from lm_eval_ifeval_pt.sweep.fixed_text import bits_per_byte
from lm_eval_ifeval_pt.sweep.settings import Settings
from lm_eval_ifeval_pt.sweep.tokens import stored_tokens

_NO_SWAP = ("peft", "delta", "gguf_file", "autogptq", "gptqmodel", "parallelize", "tp_plan", "subfolder", "device_map",
            "load_in_8bit", "load_in_4bit", "quantization_config")  # fmt: skip
_READ_AHEAD = 0.25  # of the memory that is free, at most, for the weights of the next checkpoint


class StandingModel:
    """Holds one model of the harness and changes its weights.

    Args:
        settings: Of the sweep.
        tokens: Folder in which workers share tokenised requests.

    Attributes:
        lm: The harness's model, None before the first checkpoint.
        checkpoint: Whose weights it has.
        bits_per_byte: Of the fixed text, with these weights.
        swapped: Whether the weights came into a model that stood already.
    """

    def __init__(self, settings: Settings, tokens: Path | None = None) -> None:
        self.settings, self.tokens = settings, tokens
        self.lm: Any = None
        self.checkpoint: Checkpoint | None = None
        self.bits_per_byte: float | None = None
        self.swapped = False
        self._weights: Weights | None = None
        self._batch_size: int | str | None = None
        self._ahead: _ReadAhead | None = None

    def load(self, checkpoint: Checkpoint, batch_size: int | str) -> None:
        """Make `lm` the model of this checkpoint.

        Raises:
            CellError: the weights are unreadable, gone, changed, or not the model's.
        """
        if self.checkpoint == checkpoint and self._batch_size == batch_size:
            return
        folder, weights = _look(checkpoint)
        standing, self.checkpoint = self.checkpoint is not None, None  # not valid while weights are exchanged
        try:
            if standing and self._batch_size == batch_size and folder is not None and self._fits(weights, folder):
                self._swap(checkpoint, folder)
                self.swapped = True
            else:
                self._make(checkpoint, folder, weights, batch_size)
                self.swapped = False
        except Exception as error:
            self.lm = None
            if isinstance(error, CellError) or is_out_of_memory(error):
                raise
            raise _explained(error, checkpoint) from error
        self._weights, self._batch_size = weights, batch_size
        self.bits_per_byte = bits_per_byte(self.lm)
        self.checkpoint = checkpoint

    def read_ahead(self, checkpoint: Checkpoint | None) -> None:
        """Begin to read the weights of the checkpoint that probably comes next, beside the computing."""
        if checkpoint is None or checkpoint.revision or (self._ahead and self._ahead.source == checkpoint.source):
            return
        self._ahead = _ReadAhead(checkpoint.source)

    def _fits(self, weights: Weights, folder: Path) -> bool:
        """Whether the standing model can take the weights."""
        from lm_eval.models.huggingface import HFLM

        if self._weights is None or not isinstance(self.lm, HFLM):
            return False
        if any(self.settings.model_args.get(name) for name in _NO_SWAP):
            return False
        if (weights.config, weights.tokenizer) != (self._weights.config, self._weights.tokenizer):
            return False
        files = checkpoints.weight_files(folder)
        is_plain = files[0].suffix == ".safetensors" and getattr(self.lm.config, "quantization_config", None) is None
        if _keeps_state(self.lm.config):
            return False
        return is_plain and not any(_unlike(self.lm.model, _names(folder)))

    def _swap(self, checkpoint: Checkpoint, folder: Path) -> None:
        import torch

        state = self.lm.model.state_dict()
        with torch.no_grad():
            for name, tensor in self._tensors(folder):
                if state[name].shape != tensor.shape:
                    shapes = f"{tuple(tensor.shape)}, in the model {tuple(state[name].shape)}"
                    raise CellError("names", f"{folder}: {name} has the shape {shapes}")
                state[name].copy_(tensor)
        self.lm.pretrained, self.lm.revision = checkpoint.source, checkpoint.revision or "main"
        if hasattr(self.lm, "batch_sizes"):
            self.lm.batch_sizes = {}

    def _tensors(self, folder: Path) -> Iterable[tuple[str, Any]]:
        from safetensors import safe_open

        ahead, self._ahead = self._ahead, None
        if ahead is not None and ahead.source == str(folder) and (read := ahead.tensors()) is not None:
            yield from read.items()
            return
        for path in checkpoints.weight_files(folder):
            with safe_open(path, "pt", device="cpu") as file:
                for name in file.keys():  # noqa: SIM118  # a safe_open cannot be iterated
                    yield name, file.get_tensor(name)

    def _make(self, checkpoint: Checkpoint, folder: Path | None, weights: Weights, batch_size: int | str) -> None:
        from lm_eval.api.registry import get_model

        from lm_eval_ifeval_pt.models.shared_prefix.model import SharedPrefixLM

        self.lm = None
        gc.collect()
        _empty_cache()
        settings = self.settings
        self.lm = get_model(settings.model).create_from_arg_obj(
            model_args(settings, checkpoint),
            {"batch_size": batch_size, "max_batch_size": settings.max_batch_size, "device": settings.device},
        )
        if isinstance(self.lm, SharedPrefixLM):
            self.lm.keep(stored_tokens(self.tokens, folder, weights, settings) if self.tokens else None)
        if folder is not None:
            _require_names(self.lm, folder)


def _keeps_state(config: Any) -> bool:
    """Whether a model's positions depend on how long its earlier inputs were."""
    rope = getattr(config, "rope_parameters", None) or getattr(config, "rope_scaling", None) or {}
    return "dynamic" in str(rope) or "longrope" in str(rope)


def model_args(settings: Settings, checkpoint: Checkpoint) -> dict[str, Any]:
    """The harness's --model_args for a checkpoint."""
    revision = {"revision": checkpoint.revision} if checkpoint.revision else {}
    return {"pretrained": checkpoint.source, **revision, **settings.model_args}


def is_out_of_memory(error: BaseException) -> bool:
    """Whether an error says that memory was exhausted, of the device or of the machine."""
    said = str(error).lower()
    return isinstance(error, MemoryError) or type(error).__name__ == "OutOfMemoryError" or (
        isinstance(error, RuntimeError) and ("out of memory" in said or "not enough memory" in said)
    )


def _look(checkpoint: Checkpoint) -> tuple[Path | None, Weights]:
    """The folder of a checkpoint and what its weights are now.

    Raises:
        CellError: they are gone, or others than those that were planned.
    """
    assert checkpoint.weights is not None
    if checkpoint.revision:
        folder = _snapshot(checkpoint)
        return folder, checkpoints.fingerprint(folder) if folder is not None else checkpoint.weights
    folder = Path(checkpoint.source)
    if not folder.is_dir():
        raise CellError("gone", f"{folder}: gone before it was evaluated")
    if reason := checkpoints.fault(folder):
        raise CellError("unreadable", f"{folder}: {reason}")
    weights = checkpoints.fingerprint(folder)
    if weights.content != checkpoint.weights.content:
        raise CellError("changed", f"{folder}: its files changed since they were planned; call sweep again")
    return folder, weights


def _snapshot(checkpoint: Checkpoint) -> Path:
    from huggingface_hub import snapshot_download

    wanted = ["*.json", "*.safetensors", "*.jinja", "*.model", "*.txt", "*.py", "pytorch_model*.bin"]
    return Path(snapshot_download(checkpoint.source, revision=checkpoint.revision, allow_patterns=wanted))


def _names(folder: Path) -> set[str]:
    """The names of the tensors in a checkpoint's weight files."""
    names: set[str] = set()
    for path in checkpoints.weight_files(folder):
        if path.suffix == ".safetensors":
            names |= set(checkpoints.safetensors_header(path)[0]) - {"__metadata__"}
        else:
            import torch

            names |= set(torch.load(path, map_location="meta", mmap=True, weights_only=True))
    return names


def _unlike(model: Any, names: set[str]) -> tuple[list[str], list[str]]:
    """Names that the model has and the files lack, tied ones aside; and the other way round."""
    state = model.state_dict()
    given = {state[name].data_ptr() for name in names if name in state}
    missing = [name for name, tensor in state.items() if name not in names and tensor.data_ptr() not in given]
    return missing, sorted(names - set(state))


def _require_names(lm: Any, folder: Path) -> None:
    """Refuse weights of which some are missing, or belong to no part of the model: the rest would be random.

    Where names differ, transformers may know how to convert them: it is asked, by loading once more.
    """
    model = getattr(lm, "model", None)
    if model is None or not hasattr(model, "state_dict") or lm.delta or getattr(lm, "peft", None):
        return
    missing, unexpected = _unlike(model, _names(folder))
    if not missing and not unexpected:
        return
    _, said = type(model).from_pretrained(folder, output_loading_info=True)
    kinds = "missing_keys", "unexpected_keys", "mismatched_keys"
    faults = {kind: sorted(map(str, said.get(kind) or ())) for kind in kinds}
    if any(faults.values()):
        told = "; ".join(f"{kind.replace('_keys', '')}: {', '.join(keys[:3])}{' …' if len(keys) > 3 else ''} "
                         f"({len(keys)})" for kind, keys in faults.items() if keys)  # fmt: skip
        raise CellError("names", f"{folder}: these weights are not the model's: {told}")


def _explained(error: Exception, checkpoint: Checkpoint) -> CellError:
    said = f"{checkpoint.source}: the model cannot be loaded: {type(error).__name__}: {error}"
    return CellError("names" if "size mismatch" in str(error) else "unreadable", said)


def _empty_cache() -> None:
    import torch

    if torch.cuda.is_available():
        torch.cuda.empty_cache()


class _ReadAhead:
    """Reads a checkpoint's weights in a thread: into memory if there is enough, else to have the system cache them."""

    def __init__(self, source: str) -> None:
        self.source = source
        self._read: dict[str, Any] | None = None
        self._thread = threading.Thread(target=self._work, daemon=True)
        self._thread.start()

    def tensors(self) -> dict[str, Any] | None:
        """What was read, once; None if it was too much, or could not be read."""
        self._thread.join()
        read, self._read = self._read, None
        return read

    def _work(self) -> None:
        from safetensors.torch import load_file

        try:
            files = checkpoints.weight_files(Path(self.source))
            if not files or files[0].suffix != ".safetensors":
                return
            if sum(path.stat().st_size for path in files) <= _READ_AHEAD * _free_memory():
                self._read = {name: tensor for path in files for name, tensor in load_file(path).items()}
                return
            for path in files:
                with path.open("rb") as file:
                    while file.read(2**24):
                        pass
        except Exception:  # it is read again when it is needed, and what is wrong is said then
            self._read = None


def _free_memory() -> float:
    try:
        with open("/proc/meminfo", encoding="ascii") as lines:
            return next(float(line.split()[1]) * 1024 for line in lines if line.startswith("MemAvailable"))
    except (OSError, StopIteration):
        return 0.0
