"""Verdicts as rewards: for TRL's GRPO and for open-instruct's verifiable rewards, neither of which is imported.

`InstructionReward` is what `trl.GRPOTrainer` takes among `reward_funcs`; `OpenInstructVerifier` answers as
open-instruct's verifiers do; `gaming` tells answers that follow an instruction only in letter.
"""

from lm_eval_ifeval_pt.rewards.open_instruct import OpenInstructVerifier, VerificationResult
from lm_eval_ifeval_pt.rewards.reward import InstructionReward

__all__ = ["InstructionReward", "OpenInstructVerifier", "VerificationResult"]
