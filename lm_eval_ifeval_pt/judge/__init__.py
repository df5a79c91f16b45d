"""A model as judge: what it is asked, what it said, and how far to trust it.

    rubric.yaml ──> Rubric ──┐
    samples of runs ─────────┴─> questions ──> a chat endpoint ──> readings ──> scores, duels, trust

`lm-eval-pt judge` runs it; docs/judging.md is its guide.
"""

from __future__ import annotations

from lm_eval_ifeval_pt.judge.rubric import Rubric, RubricError, read_rubric

__all__ = ["Rubric", "RubricError", "read_rubric"]
