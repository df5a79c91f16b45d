"""The guide to training, and from a reward to a model that earns it: TRL's GRPO on the demonstration's model."""

import re
import shlex
from pathlib import Path

import pytest
from click.testing import CliRunner

from lm_eval_ifeval_pt.cli import main
from lm_eval_ifeval_pt.rewards import InstructionReward

GUIDE = Path(__file__).parents[1] / "docs" / "training.md"


def test_the_guide_runs_as_it_is_written(tmp_path, monkeypatch):
    """All of its blocks, one after the other, but those that need another framework's model."""
    monkeypatch.chdir(tmp_path)
    names = {}
    blocks = re.findall(r"^```(python|sh)\n(.*?)^```", GUIDE.read_text(encoding="utf-8"), re.M | re.S)
    assert len(blocks) >= 10
    for language, block in blocks:
        if language == "python":
            exec(compile(block, str(GUIDE), "exec"), names)
            continue
        for line in block.splitlines():
            program, *arguments = shlex.split(line)
            assert program == "lm-eval-pt"
            result = CliRunner().invoke(main, arguments)
            assert result.exit_code == 0, result.output


@pytest.fixture(scope="module")
def trl():
    """The module, where the extra `rl` is installed."""
    pytest.importorskip("torch", reason="torch is not installed: pip install 'lm_eval_ifeval_pt[hf]'")
    return pytest.importorskip("trl", reason="TRL is not installed: pip install 'lm_eval_ifeval_pt[rl]'")


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::FutureWarning")
def test_a_model_learns_to_use_cedilha(trl, tmp_path):
    """Fifteen steps on one thread: the reward of the last three is well above that of the first three."""
    import torch
    from datasets import Dataset
    from transformers import AutoTokenizer

    from lm_eval_ifeval_pt.corpus.dialogues import dialogues
    from lm_eval_ifeval_pt.demo.recipe import Recipe
    from lm_eval_ifeval_pt.demo.training import train

    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        train(tmp_path / "demo", Recipe(steps=100, dialogues=1500, vocabulary=1200, width=64, window=64))
        checkpoint = str(tmp_path / "demo" / "step_100")
        asked = {"instruction_id_list": ["ptbr:cedilha"], "kwargs": "[{}]"}
        rows = Dataset.from_list([{"prompt": f"{prompt}\n", **asked} for prompt, _ in dialogues(seed=9, count=64)])
        config = trl.GRPOConfig(
            output_dir=str(tmp_path / "rl"), max_steps=15, per_device_train_batch_size=32, num_generations=8,
            max_completion_length=32, learning_rate=2e-3, lr_scheduler_type="constant", beta=0.0, logging_steps=1,
            save_strategy="no", report_to=[], use_cpu=True, bf16=False, disable_tqdm=True, seed=1,
        )  # fmt: skip
        trainer = trl.GRPOTrainer(
            model=checkpoint,
            reward_funcs=[InstructionReward()],
            args=config,
            train_dataset=rows,
            processing_class=AutoTokenizer.from_pretrained(checkpoint),
        )
        trainer.train()
    finally:
        torch.set_num_threads(threads)
    logged = "rewards/instructions_followed/mean"
    rewards = [entry[logged] for entry in trainer.state.log_history if logged in entry]
    assert len(rewards) == 15
    assert sum(rewards[-3:]) / 3 > sum(rewards[:3]) / 3 + 0.3
