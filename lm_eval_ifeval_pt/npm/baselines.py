"""The baselines of NPM: preferred metric, chance level and maximum of every task, in one table.

The task definitions repeat them under `metadata: npm`, so that result files carry them; a test keeps both
equal.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal


@dataclass(frozen=True)
class Baseline:
    """What turns the scores of one task into NPM.

    Attributes:
        metric: The preferred metric, as the task names it.
        random: What guessing scores, as a share (0 to 1).
        max: The best possible score, as a share.
        set: The half of the Tucano 2 suite that counts the task; None where neither does.
    """

    metric: str
    random: float
    max: float = 1.0
    set: Literal["easy", "hard"] | None = None


BASELINES: Mapping[str, Baseline] = MappingProxyType(
    {
        # Tucano 2 (arXiv:2603.03543), table G.19. BLUEX: half of its exams offer 4 options, the other half 5.
        "calame_pt": Baseline("acc", 0.0, set="easy"),
        "lambada_poly_pt": Baseline("acc", 0.0, set="easy"),
        "global_piqa_pt_br": Baseline("acc_norm", 0.5, set="easy"),
        "arc_challenge_poly_pt": Baseline("acc_norm", 0.25, set="easy"),
        "hellaswag_poly_pt": Baseline("acc_norm", 0.25, set="easy"),
        "enem": Baseline("acc", 0.2, set="hard"),
        "bluex": Baseline("acc", 0.225, set="hard"),
        "oab_exams": Baseline("acc", 0.25, set="hard"),
        "belebele_pt": Baseline("acc_norm", 0.25, set="hard"),
        "mmlu_poly_pt": Baseline("acc", 0.25, set="hard"),
        # The other format of the same rows, which has the same chance level.
        "global_piqa_pt_br_mcf": Baseline("acc", 0.5),
        "arc_challenge_poly_pt_mcf": Baseline("acc", 0.25),
        "hellaswag_poly_pt_mcf": Baseline("acc", 0.25),
        "enem_cf": Baseline("acc_norm", 0.2),
        "enem_mcf": Baseline("acc", 0.2),
        "bluex_cf": Baseline("acc_norm", 0.225),
        "bluex_mcf": Baseline("acc", 0.225),
        "oab_exams_cf": Baseline("acc_norm", 0.25),
        "oab_exams_mcf": Baseline("acc", 0.25),
        "belebele_pt_cf": Baseline("acc_norm", 0.25),
        "mmlu_poly_pt_cf": Baseline("acc_norm", 0.25),
        # After post-training (tables 5, 6); the paper prints no baselines, its averages fit 0 (generated answers).
        "gsm8k_pt": Baseline("exact_match", 0.0),
        "ifeval_pt": Baseline("prompt_level_strict_acc", 0.0),
        "ifeval_pt_300": Baseline("prompt_level_strict_acc", 0.0),
        "humaneval_pt": Baseline("pass@1", 0.0),
    }
)

FORMATS: Mapping[str, tuple[str, str]] = MappingProxyType(
    {
        "global_piqa_pt_br": ("global_piqa_pt_br", "global_piqa_pt_br_mcf"),
        "arc_challenge_poly_pt": ("arc_challenge_poly_pt", "arc_challenge_poly_pt_mcf"),
        "hellaswag_poly_pt": ("hellaswag_poly_pt", "hellaswag_poly_pt_mcf"),
        "enem": ("enem_cf", "enem_mcf"),
        "bluex": ("bluex_cf", "bluex_mcf"),
        "oab_exams": ("oab_exams_cf", "oab_exams_mcf"),
        "belebele_pt": ("belebele_pt_cf", "belebele_pt"),
        "mmlu_poly_pt": ("mmlu_poly_pt_cf", "mmlu_poly_pt"),
    }
)
"""The cloze (CF) and the multiple-choice format (MCF) of the same rows: `tucano2_suite_cf` and `tucano2_suite_mcf`."""

ALIASES: Mapping[str, str] = MappingProxyType(
    {
        # Open Portuguese LLM Leaderboard, which Tucano 2 used for ENEM, BLUEX and OAB
        "enem_challenge": "enem",
        # The harness; the first name until 0.4.12, the second since
        "global_piqa_completions_por_latn_braz": "global_piqa_pt_br",
        "global_piqa_nonparallel_cloze_por_latn_braz": "global_piqa_pt_br",
        "belebele_por_Latn": "belebele_pt",
        "humaneval": "humaneval_pt",
    }
)
"""The names under which others publish the same rows with the same protocol, to ours."""

THEIRS: Mapping[str, str] = MappingProxyType({"ifeval_pt": "ifeval_pt_300"})
"""Names of ours under which others publish the rows of another task of ours (Polygl0t: their own 300 prompts)."""
